package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// gonb is an installation of real GoNB, away from the user's own, that the tests below share.
type gonb struct {
	env  []string
	home string
	self string
}

func installed(t testing.TB) gonb {
	t.Helper()
	g := emptyHome(t)
	g.env = append(g.env, noInstallEnv+"=1") // tests fetch no engine
	start := time.Now()
	if out, err := g.kernel("install").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("install took %.1f s", time.Since(start).Seconds())
	return g
}

// emptyHome is a home folder for an installation, on a machine that can build GoNB.
func emptyHome(t testing.TB) gonb {
	t.Helper()
	if testing.Short() {
		t.Skip("runs real GoNB; not with -short")
	}
	co, err := findCheckout()
	if err != nil {
		t.Skip("no checkout: ", err)
	}
	env, err := co.goEnv(context.Background())
	if err != nil {
		t.Skip("no Go: ", err)
	}
	self := must.Get(os.Executable())(t)
	home, err := os.MkdirTemp("", "e") // short, for the sockets below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	must.Do(t, os.Mkdir(filepath.Join(home, "tmp"), 0o755))
	g := gonb{self: self, home: home, env: append(os.Environ(), asKernel+"=1", "HOME="+home, "JUPYTER_DATA_DIR="+home+
		"/jupyter",
		"TMPDIR="+home+"/tmp", "GOPATH="+env.GOPATH, "GOCACHE="+env.GOCACHE, "GOMODCACHE="+env.GOMODCACHE, "GOFLAGS=")}
	// Without the network and with empty caches there is no GoNB to test with; any other failure is one of install.
	source := co.command(context.Background(), "", []string{"GOFLAGS="}, "list", "-deps", tools[0].pkg)
	if err := execute(source); err != nil {
		t.Skipf("there is no source of GoNB here: %v", err)
	}
	return g
}

func (g gonb) kernel(args ...string) *exec.Cmd {
	cmd := exec.Command(g.self, args...)
	cmd.Env = g.env
	return cmd
}

// start starts the installed kernel as Jupyter does, in dir and with additions to its environment.
func (g gonb) start(t testing.TB, dir string, add map[string]string) *jupyter.Kernel {
	t.Helper()
	var s spec
	must.Do(t, json.Unmarshal(read(t, filepath.Join(g.home, "jupyter/kernels/expfam/kernel.json")), &s))
	env := map[string]string{}
	for _, kv := range g.env[len(os.Environ()):] {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	maps.Copy(env, s.Env)
	maps.Copy(env, add)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	kernel := must.Get(jupyter.Start(ctx, jupyter.Spec{Argv: s.Argv, Env: env, Dir: dir,
		Supervisor: []string{g.self, superviseVerb}}))(t)
	t.Cleanup(kernel.Stop)
	return kernel
}

// tmp is where kernels have their temporary files.
func (g gonb) tmp() string {
	last := g.env[len(g.env)-1] // of apart
	if dir, is := strings.CutPrefix(last, "TMPDIR="); is {
		return dir
	}
	return filepath.Join(g.home, "tmp")
}

// leftovers are the temporary files of kernels.
func (g gonb) leftovers() []string {
	names, _ := filepath.Glob(filepath.Join(g.tmp(), "*"))
	return names
}

// apart is the same installation with temporary files of its own, which are no leftovers of others.
func (g gonb) apart(t *testing.T) gonb {
	t.Helper()
	tmp := must.Get(os.MkdirTemp(g.home, "t"))(t)
	g.env = append(slices.Clone(g.env), "TMPDIR="+tmp)
	return g
}

// notebook writes a notebook of code cells; a source that starts with "raises:" is tagged raises-exception.
func (g gonb) notebook(t *testing.T, name string, sources ...string) string {
	t.Helper()
	nb := &ipynb.Notebook{}
	for i, s := range sources {
		c := &ipynb.Cell{ID: fmt.Sprintf("cell-%d", i+1), Type: ipynb.Code, Source: s}
		if rest, ok := strings.CutPrefix(s, "raises:"); ok {
			c.Source, c.Metadata = rest, map[string]any{"tags": []any{"raises-exception"}}
		}
		nb.Cells = append(nb.Cells, c)
	}
	path := filepath.Join(g.home, name+".ipynb")
	must.Do(t, nb.Write(path))
	return path
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(path))(t)
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// GoNB compiles in a folder that has another name in every run and shows in stack traces and compilers' messages.
func TestVolatilePathsAreLeftOut(t *testing.T) {
	rec, cell := newRecording("/tmp/expfam12"), &ipynb.Cell{Type: ipynb.Code}
	rec.record(cell, jupyter.Message{Header: jupyter.Header{Type: "error"},
		Content: []byte(`{"ename":"ERROR","evalue":"# gonb_e071086f\n./main.go:7:2: undefined: x"}`)})
	rec.record(cell, jupyter.Message{Header: jupyter.Header{Type: "stream"},
		Content: []byte(`{"name":"stderr","text":"main.main()\n\t/tmp/expfam12/expfam-front-3/gonb_e071086f/main.go:10 +0x65\n/tmp/other stays\n"}`)})
	must.Do(t, rec.finish())
	must.Equal(t, cell.Outputs[0].EValue, "./main.go:7:2: undefined: x")
	must.Equal(t, cell.Outputs[1].Text, "main.main()\n\tmain.go:10 +0x65\n/tmp/other stays\n")
}

const forever = "%%\nfmt.Println(\"busy\")\nfor {\n\ttime.Sleep(time.Second)\n}"

// TestRealGoNB runs notebooks on GoNB as users do. It takes seconds: one installation, then about a second a case.
func TestRealGoNB(t *testing.T) {
	g := installed(t)
	t.Run("install again does nothing", func(t *testing.T) {
		start := time.Now()
		out, err := g.kernel("install").CombinedOutput()
		must.Be(t, err == nil && strings.Count(string(out), "in place") >= 4, "%v\n%s", err, out)
		t.Logf("took %v", time.Since(start))
	})
	// Beside each other, as both wait more than they compute; each tidies up in a folder of its own.
	t.Run("side by side", func(t *testing.T) {
		t.Run("faults", func(t *testing.T) {
			t.Parallel()
			testFaults(t, g.apart(t))
		})
		t.Run("run", func(t *testing.T) {
			t.Parallel()
			testRun(t, g)
		})
		t.Run("session", func(t *testing.T) {
			t.Parallel()
			testSession(t, g.apart(t))
		})
		t.Run("afternoon", func(t *testing.T) {
			t.Parallel()
			testAfternoon(t, g.apart(t))
		})
		for name, test := range map[string]func(*testing.T, gonb){"children": testChildren,
			"characters": testCharacters, "kills": testKills, "changing": testChanging, "board": testBoard,
			"input": testInput, "grade": testGrade, "at once": testAtOnce, "many": testMany,
			"posteriors": testPosteriors, "strangers": testStrangers,
			"a subscriber that does not read": testDeafSubscriber} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, g.apart(t))
			})
		}
	})
	t.Run("kernelspec as Jupyter reads it", func(t *testing.T) {
		var s spec
		must.Do(t, json.Unmarshal(read(t, filepath.Join(g.home, "jupyter/kernels/expfam/kernel.json")), &s))
		if s.DisplayName != displayName || s.Language != "go" || s.InterruptMode != "message" ||
			s.Env["GOPROXY"] != "off" {
			t.Errorf("got %+v", s)
		}
		if _, err := os.Stat(s.Argv[3]); err != nil { // after sh -c SCRIPT
			t.Error(err)
		}
	})
	t.Run("doctor", func(t *testing.T) {
		out, err := g.kernel("doctor").CombinedOutput()
		for _, want := range []string{"ok       Go ", "ok       gonb ", "ok       goimports ", "ok       kernelspec "} {
			must.Be(t, strings.Contains(string(out), want), "%v: no %q in:\n%s", err, want, out)
		}
	})
	t.Run("lab", func(t *testing.T) { testLab(t, g) })
	t.Run("remove undoes install", func(t *testing.T) {
		if out, err := g.kernel("install", "-remove").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		must.Refuse(os.Stat(filepath.Join(g.home, "jupyter/kernels/expfam")))(t)
		if out, err := g.kernel("doctor").CombinedOutput(); exitCode(err) != 1 ||
			!strings.Contains(string(out), "missing  gonb ") {
			t.Errorf("exit code %d\n%s", exitCode(err), out)
		}
		if out, err := g.kernel("install", "-remove").CombinedOutput(); err != nil {
			t.Errorf("a second time: %v\n%s", err, out)
		}
	})
}

// testRun runs notebooks to their end, to their failure and until a signal.
func testRun(t *testing.T, g gonb) {
	t.Run("library, streams, display, state of declarations", func(t *testing.T) {
		path := g.notebook(t, "good",
			"import \"github.com/expfam/lab/expfam\"\n\nfunc double(x int) int { return 2 * x }\n\n%%\nvar p "+
				"*expfam.Posterior\nfmt.Println(double(21), p == nil)",
			"import \"github.com/janpfeifer/gonb/gonbui\"\n\n%%\ngonbui.UpdateHtml(\"id\", \"old\")\ngonbui.Sync()",
			"%%\ngonbui.UpdateHtml(\"id\", \"new\")\ngonbui.Sync()\nfmt.Println(double(1))",
			"raises:%%\nfmt.Fprintln(os.Stderr, \"expected\")\nos.Exit(3)",
			"%%\ndir, _ := os.Getwd()\nfmt.Println(filepath.Base(dir) == filepath.Base(os.Getenv(\"HOME\")))")
		if out, err := g.kernel("run", path).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		nb := must.Get(ipynb.Read(path))(t)
		for i, want := range []string{"42 true\n", "", "2\n", "", "true\n"} {
			if out := nb.Cells[i].Outputs; want != "" && (len(out) != 1 || out[0].Text != want) {
				t.Errorf("cell %d: outputs %+v, want %q", i+1, out, want)
			}
			if n := nb.Cells[i].ExecutionCount; n == nil || *n != i+1 {
				t.Errorf("cell %d: execution count %v", i+1, n)
			}
		}
		if out := nb.Cells[1].Outputs; len(out) != 1 || out[0].Content("text/html") != "new" {
			t.Errorf("the display that a later cell updates: %+v", out)
		}
		if out := nb.Cells[3].Outputs; len(out) != 2 || out[1].Type != ipynb.Error ||
			out[0].Text != "expected\nexit status 3\n" {
			t.Errorf("the cell that may fail: %+v", out)
		}
		if page := read(t, strings.TrimSuffix(path, ".ipynb")+".html"); !bytes.Contains(page, []byte("42 true")) {
			t.Error("no output in the page")
		}
		first := read(t, path)
		if out, err := g.kernel("run", "-html=false", path).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if second := read(t, path); !bytes.Equal(first, second) {
			a, b := strings.Split(string(first), "\n"), strings.Split(string(second), "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Fatalf("a second run changed line %d from %q to %q", i+1, a[i], b[i])
				}
			}
			t.Errorf("a second run changed the number of lines from %d to %d", len(a), len(b))
		}
	})
	t.Run("failures name notebook, cell and error, and keep what ran before", func(t *testing.T) {
		for _, c := range []struct{ name, source, want string }{
			{"compile error", "%%\nvar x int = \"text\"", "cannot use \"text\""},
			{"exit status", "%%\nos.Exit(3)", "exit status 3"},
		} {
			path := g.notebook(t, "bad", "%%\nfmt.Println(1)", c.source, "%%\nfmt.Println(\"not reached\")")
			before := must.Get(ipynb.Read(path))(t)
			before.Cells[2].Outputs = []*ipynb.Output{{Type: ipynb.Stream, Name: "stdout", Text: "of an earlier run\n"}}
			must.Do(t, before.Write(path))
			out, err := g.kernel("run", path).CombinedOutput()
			must.Equal(t, exitCode(err), 1, c.name, "exit code")
			for _, want := range []string{path, "cell 2 (id cell-2", c.want} {
				must.Be(t, strings.Contains(string(out), want), "%s: no %q in:\n%s", c.name, want, out)
			}
			must.Be(t, !strings.Contains(string(out), "not reached"), "%s: went on", c.name)
			after := must.Get(ipynb.Read(path))(t)
			if got := after.Cells[0].Outputs; len(got) != 1 || got[0].Text != "1\n" {
				t.Errorf("%s: what ran before it shows %+v", c.name, got)
			}
			got := after.Cells[1].Outputs
			if !slices.ContainsFunc(got, func(out *ipynb.Output) bool { return out.Type == ipynb.Error }) ||
				after.Cells[1].ExecutionCount == nil {
				t.Errorf("%s: the cell shows %+v", c.name, got)
			}
			if got := after.Cells[2].Outputs; len(got) != 1 || got[0].Text != "of an earlier run\n" {
				t.Errorf("%s: what did not run shows %+v", c.name, got)
			}
			if page := read(t, strings.TrimSuffix(path, ".ipynb")+".html"); !bytes.Contains(page,
				[]byte(`class="output error"`)) {
				t.Errorf("%s: the page has no error", c.name)
			}
		}
	})
	t.Run("check writes nothing", func(t *testing.T) {
		path := g.notebook(t, "check", "%%\nfmt.Println(1)")
		before := read(t, path)
		if out, err := g.kernel("run", path, "-check").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if _, err := os.Stat(filepath.Join(g.home, "check.html")); err == nil || !bytes.Equal(before, read(t, path)) {
			t.Error("something was written")
		}
	})
	t.Run("a result that can't be written is said first", func(t *testing.T) {
		path := g.notebook(t, "nowhere", "%%\nos.WriteFile(\"ran\", nil, 0o600)")
		for _, out := range []string{filepath.Join(g.home, "none", "r.ipynb"), g.home} {
			text, err := g.kernel("run", "-out", out, path).CombinedOutput()
			if exitCode(err) != 1 || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), out) {
				t.Errorf("exit code %d\n%s", exitCode(err), text)
			}
		}
		must.Refuse(os.Stat(filepath.Join(g.home, "ran")))(t)
	})
	t.Run("standard input is at its end", func(t *testing.T) {
		path := g.notebook(t, "input", "%%\nn, err := os.Stdin.Read(make([]byte, 1))\nfmt.Println(n, err)",
			"%%\nvar x int\n_, err := fmt.Scan(&x)\nfmt.Println(err)", "!wc -c; echo $?", "%%bash\necho script")
		if out, err := g.kernel("run", "-timeout", "1m", path).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		nb := must.Get(ipynb.Read(path))(t)
		for i, want := range []string{"0 EOF\n", "EOF\n", "0\n0\n", "script\n"} {
			// A line of the kernel's own may say before it that cells have no input.
			if out := nb.Cells[i].Outputs; len(out) != 1 || !strings.HasSuffix(out[0].Text, want) {
				t.Errorf("cell %d: got %q, want %q", i+1, texts(out), want)
			}
		}
	})
	t.Run("interrupts while a cell compiles", func(t *testing.T) { testInterruptedBuild(t, g) })
	t.Run("parameters", func(t *testing.T) { testParameters(t, g) })
	t.Run("timeout", func(t *testing.T) {
		path := g.notebook(t, "slow", forever)
		out, err := g.kernel("run", "-timeout", "1500ms", path).CombinedOutput()
		if exitCode(err) != 1 || !strings.Contains(string(out),
			"took longer than 1.5s: raise it with -timeout; interrupted ") ||
			!strings.Contains(string(out), "run the cell again") {
			t.Errorf("exit code %d\n%s", exitCode(err), out)
		}
	})
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 130, syscall.SIGKILL: -1} {
		t.Run(sig.String(), func(t *testing.T) {
			path := g.notebook(t, "signal", "%%\nfmt.Println(1)", forever)
			before := read(t, path)
			cmd := g.kernel("run", path)
			out := must.Get(cmd.StdoutPipe())(t)
			must.Do(t, cmd.Start())
			text := make([]byte, 4096)
			for seen := ""; !strings.Contains(seen, "[1/2]"); { // the first cell is done, the second begins
				n, err := out.Read(text)
				if err != nil {
					t.Fatalf("%v after %q", err, seen)
				}
				seen += string(text[:n])
			}
			time.Sleep(500 * time.Millisecond)
			must.Do(t, cmd.Process.Signal(sig))
			must.Equal(t, exitCode(cmd.Wait()), want, "exit code")
			after := read(t, path)
			if changed := !bytes.Equal(before, after); changed == (sig == syscall.SIGKILL) {
				t.Errorf("the notebook changed: %v\n%s", changed, after)
			}
			if sig != syscall.SIGKILL && (!bytes.Contains(after, []byte(`"1\n"`)) ||
				!bytes.Contains(after, []byte("interrupted "))) {
				t.Errorf("the notebook has not what ran until then, or not where it ended:\n%s", after)
			}
			for range 2000 { // the supervisor takes a moment to tidy up
				if len(g.leftovers()) == 0 {
					return
				}
				time.Sleep(30 * time.Millisecond)
			}
			t.Errorf("left behind: %v", g.leftovers())
		})
	}
}

// texts are the texts of outputs.
func texts(outputs []*ipynb.Output) (all []string) {
	for _, out := range outputs {
		all = append(all, out.Text)
	}
	return all
}

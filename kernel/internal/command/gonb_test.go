package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// The patches are for the pinned release: each changes it.
func TestPatchesFit(t *testing.T) {
	co, err := findCheckout()
	if err != nil {
		t.Skip("no checkout: ", err)
	}
	dir := t.TempDir()
	if _, err := co.patched(context.Background(), dir, tools[0].module, tools[0].patches); err != nil {
		if strings.Contains(err.Error(), "go mod download") {
			t.Skip("no source of GoNB here: ", err)
		}
		t.Fatal(err)
	}
	for _, p := range tools[0].patches {
		text := string(read(t, filepath.Join(dir, "source", p.file)))
		must.Be(t, strings.Contains(text, p.new), "%s is unchanged", p.file)
	}
	wrong := patch{"main.go", "no such text", "x"}
	must.Err(t, wrong.apply(filepath.Join(dir, "source")), "another release")
}

func TestPatchTag(t *testing.T) {
	a, b := patchTag([]patch{{"f", "x", "y"}}), patchTag([]patch{{"f", "x", "z"}})
	must.Be(t, a != b && a != "" && patchTag(nil) == "", "tags %q, %q and %q", a, b, patchTag(nil))
}

// testInterruptedBuild interrupts cells whose compilation doesn't end.
func testInterruptedBuild(t *testing.T, g gonb) {
	gocmd := must.Get(exec.LookPath("go"))(t)
	bin, slow := t.TempDir(), filepath.Join(t.TempDir(), "slow")
	tools := strings.TrimSpace(string(must.Get(exec.Command(gocmd, "env", "GOTOOLDIR").Output())(t)))
	sleep := `[ -e ` + slow + ` ]; then echo $$ >` + slow + `; exec sleep 600; fi
`
	script(t, filepath.Join(bin, "go"), `if [ "$1" = build ] && `+sleep+
		`if [ "$2" = GOTOOLDIR ]; then `+gocmd+` "$@" | sed "1s|.*|`+bin+`|"; exit; fi
exec `+gocmd+` "$@"`)
	script(t, filepath.Join(bin, "compile"), "if "+sleep+"exec "+tools+`/compile "$@"`)
	must.Do(t, os.Symlink(filepath.Join(tools, "link"), filepath.Join(bin, "link")))
	// compiling waits for a compilation to begin, and returns its process.
	compiling := func(t *testing.T) int {
		t.Helper()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			data, _ := os.ReadFile(slow)
			if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
				return pid
			}
		}
		t.Error("no compilation began")
		return 0
	}
	const limit = 5 * time.Second // an interrupt takes milliseconds, the end of a kernel half a second
	path := bin + ":" + filepath.Join(g.home, "jupyter/kernels/expfam/bin") + ":" + os.Getenv("PATH")
	ofFrontEnd := func(t *testing.T, source string) {
		must.Do(t, os.WriteFile(slow, nil, 0o600))
		k := g.start(t, g.home, map[string]string{"PATH": path})
		type build struct {
			pid   int
			began time.Time
		}
		interrupted := make(chan build, 1)
		go func() {
			b := build{compiling(t), time.Now()}
			os.Remove(slow)
			err := k.Interrupt(context.Background())
			must.Be(t, err == nil, "%v", err)
			interrupted <- b
		}()
		run := runCell(t, k, source, "")
		b := <-interrupted
		if took := time.Since(b.began); run.reply.Status != "error" || took > limit {
			t.Errorf("status %s, %v after the interrupt", run.reply.Status, took)
		}
		must.Be(t, strings.Contains(run.reply.EValue+run.text("stderr"), "interrupted while the cell was compiled"),
			"got %+v", run.reply)
		awaitGone(t, "the compiler", b.pid, limit)
		must.Equal(t, runCell(t, k, "%%\nfmt.Println(2)", "").text("stdout"), "2\n", "the next cell")
	}
	t.Run("of a front end", func(t *testing.T) { ofFrontEnd(t, "%%\nfmt.Println(1)") })
	t.Run("of a front end, by the go command", func(t *testing.T) { ofFrontEnd(t, "!true\n%%\nfmt.Println(1)") })
	t.Run("of run", func(t *testing.T) {
		must.Do(t, os.WriteFile(slow, nil, 0o600))
		notebook := g.notebook(t, "compiling", "%%\nfmt.Println(1)")
		cmd := g.kernel("run", notebook)
		cmd.Env = append(cmd.Env, "PATH="+path)
		must.Do(t, cmd.Start())
		pid := compiling(t)
		os.Remove(slow)
		began := time.Now()
		cmd.Process.Signal(syscall.SIGINT)
		code := exitCode(cmd.Wait())
		must.Be(t, code == 130 && time.Since(began) <= limit, "exit code %d after %v", code, time.Since(began))
		awaitGone(t, "the compiler", pid, 0)
		left := g.leftovers()
		must.Be(t, len(left) <= 0, "left behind: %v", left)
	})
}

package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// With this variable set the test binary is a jupyter-lab: the variable names the folder in which it leaves a trace.
const asLab = "EXPFAM_TEST_AS_LAB"

// trace is what the fake jupyter-lab was started with, and the process that stands for its kernel.
type trace struct {
	Args          []string
	Token, Path   string
	Sockets       string
	Server, Child int
}

// fakeLab answers as a server with a token does. It ends at SIGTERM and leaves its kernel behind, which a real one
// doesn't.
func fakeLab(args []string) int {
	if slices.Contains(args, "--version") {
		fmt.Println("4.9.9")
		return 0
	}
	folder := os.Getenv(asLab)
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	kernel := exec.Command("sleep", "600")
	kernel.SysProcAttr = ownSession() // as Jupyter starts kernels
	if kernel.Start() != nil {
		return 3
	}
	token := os.Getenv(tokenEnv)
	data, err := json.Marshal(trace{args, token, os.Getenv("JUPYTER_PATH"), os.Getenv(runtimeEnv), os.Getpid(),
		kernel.Process.Pid})
	if err != nil || os.WriteFile(filepath.Join(folder, "trace.json"), data, 0o600) != nil {
		return 4
	}
	if _, err := os.Stat(filepath.Join(folder, "broken")); err == nil {
		return 5
	}
	var port string
	for _, arg := range args {
		if p, ok := strings.CutPrefix(arg, "--ServerApp.port="); ok {
			port = p
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return 6
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token "+token {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	<-end
	os.WriteFile(filepath.Join(folder, "terminated"), nil, 0o600)
	return 0
}

// roots are the folders that the server was told to show.
func roots(tr trace) (dirs []string) {
	for _, arg := range tr.Args {
		if dir, ok := strings.CutPrefix(arg, "--ServerApp.root_dir"); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// script writes an executable shell script.
func script(t *testing.T, path, body string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
}

// alive tells whether the process runs; a zombie doesn't.
func alive(pid int) bool {
	if p, err := os.FindProcess(pid); err != nil || runtime.GOOS != "windows" && p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// awaitGone fails the test if the process still runs after the time.
func awaitGone(t *testing.T, what string, pid int, limit time.Duration) {
	t.Helper()
	for end := time.Now().Add(limit); alive(pid); time.Sleep(20 * time.Millisecond) {
		must.Need(t, !time.Now().After(end), "%s (process %d) still runs after %v", what, pid, limit)
	}
}

// started reads what `expfam lab` prints until its URL, and returns that and all before it.
func started(t *testing.T, cmd *exec.Cmd) (url, printed string) {
	t.Helper()
	out := must.Get(cmd.StdoutPipe())(t)
	cmd.Stderr = os.Stderr
	must.Do(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		printed += lines.Text() + "\n"
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "http://127.0.0.1:") {
			go func() {
				for lines.Scan() {
				}
			}()
			return line, printed
		}
	}
	t.Fatalf("no URL in:\n%s", printed)
	return "", ""
}

// testLab starts the whole command with a fake JupyterLab on an installation with real GoNB.
func testLab(t *testing.T, g gonb) {
	jupyterlab := filepath.Join(g.home, "fake", "jupyter-lab")
	begin := func(t *testing.T, more ...string) (*exec.Cmd, string, trace) {
		t.Helper()
		folder := t.TempDir()
		script(t, jupyterlab, "export "+asLab+"="+folder+"\nexec "+g.self+` "$@"`)
		cmd := g.kernel(append([]string{"lab", "-jupyter", jupyterlab, "-port", "0", "-browser=false"}, more...)...)
		url, printed := started(t, cmd)
		var tr trace
		must.Do(t, json.Unmarshal(read(t, filepath.Join(folder, "trace.json")), &tr))
		must.Be(t, strings.HasSuffix(url, "/lab?token="+tr.Token), "the URL is %q, the token %q", url, tr.Token)
		t.Cleanup(func() {
			_, err := os.Stat(filepath.Join(folder, "terminated"))
			must.Be(t, err == nil, "the server was not asked to end")
		})
		return cmd, printed, tr
	}
	const limit = time.Minute // a server that ends at once takes milliseconds on an idle machine
	t.Run("Ctrl-C ends everything", func(t *testing.T) {
		kernelspec := filepath.Join(g.home, "jupyter/kernels/expfam/kernel.json")
		good := string(read(t, kernelspec))
		must.Do(t, os.WriteFile(kernelspec, []byte(`{"argv":["gonb"],"display_name":"stale"}`), 0o644))
		cmd, printed, tr := begin(t, "--", "--ServerApp.quit_button=False")
		must.Be(t, string(read(t, kernelspec)) == good && strings.Contains(printed, "kernel "+displayName),
			"the stale kernelspec stays; printed:\n%s", printed)
		must.Be(t, slices.Contains(tr.Args, "--ServerApp.ip=127.0.0.1") && slices.Contains(tr.Args, "--no-browser") &&
			tr.Args[len(tr.Args)-1] == "--ServerApp.quit_button=False",
			"arguments %q", tr.Args)
		if got := roots(tr); len(got) != 1 || filepath.Base(got[0]) != "notebooks" ||
			!strings.HasPrefix(tr.Path, g.home+"/jupyter") {
			t.Errorf("it shows %q, with JUPYTER_PATH %s", got, tr.Path)
		}
		info, err := os.Stat(tr.Sockets)
		must.Be(t, err == nil && info.Mode().Perm() == 0o700 && slices.Contains(tr.Args, transportFlag+"=ipc"),
			"sockets in %s: %v, %v; arguments %q", tr.Sockets, info, err, tr.Args)
		must.Be(t, !strings.Contains(strings.Join(tr.Args, " "), tr.Token) && len(tr.Token) >= 26,
			"token %q, arguments %q: everybody can read those", tr.Token, tr.Args)
		cmd.Process.Signal(os.Interrupt)
		must.Do(t, cmd.Wait(), "ended with")
		awaitGone(t, "the server", tr.Server, 0)
		awaitGone(t, "the kernel", tr.Child, 0)
	})
	t.Run("a kill ends everything", func(t *testing.T) {
		cmd, _, tr := begin(t, "--", "--ServerApp.root_dir=/elsewhere", "--log-level=INFO", transportFlag+"=tcp")
		if got := roots(tr); len(got) != 1 || got[0] != "=/elsewhere" || slices.Contains(tr.Args, "--log-level=WARN") ||
			slices.Contains(tr.Args, transportFlag+"=ipc") {
			t.Errorf("arguments %q: what is given after -- counts", tr.Args)
		}
		cmd.Process.Kill()
		cmd.Wait()
		awaitGone(t, "the server", tr.Server, limit)
		awaitGone(t, "the kernel", tr.Child, limit)
	})
	t.Run("tokens differ", func(t *testing.T) {
		first, _, one := begin(t)
		second, _, two := begin(t)
		must.Be(t, one.Token != two.Token, "twice %q", one.Token)
		for _, cmd := range []*exec.Cmd{first, second} {
			cmd.Process.Signal(syscall.SIGTERM)
			must.Do(t, cmd.Wait())
		}
	})
	t.Run("a server that fails is an error", func(t *testing.T) {
		folder := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(folder, "broken"), nil, 0o644))
		script(t, jupyterlab, "export "+asLab+"="+folder+"\nexec "+g.self+` "$@"`)
		out, err := g.kernel("lab", "-jupyter", jupyterlab, "-port", "0").CombinedOutput()
		must.Be(t, exitCode(err) == 1 && strings.Contains(string(out), "ended before it answered: exit status 5"),
			"%v\n%s", err, out)
	})
}

func TestFreePort(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	got, err := freePort(port)
	must.Be(t, port >= 65535 || err == nil && got > port, "%d is taken, got %d, %v", port, got, err)
	got, err = freePort(0)
	must.Be(t, err == nil && got != 0, "any: got %d, %v", got, err)
	must.Refuse(freePort(65536))(t)
}

func TestServeThatNeverAnswers(t *testing.T) {
	t.Setenv(asKernel, "1")
	in := &installer{co: checkout{dir: t.TempDir()}}
	pids := filepath.Join(t.TempDir(), "pid")
	mute := filepath.Join(t.TempDir(), "jupyter-lab")
	script(t, mute, "echo $$ >"+pids+".tmp; mv "+pids+".tmp "+pids+"; exec sleep 600")
	// nobody listens at port 1
	spec, folder := must.Get2(in.labSpec(jupyterLab{argv: []string{mute}}, 1, true, t.TempDir(), nil))(t)
	must.Be(t, folder == in.co.dir && !slices.Contains(spec.Argv, "--no-browser"),
		"without notebooks: folder %s, %q", folder, spec.Argv)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, spec, "http://127.0.0.1:1", "") }()
	for range 250 { // 5 s
		if _, err := os.Stat(pids); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	err := <-done
	must.Be(t, err == nil, "Ctrl-C while it starts: %v", err)
	pid := must.Get(strconv.Atoi(strings.TrimSpace(string(read(t, pids)))))(t)
	awaitGone(t, "the server", pid, 0)
}

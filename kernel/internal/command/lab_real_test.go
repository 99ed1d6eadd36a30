package command

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// testJupyterEnv, set to 1, allows a test to install JupyterLab from pip's index (170 MB).
const testJupyterEnv = "EXPFAM_TEST_JUPYTER"

// TestRealJupyterLab is `expfam lab` on a machine on which nothing was installed: in an empty home folder it has to
// come up with a server that lists the kernel, lets in those with the token only, serves ECharts and completes Go.
func TestRealJupyterLab(t *testing.T) {
	if os.Getenv(testJupyterEnv) != "1" {
		t.Skipf("installs JupyterLab from the network: set %s=1 to run this", testJupyterEnv)
	}
	g := emptyHome(t)
	cmd := g.kernel("lab", "-port", "0", "-browser=false")
	url, printed := started(t, cmd)
	t.Logf("printed:\n%s", printed)
	base, token, ok := strings.Cut(url, "/lab?token=")
	must.Need(t, ok, "no token in %s", url)
	get := func(t *testing.T, method, path, token, body string) (int, string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		req := must.Get(http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body)))(t)
		if token != "" {
			req.Header.Set("Authorization", "token "+token)
		}
		resp := must.Get(http.DefaultClient.Do(req))(t)
		defer resp.Body.Close()
		data := must.Get(io.ReadAll(resp.Body))(t)
		return resp.StatusCode, string(data)
	}
	t.Run("lists the kernel", func(t *testing.T) {
		status, body := get(t, http.MethodGet, "/api/kernelspecs", token, "")
		var specs struct {
			Kernelspecs map[string]struct{ Spec struct{ Argv []string } }
		}
		err := json.Unmarshal([]byte(body), &specs)
		must.Need(t, err == nil && status == http.StatusOK, "%d %v\n%s", status, err, body)
		argv := specs.Kernelspecs[kernelName].Spec.Argv
		must.Be(t, len(argv) >= 4 && argv[3] == filepath.Join(g.home, "jupyter/kernels/expfam/bin/gonb"),
			"got %s", body)
	})
	t.Run("refuses those without the token", func(t *testing.T) {
		for _, wrong := range []string{"", "x" + token} {
			status, body := get(t, http.MethodGet, "/api/kernelspecs", wrong, "")
			must.Be(t, status == http.StatusForbidden, "token %q: %d\n%s", wrong, status, body)
		}
	})
	t.Run("serves ECharts", func(t *testing.T) {
		status, body := get(t, http.MethodGet, "/lab/extensions/expfam-viz/"+echartsFile, "", "")
		must.Be(t, status == http.StatusOK &&
			body == string(read(t, filepath.Join(g.home, "jupyter/labextensions/expfam-viz", echartsFile))),
			"%d, %d bytes", status, len(body))
	})
	t.Run("shows the lessons", func(t *testing.T) {
		_, body := get(t, http.MethodGet, "/api/contents", token, "")
		must.Be(t, strings.Contains(body, `.ipynb"`), "got %s", body)
	})
	t.Run("completes", func(t *testing.T) { completes(t, g.start(t, g.home, nil)) })
	t.Run("doctor", func(t *testing.T) {
		out, _ := g.kernel("doctor").CombinedOutput()
		for _, want := range []string{"ok       JupyterLab     " + labVersion} {
			must.Be(t, strings.Contains(string(out), want), "no %q in:\n%s", want, out)
		}
	})
	t.Run("Ctrl-C ends everything", func(t *testing.T) {
		if status, body := get(t, http.MethodPost, "/api/kernels", token,
			`{"name":"expfam"}`); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		var pids []int
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			if pids = processes(g.home+"/jupyter/", cmd.Process.Pid); len(pids) >= 4 {
				// the server, the kernel, its supervisor, GoNB
				break
			}
			must.Need(t, !time.Now().After(end),
				"%d processes; a server, the kernel, its supervisor and GoNB should run", len(pids))
		}
		runtime := filepath.Join(g.home, "jupyter", "runtime")
		sockets, _ := filepath.Glob(filepath.Join(runtime, "kernel-*-ipc-[1-5]"))
		if info, err := os.Stat(runtime); err != nil || info.Mode().Perm() != 0o700 || len(sockets) != 5 {
			t.Errorf("%v, %v; sockets %q", info, err, sockets)
		}
		start := time.Now()
		cmd.Process.Signal(os.Interrupt)
		must.Do(t, cmd.Wait(), "ended with")
		t.Logf("ended in %.1f s", time.Since(start).Seconds())
		for _, pid := range pids {
			awaitGone(t, "a process of JupyterLab", pid, 0)
		}
	})
	t.Run("remove", func(t *testing.T) {
		out, err := g.kernel("install", "-remove").CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
		for _, name := range []string{"kernels/expfam", "labextensions", "expfam-lab"} {
			_, err := os.Stat(filepath.Join(g.home, "jupyter", name))
			must.Be(t, err != nil, "%s is still there", name)
		}
	})
}

// TestClients does what VS Code's Jupyter extension does by the packages of npm that it is made of: over sockets, and
// through a Jupyter server.
func TestClients(t *testing.T) {
	if os.Getenv(testJupyterEnv) != "1" {
		t.Skipf("installs packages of npm and JupyterLab from the network: set %s=1 to run this", testJupyterEnv)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("no npm: ", err)
	}
	g := installed(t)
	dir := t.TempDir()
	node := func(program string, args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, g.env
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%s %q: %v\n%s", program, args, err, out)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"allowScripts":{"zeromq":true}}`), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "clients.cjs"), read(t, "testdata/clients.cjs"), 0o600))
	node("npm", "install", "--no-audit", "--no-fund", "@jupyterlab/services@7.6.6", "ws@8.23.0", "zeromq@6.8.0")
	node("node", "clients.cjs", "zeromq", filepath.Join(g.home, "jupyter/kernels/expfam/kernel.json"))
	lab := g.kernel("lab", "-port", "0", "-browser=false")
	lab.Env = append(lab.Env, noInstallEnv+"=") // which fetches JupyterLab
	url, _ := started(t, lab)
	base, token, _ := strings.Cut(url, "/lab?token=")
	node("node", "clients.cjs", "server", base+"/", token)
}

// processes are those other than one whose command line has the text.
func processes(text string, but int) []int {
	var pids []int
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		data, err := os.ReadFile(name)
		pid, errPid := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && errPid == nil && pid != but && strings.Contains(string(data), text) && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestConformance runs what PyPI's jupyter_kernel_test asks of every kernel.
func TestConformance(t *testing.T) {
	if os.Getenv(testJupyterEnv) != "1" {
		t.Skipf("installs jupyter_kernel_test from the network: set %s=1 to run this", testJupyterEnv)
	}
	g := installed(t)
	python := filepath.Join(g.home, "python")
	for _, args := range [][]string{
		{"python3", "-m", "venv", python},
		{python + "/bin/pip", "install", "-q", "jupyter_kernel_test==0.7.0"},
		{python + "/bin/python", "testdata/conformance.py"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = g.env
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%q: %v\n%s", args, err, out)
	}
}

package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/front"
)

// TestMachine: what a hardened machine takes away is one sentence with what to do, in doctor and before a notebook
// runs.
func TestMachine(t *testing.T) {
	must.Do(t, fit())
	for _, c := range []struct{ name, value, says string }{
		{"TMPDIR", filepath.Join(t.TempDir(), "none"), "is not there: set TMPDIR to a folder in which programs may " +
			"run"},
		{"HOME", "relative", `HOME is "relative", which is no whole path`},
		{"TMPDIR", "relative", `temporary files is "relative", which is no whole path: set TMPDIR`},
		{"XDG_CACHE_HOME", "relative", `XDG_CACHE_HOME is "relative", which is no whole path`},
		{"JUPYTER_DATA_DIR", "./data", `JUPYTER_DATA_DIR is "./data", which is no whole path`},
		{"GOCACHE", "off", "GOCACHE is \"off\", which is no whole path, so that what is kept would be in another"},
		{"GOPATH", "go", "set it to a path from the root on, as by `export GOPATH=/home/NAME`"},
		{"GO111MODULE", "off", "GO111MODULE is off, with which Go does not find the modules"},
		{"GOFLAGS", "-v -mod=vendor", "GOFLAGS has -mod=vendor"},
		{"GOFLAGS", "--mod=vendor", "unset it for this command"},
		{"GOOS", "plan9", "GOOS is plan9, for which programs of cells are built and cannot run here"},
		{"GOARCH", "mips", "unset it for this command, as by `env GOARCH= ...`"},
		{front.MemoryEnv, "4G", `EXPFAM_CELL_MEMORY is "4G", which is no number of MiB: set it to one, such as 4096`},
		{"GOROOT", filepath.Join(t.TempDir(), "go"), "where there is no Go: unset it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			must.Err(t, fit(), c.says)
			must.Be(t, !strings.Contains(fit().Error(), "\n"), "%v", fit())
			must.Err(t, run(context.Background(), []string{"-check", "../../../deploy/share.ipynb"}), c.says)
		})
	}
	if runtime.GOOS == "linux" {
		if free, known := room(t.TempDir()); !known || free <= 0 {
			t.Errorf("%d bytes free, %v", free, known)
		}
	}
	const noexec = "/dev/shm" // mounted so on some machines
	if text, err := os.ReadFile("/proc/mounts"); err == nil {
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 3 && f[1] == noexec && strings.Contains(f[3], "noexec") {
				t.Setenv("TMPDIR", noexec)
				must.Err(t, fit(), "no program may run in /dev/shm, which is mounted with noexec")
			}
		}
	}
}

// TestGoRefuses: what Go says of an environment in which it does not run is part of the error, and doctor goes on.
func TestGoRefuses(t *testing.T) {
	t.Setenv("GOEXPERIMENT", "none-such")
	co := must.Get(findCheckout())(t)
	env, err := co.goEnv(t.Context())
	must.Err(t, err, "go env: exit status 2: go: unknown GOEXPERIMENT")
	must.Be(t, newSpec(co, env, "bin").Env["PATH"] != "", "no PATH")
}

// TestLimitOfAddresses: a limit in which Go's runtime cannot work is one sentence, where the runtime starts at all.
func TestLimitOfAddresses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ulimit -v is Linux's")
	}
	c := exec.Command("/bin/sh", "-c", "ulimit -v 1400000 && exec "+os.Args[0]+" doctor")
	c.Env = append(os.Environ(), asKernel+"=1")
	out, err := c.CombinedOutput()
	must.Err(t, err, "exit status 1")
	says := string(out)
	const want = "expfam: the limit of addresses, ulimit -v, is 1367 MB, and programs in Go need"
	must.Be(t, strings.HasPrefix(says, want) &&
		strings.Count(says, "\n") == 1, "%s", says)
}

// TestNoNotebook: what is no file is refused at once, and does not wait for what never comes.
func TestNoNotebook(t *testing.T) {
	for path, says := range map[string]string{"/dev/zero": "it is a device and no file", "/": "it is a folder and " +
		"no file"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		done := make(chan error, 1)
		go func() { _, err := readGo(path); done <- err }()
		select {
		case err := <-done:
			must.Err(t, err, says)
		case <-time.After(time.Minute):
			t.Fatalf("%s is read for ever", path)
		}
	}
	sparse := filepath.Join(t.TempDir(), "sparse.ipynb")
	file := must.Get(os.Create(sparse))(t)
	must.Do(t, file.Truncate(200<<30))
	must.Do(t, file.Close())
	_, err := readGo(sparse)
	must.Err(t, err, "it has 214748364800 bytes, and at most")
}

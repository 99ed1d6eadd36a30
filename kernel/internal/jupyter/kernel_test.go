package jupyter

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// The test binary is also the supervisor, the kernel and the parent of the process tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "supervise":
			os.Exit(Supervise(os.Args[2], os.Args[3:]))
		case "fake-kernel":
			os.Exit(fakeKernel(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

// fakeKernel is a kernel in a process of its own, which also starts a program, as GoNB does for a cell.
func fakeKernel(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 1
	}
	var conn Connection
	if json.Unmarshal(data, &conn) != nil {
		return 1
	}
	child := exec.Command("sleep", "600")
	if child.Start() != nil {
		return 1
	}
	os.WriteFile(filepath.Join(os.Getenv("PIDS"), "child"), []byte(strconv.Itoa(child.Process.Pid)), 0o600)
	os.WriteFile(filepath.Join(os.Getenv("PIDS"), "tmp"), []byte(os.Getenv("TMPDIR")), 0o600)
	_, ctx, err := startFake(conn, 0)
	if err != nil {
		return 1
	}
	<-ctx.Done()
	return 0
}

// startProcess starts the fake kernel and returns it, the pid of the program that it started and its TMPDIR.
func startProcess(t *testing.T) (*Kernel, int, string) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	pids := t.TempDir()
	k := must.Get(Start(soon(t), Spec{
		Argv:       []string{self, "fake-kernel", "{connection_file}"},
		Env:        map[string]string{"PIDS": pids},
		Supervisor: []string{self, "supervise"},
	}))(t)
	child := must.Get(os.ReadFile(filepath.Join(pids, "child")))(t)
	pid := must.Get(strconv.Atoi(string(child)))(t)
	tmp := must.Get(os.ReadFile(filepath.Join(pids, "tmp")))(t)
	return k, pid, string(tmp)
}

// gone waits until the process is dead (or a zombie that nobody has buried yet) and the folder removed.
func gone(t *testing.T, pid int, dir string) {
	t.Helper()
	for range 100 {
		_, err := os.Stat(dir)
		if !running(pid) && errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.Errorf("after 3 s: process %d running: %v; entries of %s: %v", pid, running(pid), dir, entries(dir))
}

func running(pid int) bool {
	if p, err := os.FindProcess(pid); err != nil || runtime.GOOS != "windows" && p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func entries(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	return names
}

func TestStartAndStop(t *testing.T) {
	k, pid, tmp := startProcess(t)
	must.Equal(t, tmp, k.TempDir())
	var out printed
	_, err := k.Execute(soon(t), "print a", out.handle)
	must.Be(t, err == nil && out.get() == "a", "printed %q, %v", out.get(), err)
	k.Stop()
	gone(t, pid, tmp)
}

func TestKernelProcessThatExits(t *testing.T) {
	k, pid, tmp := startProcess(t)
	_, err := k.Execute(soon(t), "exit", func(Message) {})
	k.Stop()
	if !errors.Is(err, ErrClosed) || !strings.Contains(k.Explain(err).Error(), "fatal: the fake kernel was told to") {
		t.Errorf("got %v", k.Explain(err))
	}
	gone(t, pid, tmp)
}

// What the operating system does when this process dies by any signal: it closes the pipe to the supervisor.
func TestKernelEndsWithItsParent(t *testing.T) {
	k, pid, tmp := startProcess(t)
	k.server.leash.Close()
	gone(t, pid, tmp)
	k.Stop()
}

func TestStartNamesWhatIsMissing(t *testing.T) {
	self := must.Get(os.Executable())(t)
	must.Refuse(Start(soon(t), Spec{Argv: []string{"/no/such/kernel"}, Supervisor: []string{self, "supervise"}}))(t,
		"/no/such/kernel: no such file")
}

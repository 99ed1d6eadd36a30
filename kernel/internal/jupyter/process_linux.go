package jupyter

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dieWithParent lets the kernel kill the command when the thread that started it ends.
func dieWithParent(cmd *exec.Cmd) { attributes(cmd).Pdeathsig = syscall.SIGKILL }

const prSetChildSubreaper = 36 // prctl(2)

// AdoptOrphans makes this process the parent of every descendant whose own parent ends, so that KillOrphans finds it.
func AdoptOrphans() { syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0) }

// KillOrphans kills all descendants of this process. A parent is killed before its children, which then are this
// process's own, so rounds are repeated until nothing is left. Two seconds suffice, unless a process starts new ones
// without end.
func KillOrphans() {
	for range 100 {
		children := childrenOf(os.Getpid())
		if len(children) == 0 {
			return
		}
		for _, pid := range children {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range children {
			syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// pid (name) state ppid ...: the name may itself hold spaces and parentheses.
		text := string(data)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			children = append(children, pid)
		}
	}
	return children
}

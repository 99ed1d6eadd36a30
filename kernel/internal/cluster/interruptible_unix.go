//go:build unix

package cluster

import (
	"os/exec"
	"syscall"
	"time"
)

// interruptible lets the end of its context interrupt the whole group of a process, so that cells keep their draws.
func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
}

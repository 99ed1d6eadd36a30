//go:build unix

package jupyter

import (
	"os/exec"
	"runtime"
	"syscall"
)

func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// detach puts the command into a process group of its own.
func detach(cmd *exec.Cmd) { attributes(cmd).Setpgid = true }

func killGroup(pgid int) { syscall.Kill(-pgid, syscall.SIGKILL) }

func lockThread() { runtime.LockOSThread() }

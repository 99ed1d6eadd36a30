package jupyter

import (
	"os/exec"
	"strconv"
	"syscall"
)

// detach puts the command into a process group of its own, which gets no Ctrl-C of this one's.
func detach(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// killGroup ends a process with those that it started: Windows has no groups of them.
func killGroup(pid int) { _ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() }

func lockThread() {}

// dieWithParent does nothing: Windows does not end a process with the one that started it.
func dieWithParent(*exec.Cmd) {}

// AdoptOrphans does nothing.
func AdoptOrphans() {}

// KillOrphans does nothing: [killGroup] has ended what a process started.
func KillOrphans() {}

package jupyter

import (
	"os/exec"
	"syscall"
)

// dieWithParent lets the kernel kill the command when the thread that started it ends.
func dieWithParent(cmd *exec.Cmd) {
	attributes(cmd).Pdeathsig = syscall.SIGKILL
}

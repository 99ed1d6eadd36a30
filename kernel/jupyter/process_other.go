//go:build unix && !linux

package jupyter

import "os/exec"

// dieWithParent does nothing where the system can't do it: the supervisor still ends the command when its own parent dies.
func dieWithParent(*exec.Cmd) {}

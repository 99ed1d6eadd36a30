//go:build unix && !linux

package jupyter

import "os/exec"

// dieWithParent does nothing where the system can't do it: the supervisor still ends the command when its own parent
// dies.
func dieWithParent(*exec.Cmd) {}

// AdoptOrphans and KillOrphans do nothing where a process can't become the parent of others: the group is killed, and a
// server ends its kernels itself.
func AdoptOrphans() {}
func KillOrphans()  {}

//go:build !unix

package cluster

import "os/exec"

// interruptible does nothing: the end of its context kills a process.
func interruptible(*exec.Cmd) {}

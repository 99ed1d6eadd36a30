//go:build unix

package cluster

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps a second watch from the folder until unlock is called. On file systems that have no locks it does nothing.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("another `expfam submit` watches this job (%s is locked): wait for that one", path)
	}
	return func() { f.Close() }, nil
}

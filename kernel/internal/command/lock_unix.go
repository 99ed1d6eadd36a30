//go:build unix

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// lock waits until no other process holds the lock in the file, and takes it. A file that can't be written, as in the
// installation of a container's image, needs no lock: no other process builds there either.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

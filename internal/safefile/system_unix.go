//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"io/fs"
	"os"
	"syscall"
)

// lock takes the lock of an open file, which goes with the process, and tells
// whether it got it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// own gives a file the owner and the group of another, as far as this process may.
func own(f *os.File, like fs.FileInfo) {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.Chown(int(want.Uid), int(want.Gid)) != nil {
		_ = f.Chown(-1, int(want.Gid))
	}
}

// duplicate opens an open file once more, with the same place in it.
func duplicate(fd int) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	n, err := syscall.Dup(fd)
	if err != nil {
		return nil, &os.PathError{Op: "dup", Path: "/dev/fd", Err: err}
	}
	syscall.CloseOnExec(n)
	return os.NewFile(uintptr(n), "/dev/fd"), nil
}

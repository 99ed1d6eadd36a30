//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// nonblock lets a pipe be opened without waiting for its other end.
const nonblock = syscall.O_NONBLOCK

// lock takes the lock of an open file, and reports whether it got it. The lock ends with the process.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }

// onDisk returns how many bytes of a file are on the disk, −1 if the system does not say it.
func onDisk(info fs.FileInfo) int64 {
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(of.Blocks) * 512
	}
	return -1
}

// reserve returns an error if the system has no memory for so many bytes, within the limits of this process.
func reserve(bytes int64) error {
	if bytes < 64<<20 {
		return nil
	}
	room, err := syscall.Mmap(-1, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return fmt.Errorf("it has %d bytes, for which there is no memory (%w); read it on a larger machine, or "+
			"raise the limit, as by `ulimit -v unlimited`", bytes, err)
	}
	return syscall.Munmap(room)
}

// mine reports whether a file is this user's.
func mine(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Getuid()
}

// own gives a file the owner and the group of another file, as far as this process may.
func own(f *os.File, like fs.FileInfo) {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.Chown(int(want.Uid), int(want.Gid)) != nil {
		_ = f.Chown(-1, int(want.Gid))
	}
}

// sameGroup reports whether files have the same group.
func sameGroup(a, b fs.FileInfo) bool {
	x, okX := a.Sys().(*syscall.Stat_t)
	y, okY := b.Sys().(*syscall.Stat_t)
	return okX && okY && x.Gid == y.Gid
}

// duplicate returns a second handle of an open file. Both share the position in the file.
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

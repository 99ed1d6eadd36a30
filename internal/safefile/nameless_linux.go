package safefile

import (
	"cmp"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nameless makes a file of a folder that has no name; it is gone when it is closed, unless [link] gave it one. nameless
// returns nil if the file system has no such files.
func nameless(dir string, perm fs.FileMode) *os.File {
	dir = cmp.Or(dir, ".")
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, uint32(perm.Perm()))
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), dir)
	if _, err := os.Stat(handle(f)); err != nil { // without /proc, no name can be given
		f.Close()
		return nil
	}
	return f
}

func handle(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// link gives a nameless file a name that is free.
func link(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, handle(f), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.PathError{Op: "link", Path: name, Err: err}
	}
	return nil
}

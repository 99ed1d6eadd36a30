package command

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// errorSharingViolation is what Windows says of a file that another process has open for itself.
const errorSharingViolation = syscall.Errno(32)

// lock waits until no other process holds the lock in the file, and takes it, by opening the file for itself. A file
// that can't be written needs no lock.
func lock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	for {
		h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
			syscall.FILE_ATTRIBUTE_NORMAL, 0)
		switch {
		case err == nil:
			return func() { syscall.CloseHandle(h) }, nil
		case errors.Is(err, fs.ErrPermission):
			return func() {}, nil
		case !errors.Is(err, errorSharingViolation):
			return nil, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

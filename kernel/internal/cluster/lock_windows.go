package cluster

import (
	"errors"
	"fmt"
	"syscall"
)

// errorSharingViolation is what Windows says of a file that another process has open for itself.
const errorSharingViolation = syscall.Errno(32)

// lock keeps a second watch from the folder until unlock is called.
func lock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, fmt.Errorf("another `expfam submit` watches this job (%s is locked): wait for that one", path)
	}
	if err != nil {
		return nil, err
	}
	return func() { syscall.CloseHandle(h) }, nil
}

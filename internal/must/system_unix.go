//go:build unix

package must

import "syscall"

// Fifo makes a named pipe.
func Fifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// FileLimit lets no file of this process grow beyond a size, and reports whether the system does so.
func FileLimit(bytes uint64) bool {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}) == nil
}

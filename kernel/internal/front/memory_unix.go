//go:build unix

package front

import "syscall"

// limitData limits the writable private memory of this process and of those that it starts.
func limitData(bytes uint64) bool {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes}) == nil
}

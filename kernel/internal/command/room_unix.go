//go:build linux || darwin

package command

import "syscall"

// room returns the bytes that a user may still write on the disk of a folder, if the system says them.
func room(dir string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// addressLimit returns the limit of the addresses of a process in bytes, and whether there is one.
func addressLimit() (limit int64, limited bool) {
	var of syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &of); err != nil || of.Cur > 1<<62 {
		return 0, false
	}
	return int64(of.Cur), true
}

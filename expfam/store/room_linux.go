package store

import "syscall"

// room returns how many bytes an unprivileged user may add to the file system of a folder.
func room(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return unknown
	}
	return int64(min(s.Bavail, uint64(unknown)/uint64(s.Bsize))) * int64(s.Bsize)
}

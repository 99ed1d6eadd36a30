//go:build linux || darwin

package keep

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// mapped returns the bytes of a file as memory that is read when it is used, and that is copied where it is changed.
func mapped(path string, size int) (unsafe.Pointer, error) {
	data, err := mapping(path, size, syscall.PROT_READ|syscall.PROT_WRITE)
	return unsafe.Pointer(unsafe.SliceData(data)), err
}

func mapping(path string, size, protection int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if about, err := f.Stat(); err != nil || about.Size() != int64(size) {
		return nil, errDamaged
	}
	return syscall.Mmap(int(f.Fd()), 0, size, protection, syscall.MAP_PRIVATE)
}

// unchanged reports whether a block is as the file is that it was mapped from.
func unchanged(folder string, b *block) bool {
	data, err := mapping(filepath.Join(folder, b.large), int(b.size()), syscall.PROT_READ)
	if err != nil {
		return false
	}
	defer syscall.Munmap(data)
	return bytes.Equal(data, bytesOf(b))
}

// freeBytes returns the free space of the disk of a folder; -1 if it is not known.
func freeBytes(folder string) int64 {
	var of syscall.Statfs_t
	if syscall.Statfs(folder, &of) != nil {
		return -1
	}
	return int64(of.Bavail) * int64(of.Bsize)
}

package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// target is the file that a path leads to after all symbolic links.
type target struct {
	path string
	old  fs.FileInfo // nil if there is no file yet
	// stream says that the target is written into and not replaced. It is a device, a pipe, or a file that
	// this process has open.
	stream bool
	opened bool // this process has the file open under the number fd
	fd     int
}

// maxLinks is the largest number of links that are followed, the same as in Linux.
const maxLinks = 40

// find follows the symbolic links of a path to its target. The target need not exist.
func find(path string) (target, error) {
	if path == "" {
		return target{}, errors.New("the name is empty; give one")
	}
	for range maxLinks {
		if fd, ok := descriptor(path); ok {
			return target{path: path, stream: true, opened: true, fd: fd}, nil
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target{path: path}, nil
		case err != nil:
			return target{}, err
		case info.Mode().IsRegular():
			return target{path: path, old: info}, nil
		case info.IsDir():
			return target{}, errors.New("it is a folder; give the name of a file in it")
		case info.Mode()&fs.ModeSymlink == 0:
			return target{path: path, stream: true}, nil
		}
		next, err := os.Readlink(path)
		if err != nil {
			return target{}, err
		}
		if !filepath.IsAbs(next) {
			// filepath.Join would be wrong here: it resolves ".." before the links in front of it.
			dir, _ := filepath.Split(path)
			next = dir + next
		}
		path = next
	}
	return target{}, fmt.Errorf("more than %d symbolic links one after another; they may lead in a circle", maxLinks)
}

// descriptors holds the folders in which a process finds the files that it has open.
var descriptors = []string{"/proc/self/fd", "/dev/fd"}

// descriptor returns the number of the open file that a path such as /proc/self/fd/1 names, if it is such a path.
// /dev/stdout links to such a path. If an open file were opened again by its name, it would be written from its
// start, and a socket could not be opened at all.
func descriptor(path string) (fd int, ok bool) {
	dir, base := filepath.Split(path)
	fd, err := strconv.Atoi(base)
	if err != nil || fd < 0 {
		return 0, false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return 0, false
	}
	for _, d := range descriptors {
		if own, err := filepath.EvalSymlinks(d); err == nil && own == real {
			return fd, true
		}
	}
	return 0, false
}

// open opens a stream for writing.
func (t target) open() (*os.File, error) {
	if t.opened {
		return duplicate(t.fd)
	}
	return os.OpenFile(t.path, os.O_WRONLY, 0)
}

// Streams reports whether [Write] would write into the target of path instead of replacing it. This holds for devices,
// pipes and files that this process has open.
func Streams(path string) bool {
	t, err := find(path)
	return err == nil && t.stream
}

package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// target is what a path leads to in the end.
type target struct {
	path string
	old  fs.FileInfo // nil if there is no file yet
	// stream says that it is no regular file to be replaced: a device, a pipe, or
	// open, a file that this process has open under the number in fd.
	stream bool
	opened bool
	fd     int
}

// maxLinks is where Linux gives up too.
const maxLinks = 40

// find follows symbolic links, the last of which may lead to nothing.
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
			// Not Join: it would resolve ".." before the links in front of it.
			dir, _ := filepath.Split(path)
			next = dir + next
		}
		path = next
	}
	return target{}, fmt.Errorf("more than %d symbolic links one after another; they may lead in a circle", maxLinks)
}

// descriptors are the folders in which a process finds the files that it has
// open.
var descriptors = []string{"/proc/self/fd", "/dev/fd"}

// descriptor is the number of an open file of this process, which is what
// /dev/stdout links to. Opened by its name once more, a file would be written
// from its start, and a socket not at all.
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

// open opens a stream.
func (t target) open() (*os.File, error) {
	if t.opened {
		return duplicate(t.fd)
	}
	return os.OpenFile(t.path, os.O_WRONLY, 0)
}

// Streams tells whether Write would write into what path leads to, a device, a
// pipe or a file that this process has open, instead of replacing a file.
func Streams(path string) bool {
	t, err := find(path)
	return err == nil && t.stream
}

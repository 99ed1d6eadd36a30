//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package safefile

import (
	"errors"
	"io/fs"
	"os"
)

// nonblock would let a file be opened without waiting; this system has no pipes among its files.
const nonblock = 0

// lock does nothing and returns true on this system. Only their age shows which files were left behind.
func lock(*os.File) bool { return true }

// own does nothing on this system.
func own(*os.File, fs.FileInfo) {}

// duplicate always fails on this system.
func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }

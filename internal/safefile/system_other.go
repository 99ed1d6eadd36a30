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

// mine returns false: without locks, nobody knows whether a file is still in use.
func mine(fs.FileInfo) bool { return false }

// own does nothing on this system.
func own(*os.File, fs.FileInfo) {}

// sameGroup returns true on this system, whose files have no groups.
func sameGroup(a, b fs.FileInfo) bool { return true }

// duplicate always fails on this system.
func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }

func onDisk(fs.FileInfo) int64 { return -1 }

func reserve(int64) error { return nil }

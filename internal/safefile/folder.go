package safefile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Folder makes a temporary folder for this user in dir, or in the system's folder for them if dir is "". It returns the
// path, which is name followed by a number, and a function that removes the folder. It first removes the folders of the
// same name that killed processes left in dir.
//
// A folder is locked as long as its process lives. Where the system has no locks, only remove removes a folder.
func Folder(dir, name string) (path string, remove func(), err error) {
	dir = cmp.Or(dir, os.TempDir())
	sweep(dir, name)
	for {
		if path, err = os.MkdirTemp(dir, name); err != nil {
			return "", nil, err
		}
		held, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) { // swept by another process before it was locked
			continue
		}
		if err != nil {
			return "", nil, errors.Join(err, os.Remove(path))
		}
		lock(held)
		if _, err := os.Stat(path); err != nil {
			held.Close()
			continue
		}
		return path, func() {
			os.RemoveAll(path)
			held.Close()
		}, nil
	}
}

// sweep removes the folders of a name that are this user's and whose processes have ended.
func sweep(dir, name string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		number, is := strings.CutPrefix(e.Name(), name)
		if _, err := strconv.ParseUint(number, 10, 64); !is || err != nil || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err != nil || !mine(info) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if f, err := os.Open(path); err == nil {
			if lock(f) {
				os.RemoveAll(path)
			}
			f.Close()
		}
	}
}

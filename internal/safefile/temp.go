package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"
)

// temporary matches the names of temporary files.
var temporary = regexp.MustCompile(`^\..+\.[0-9a-z]+\.tmp$`)

// longest is the number of bytes of a file's name that its temporary file takes over. File systems allow names of 255
// bytes.
const longest = 200

// create makes a temporary file for base and locks it for as long as it is open. The umask applies to perm.
func create(dir, base string, perm fs.FileMode) (f *os.File, err error) {
	_, err = named(dir, base, func(name string) error {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	lock(f)
	return f, nil
}

// named calls make with names of temporary files for base, until one is free.
func named(dir, base string, make func(name string) error) (name string, err error) {
	for len(base) > longest {
		_, last := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-last]
	}
	for {
		name := dir + "." + base + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
		err := make(name)
		switch {
		case err == nil:
			return name, nil
		case errors.Is(err, fs.ErrExist):
			continue
		case errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("the folder %s is not there; make it first", filepath.Clean(dir))
		}
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err // without the temporary name
		}
		return "", fmt.Errorf("no file can be made in the folder %s: %w", filepath.Clean(dir), err)
	}
}

// Try writes this number of bytes into a temporary file of a folder, and then removes the file.
func Try(dir string, bytes int64) error {
	f, err := create(dir+string(filepath.Separator), "try", 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, bytes))
	return errors.Join(err, f.Close())
}

// Stale reports whether a file of a folder is a temporary file that a killed process left behind. Nobody has
// locked such a file, and nobody has written to it for an hour. The hour is for file systems without locks.
func Stale(dir string, entry fs.DirEntry) bool {
	if !temporary.MatchString(entry.Name()) || !entry.Type().IsRegular() {
		return false
	}
	info, err := entry.Info()
	if err != nil || time.Since(info.ModTime()) < time.Hour {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, entry.Name()), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return lock(f)
}

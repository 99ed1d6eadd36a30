// Package safefile writes the files of all packages of this module. Libraries
// that replace files by renaming (google/renameio, natefinch/atomic) replace
// links and devices too.
package safefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes what write produces the content of a file.
//
// A regular file is replaced in one step, by renaming a temporary file of the
// same folder that was flushed to the disk: whoever reads path, after a crash as
// well, sees the old content or the new one, never a part. It keeps its
// permissions, and its owner where this process may give files away; a new file
// has those that the umask leaves. Another hard link to the file keeps the old
// content.
//
// A symbolic link stays, and the file that it leads to is written, there or not.
// Devices, pipes and /dev/stdout are written into. No temporary file is left
// after an error.
func Write(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	t, err := find(path)
	if err != nil {
		return err
	}
	if t.stream {
		return t.into(write)
	}
	return t.replace(write)
}

// into writes without a temporary file.
func (t target) into(write func(io.Writer) error) (err error) {
	f, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return buffered(f, write)
}

// replace puts a temporary file in the place of the target.
func (t target) replace(write func(io.Writer) error) (err error) {
	perm := fs.FileMode(0o666)
	if t.old != nil {
		perm = 0o600 // nobody else reads what is private before its mode is back
	}
	dir, base := filepath.Split(t.path)
	temp, err := create(dir, base, perm)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	if err := buffered(temp, write); err != nil {
		return err
	}
	if t.old != nil {
		own(temp, t.old)
		if err := temp.Chmod(t.old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), t.path); err != nil {
		return err
	}
	done = true
	// The rename lasts through a power cut once the folder is flushed; file
	// systems that can't do so still have a whole file.
	if d, err := os.Open(filepath.Dir(t.path)); err == nil {
		_ = d.Sync()
		d.Close()
	}
	return nil
}

func buffered(f *os.File, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(f, 1<<16)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

// Package safefile writes the files of all packages of this module. Other libraries that replace files by renaming
// (google/renameio, natefinch/atomic) would also replace links and devices.
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

// Write calls write and makes its output the content of the file at path.
//
// A regular file is replaced in one step: a temporary file in the same folder is flushed to the disk and renamed. On
// Linux it has no name before it is flushed. Whoever reads path, also after a crash, sees the old content or the new
// content, never a part. The file keeps its permissions, and its owner if this process may give files away. A new file
// has the permissions that the umask leaves. Another hard link to the file keeps the old content.
//
// A symbolic link stays a link, and the file that it leads to is written, whether it exists or not. Devices, pipes and
// /dev/stdout are written into. No temporary file is left after an error.
//
// A file that is made of other files is never more readable than these: of are their infos. It loses permissions that
// it already has and that they do not have.
func Write(path string, write func(io.Writer) error, of ...fs.FileInfo) (err error) {
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
	return t.replace(write, of)
}

// WriteFile writes data as [Write] does.
func WriteFile(path string, data []byte, of ...fs.FileInfo) error {
	return Write(path, func(w io.Writer) error { _, err := w.Write(data); return err }, of...)
}

// into writes into a stream, without a temporary file.
func (t target) into(write func(io.Writer) error) (err error) {
	f, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return buffered(f, write)
}

// replace puts a temporary file in the place of the target.
func (t target) replace(write func(io.Writer) error, of []fs.FileInfo) (err error) {
	perm := fs.FileMode(0o666)
	if t.old != nil {
		perm = 0o600 // a private file stays private until the old permissions are set
	}
	dir, base := filepath.Split(t.path)
	// Where the system can, the temporary file has no name until it is whole: whoever is killed leaves nothing behind.
	name, temp := "", nameless(dir, perm)
	if temp == nil {
		if temp, err = create(dir, base, perm); err != nil {
			return err
		}
		name = temp.Name()
	}
	done := false
	defer func() {
		if !done {
			temp.Close()
			if name != "" {
				os.Remove(name)
			}
		}
	}()
	if err := permit(temp, nil, of); err != nil {
		return err
	}
	if err := buffered(temp, write); err != nil {
		return err
	}
	if t.old != nil {
		own(temp, t.old)
		if err := permit(temp, t.old, of); err != nil {
			return err
		}
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if name == "" {
		if name, err = named(dir, base, func(name string) error { return link(temp, name) }); err != nil {
			return err
		}
	}
	if err := temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(name, t.path); err != nil {
		return err
	}
	done = true
	// Flushing the folder makes the rename survive a power cut. On file systems
	// that can't flush a folder the file is still whole.
	if d, err := os.Open(filepath.Dir(t.path)); err == nil {
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// permit gives a temporary file the permissions of the file that it replaces, as far as the files that it is made of
// have them. Without a file to replace, it keeps those that it has.
func permit(temp *os.File, old fs.FileInfo, of []fs.FileInfo) error {
	if old == nil && len(of) == 0 {
		return nil
	}
	info, err := temp.Stat()
	if err != nil {
		return err
	}
	if old == nil {
		old = info
	}
	return temp.Chmod(within(old.Mode().Perm(), info, of))
}

// buffered calls write with a buffer in front of f.
func buffered(f *os.File, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(f, 1<<16)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read returns the content of a regular file of at most max bytes. Anything else is an error at once: a pipe or a
// device could keep the reader waiting for ever, and a file that is larger than anybody would write there could fill
// the memory. A symbolic link is followed. The error satisfies errors.Is(err, fs.ErrNotExist) if there is no file,
// also behind a link.
func Read(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path) // devices may act when they are opened
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // it may be another file by now
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	if info.Size() > max {
		return nil, &LargeError{info.Size(), max}
	}
	if there := onDisk(info); info.Size() > 1<<30 && there >= 0 && there < info.Size()/64 {
		return nil, fmt.Errorf("it is a sparse file, %d bytes of which %d are on the disk, %w", info.Size(), there,
			ErrNotRegular)
	}
	if err := reserve(info.Size()); err != nil { // or the program would end with a trace
		return nil, err
	}
	raw := make([]byte, info.Size())
	if n, err := io.ReadFull(f, raw); err != nil {
		return nil, fmt.Errorf("it ends after %d of %d bytes: %w", n, len(raw), err)
	}
	return raw, nil
}

// LargeError is the error of a file that is larger than its reader takes.
type LargeError struct{ Size, Max int64 }

func (e *LargeError) Error() string {
	return fmt.Sprintf("it has %d bytes, and at most %d are read", e.Size, e.Max)
}

// ErrNotRegular is the error of something in the place of a file that is none. The text of the error says what it is.
var ErrNotRegular = errors.New("and no file")

// regular refuses what is no regular file, by its name.
func regular(info fs.FileInfo) error {
	what := "something else"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return fmt.Errorf("it is %s %w", what, ErrNotRegular)
}

// Within reports whether nobody may read or write a file who may not do so with all of the others.
func Within(info fs.FileInfo, of ...fs.FileInfo) bool {
	return within(info.Mode().Perm(), info, of) == info.Mode().Perm()
}

// within takes from permissions of a file what the other files do not have. Where the groups are different, the group
// of the file may do what all may do with the others.
func within(perm fs.FileMode, file fs.FileInfo, of []fs.FileInfo) fs.FileMode {
	for _, o := range of {
		may := o.Mode().Perm() | 0o600 // of the owner, who has read them
		if !sameGroup(file, o) {
			may &= 0o707 | may<<3
		}
		perm &= may
	}
	return perm
}

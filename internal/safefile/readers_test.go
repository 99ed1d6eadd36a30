//go:build unix

package safefile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A file that is made of others is never more readable than these, also where it was there before.
func TestReaders(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for _, c := range []struct {
		name string
		old  fs.FileMode // 0: there is none
		of   []fs.FileMode
		want fs.FileMode
	}{
		{"new", 0, nil, 0o644},
		{"private", 0, []fs.FileMode{0o600}, 0o600},
		{"a group's", 0, []fs.FileMode{0o640}, 0o640},
		{"a group that may write, which the umask forbids", 0, []fs.FileMode{0o660}, 0o640},
		{"public", 0, []fs.FileMode{0o644}, 0o644},
		{"read-only", 0, []fs.FileMode{0o444}, 0o644},
		{"a program", 0, []fs.FileMode{0o700}, 0o600},
		{"of several the most private", 0, []fs.FileMode{0o644, 0o600, 0o640}, 0o600},
		{"of several each", 0, []fs.FileMode{0o604, 0o640}, 0o600},
		{"a public file becomes private", 0o644, []fs.FileMode{0o600}, 0o600},
		{"a private file stays private", 0o600, []fs.FileMode{0o644}, 0o600},
		{"a public file becomes a group's", 0o664, []fs.FileMode{0o640}, 0o640},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var of []fs.FileInfo
			for i, mode := range c.of {
				path := filepath.Join(dir, "of"+string(rune('a'+i)))
				put(t, path, "x", mode)
				info := must.Get(os.Stat(path))(t)
				of = append(of, info)
			}
			path := filepath.Join(dir, "file")
			if c.old != 0 {
				put(t, path, "old", c.old)
			}
			err := Write(path, func(w io.Writer) error {
				entries, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
				for _, temp := range entries {
					must.Equal(t, must.Get(os.Stat(temp))(t).Mode().Perm()&^c.want, 0, "the temporary file has mode")
				}
				return err
			}, of...)
			info, errStat := os.Stat(path)
			must.Be(t, err == nil && errStat == nil && info.Mode() == c.want,
				"mode %v, want %v; %v %v", info.Mode(), c.want, err, errStat)
			must.Be(t, Within(info, of...), "it is not within the others")
		})
	}
}

// A group gets no more than all have with a file of another group.
func TestReadersOfAnotherGroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to other groups")
	}
	dir := t.TempDir()
	of := filepath.Join(dir, "of")
	put(t, of, "x", 0o640)
	if err := os.Chown(of, -1, 12345); err != nil {
		t.Skip(err)
	}
	info := must.Get(os.Stat(of))(t)
	path := filepath.Join(dir, "file")
	must.Do(t, Write(path, text("new"), info))
	must.Equal(t, must.Get(os.Stat(path))(t).Mode(), 0o600, "mode")
}

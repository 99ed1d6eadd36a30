package safefile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Folders of a killed process go when the next one is made; nothing else does.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	left, elsewhere := filepath.Join(dir, "x-17"), filepath.Join(t.TempDir(), "elsewhere")
	for _, path := range []string{left, filepath.Join(left, "deep"), elsewhere, filepath.Join(dir, "x-"),
		filepath.Join(dir, "x-notes"), filepath.Join(dir, "y-17")} {
		must.Do(t, os.Mkdir(path, 0o700))
	}
	put(t, filepath.Join(left, "deep", "file"), "of a killed process", 0o600)
	put(t, filepath.Join(dir, "x-18"), "a person's", 0o600)
	put(t, filepath.Join(elsewhere, "file"), "a person's", 0o600)
	if err := os.Symlink(elsewhere, filepath.Join(dir, "x-19")); err != nil {
		t.Skip(err)
	}
	first, removeFirst := must.Get2(Folder(dir, "x-"))(t)
	if !mine(must.Get(os.Stat(first))(t)) {
		t.Skip("nothing is swept on this system")
	}
	second, removeSecond := must.Get2(Folder(dir, "x-"))(t)
	names := []string{filepath.Base(first), filepath.Base(second), "x-", "x-18", "x-19", "x-notes", "y-17"}
	slices.Sort(names)
	alone(t, dir, names...)
	holds(t, filepath.Join(elsewhere, "file"), "a person's")
	must.Equal(t, must.Get(os.Stat(first))(t).Mode().Perm(), 0o700, "mode")
	removeFirst()
	removeSecond()
	alone(t, dir, "x-", "x-18", "x-19", "x-notes", "y-17")
	must.Refuse2(Folder(filepath.Join(dir, "none"), "x-"))(t)
}

package safefile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Folders of a killed process go when the next one is made; nothing else does.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	left, elsewhere := filepath.Join(dir, "x-17"), filepath.Join(t.TempDir(), "elsewhere")
	for _, path := range []string{left, filepath.Join(left, "deep"), elsewhere, filepath.Join(dir, "x-"),
		filepath.Join(dir, "x-notes"), filepath.Join(dir, "y-17")} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(left, "deep", "file"), "of a killed process", 0o600)
	put(t, filepath.Join(dir, "x-18"), "a person's", 0o600)
	put(t, filepath.Join(elsewhere, "file"), "a person's", 0o600)
	if err := os.Symlink(elsewhere, filepath.Join(dir, "x-19")); err != nil {
		t.Skip(err)
	}
	first, removeFirst, err := Folder(dir, "x-")
	if err != nil {
		t.Fatal(err)
	}
	if !mine(must(os.Stat(first))) {
		t.Skip("nothing is swept on this system")
	}
	second, removeSecond, err := Folder(dir, "x-")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{filepath.Base(first), filepath.Base(second), "x-", "x-18", "x-19", "x-notes", "y-17"}
	slices.Sort(names)
	alone(t, dir, names...)
	holds(t, filepath.Join(elsewhere, "file"), "a person's")
	if info := must(os.Stat(first)); info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	removeFirst()
	removeSecond()
	alone(t, dir, "x-", "x-18", "x-19", "x-notes", "y-17")
	if _, _, err := Folder(filepath.Join(dir, "none"), "x-"); err == nil {
		t.Error("no error without the folder around it")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

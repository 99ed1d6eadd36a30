package ipynb

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nb.ipynb")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.ipynb")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "new" {
		t.Errorf("content %q, %v", data, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the symbolic link was replaced by a file")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v", info.Mode())
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files, want the notebook and the link", len(entries))
	}
}

func TestWriteFileLeavesEqualContentAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nb.ipynb")
	if err := WriteFile(path, []byte("same")); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("same")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) < time.Minute {
		t.Error("the file was written again")
	}
}

// A pipe is written into, and not read to see whether it has the content already.
func TestWriteFileIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nb.ipynb")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(path)
		read <- string(data)
	}()
	if err := WriteFile(path, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "through" {
		t.Errorf("read %q", got)
	}
}

func TestWriteFileNamesThePath(t *testing.T) {
	if err := WriteFile(filepath.Join(t.TempDir(), "no", "such.ipynb"), nil); err == nil {
		t.Error("no error")
	}
}

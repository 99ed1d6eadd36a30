package ipynb

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nb.ipynb")
	must.Do(t, os.WriteFile(path, []byte("old"), 0o640))
	link := filepath.Join(dir, "link.ipynb")
	must.Do(t, os.Symlink(path, link))
	must.Do(t, WriteFile(link, []byte("new")))
	data, err := os.ReadFile(path)
	must.Be(t, err == nil && string(data) == "new", "content %q, %v", data, err)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the symbolic link was replaced by a file")
	}
	must.Equal(t, must.Get(os.Stat(path))(t).Mode().Perm(), 0o640, "permissions")
	entries, err := os.ReadDir(dir)
	must.Be(t, err == nil && len(entries) == 2, "%d files, want the notebook and the link", len(entries))
}

func TestWriteFileLeavesEqualContentAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nb.ipynb")
	must.Do(t, WriteFile(path, []byte("same")))
	long := time.Now().Add(-time.Hour)
	must.Do(t, os.Chtimes(path, long, long))
	must.Do(t, WriteFile(path, []byte("same")))
	info, err := os.Stat(path)
	must.Be(t, err == nil && time.Since(info.ModTime()) >= time.Minute, "the file was written again")
}

// A pipe is written into, and not read to see whether it has the content already.
func TestWriteFileIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nb.ipynb")
	if err := must.Fifo(path); err != nil {
		t.Skip(err)
	}
	read := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(path)
		read <- string(data)
	}()
	must.Do(t, WriteFile(path, []byte("through")))
	must.Equal(t, <-read, "through", "read")
}

func TestWriteFileNamesThePath(t *testing.T) {
	must.Err(t, WriteFile(filepath.Join(t.TempDir(), "no", "such.ipynb"), nil))
}

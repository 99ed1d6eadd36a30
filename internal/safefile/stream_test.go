//go:build unix

package safefile

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

func TestUmaskOfNewFiles(t *testing.T) {
	for _, c := range []struct {
		umask int
		want  fs.FileMode
	}{{0o077, 0o600}, {0o022, 0o644}, {0o002, 0o664}, {0o027, 0o640}} {
		path := filepath.Join(t.TempDir(), "f")
		before := syscall.Umask(c.umask)
		err := Write(path, text("x"))
		syscall.Umask(before)
		if info, errStat := os.Stat(path); err != nil || errStat != nil || info.Mode() != c.want {
			t.Errorf("umask %03o: mode %v, want %v; %v", c.umask, info.Mode(), c.want, err)
		}
	}
}

func TestPipesAndDevices(t *testing.T) {
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := must.Fifo(fifo); err != nil {
		t.Skip(err)
	}
	must.Do(t, os.Symlink("fifo", link))
	for _, path := range []string{fifo, link} {
		read := make(chan string)
		go func() {
			data, _ := os.ReadFile(fifo)
			read <- string(data)
		}()
		must.Do(t, Write(path, text("through")))
		must.Equal(t, <-read, "through", "read")
		info, err := os.Lstat(fifo)
		must.Be(t, err == nil && info.Mode()&fs.ModeNamedPipe != 0, "the pipe is a %v", info.Mode())
	}
	must.Do(t, Write(os.DevNull, text("x")))
	info, err := os.Stat(os.DevNull)
	must.Be(t, err == nil && info.Mode()&fs.ModeDevice != 0, "%s is a %v", os.DevNull, info.Mode())
	alone(t, dir, "fifo", "link")
	for path, want := range map[string]bool{fifo: true, link: true, os.DevNull: true, dir: false,
		filepath.Join(dir, "new"): false} {
		must.Equal(t, Streams(path), want, "Streams", path, !want)
	}
}

func TestFullDevice(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	must.Err(t, Write(full, text("x")))
}

// What was written to standard output before and after stays there, whatever it is.
func TestStandardOutput(t *testing.T) {
	if _, err := os.Lstat("/dev/stdout"); err != nil {
		t.Skip(err)
	}
	const want = "before content after"
	for _, path := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		t.Run("pipe"+path, func(t *testing.T) { must.Equal(t, string(must.Get(child(t, path).Output())(t)), want) })
		t.Run("file"+path, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "out")
			f := must.Get(os.Create(name))(t)
			defer f.Close()
			cmd := child(t, path)
			cmd.Stdout = f
			must.Do(t, cmd.Run())
			holds(t, name, want)
		})
		t.Run("socket"+path, func(t *testing.T) {
			pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				t.Skip(err)
			}
			near, far := os.NewFile(uintptr(pair[0]), "near"), os.NewFile(uintptr(pair[1]), "far")
			defer near.Close()
			cmd := child(t, path)
			cmd.Stdout = far
			err = cmd.Run()
			far.Close()
			var got bytes.Buffer
			io.Copy(&got, near)
			must.Be(t, err == nil && got.String() == want, "%q, %v", got.String(), err)
		})
	}
}

// Only what a killed process left an hour ago is stale.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	stale := func() (names []string) {
		t.Helper()
		entries := must.Get(os.ReadDir(dir))(t)
		for _, e := range entries {
			if Stale(dir, e) {
				names = append(names, e.Name())
			}
		}
		return names
	}
	age := func() {
		entries, _ := os.ReadDir(dir)
		long := time.Now().Add(-2 * time.Hour)
		for _, e := range entries {
			must.Do(t, os.Chtimes(filepath.Join(dir, e.Name()), long, long))
		}
	}
	put(t, filepath.Join(dir, "f"), "old", 0o600)
	put(t, filepath.Join(dir, ".hidden.tmp"), "a person's", 0o600)
	put(t, filepath.Join(dir, ".f.abc12.tmp"), "of a killed writer", 0o600) // as where files cannot be without a name
	names := stale()
	must.Be(t, len(names) <= 0, "%q is stale at once", names)
	age()
	must.Equal(t, len(stale()), 1, "stale after two hours")
	err := Write(filepath.Join(dir, "g"), func(io.Writer) error {
		age()
		must.Equal(t, len(stale()), 1, "stale while another file is written")
		return nil
	})
	must.Be(t, err == nil, "%v", err)
}

package safefile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func put(t *testing.T, path, s string, mode fs.FileMode) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(s), 0o600))
	must.Do(t, os.Chmod(path, mode))
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	must.Equal(t, string(must.Get(os.ReadFile(path))(t)), want, filepath.Base(path), "holds")
}

// alone fails if a folder has anything but these names.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	must.Equal(t, strings.Join(got, " "), strings.Join(names, " "), "the folder", got, names)
}

func TestModesAreKept(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o664, 0o400, 0o755} {
		t.Run(mode.String(), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			put(t, path, "old", mode)
			must.Do(t, Write(path, text("new")))
			must.Equal(t, must.Get(os.Stat(path))(t).Mode(), mode, "mode")
			holds(t, path, "new")
			alone(t, dir, "f")
		})
	}
}

func TestSymbolicLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"here", "there", "there/deep"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, d), 0o755))
	}
	link := func(to, name string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.Symlink(to, path))
		return path
	}
	put(t, filepath.Join(dir, "there/file"), "old", 0o640)
	link("there/deep", "folder") // the ".." of a link in it is there, not here
	for _, c := range []struct{ name, link, target string }{
		{"relative", link("../there/file", "here/a"), "there/file"},
		{"absolute", link(filepath.Join(dir, "there/file"), "here/b"), "there/file"},
		{"link to a link", link("b", "here/c"), "there/file"},
		{"dangling", link("../there/new", "here/d"), "there/new"},
		{"in a linked folder", link("../other", "there/deep/e"), "there/other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.link
			if c.name == "in a linked folder" {
				path = filepath.Join(dir, "folder/e")
			}
			must.Do(t, Write(path, text(c.name)))
			info, err := os.Lstat(c.link)
			must.Be(t, err == nil && info.Mode()&fs.ModeSymlink != 0, "the link is gone: %v", err)
			holds(t, filepath.Join(dir, c.target), c.name)
		})
	}
	info, err := os.Stat(filepath.Join(dir, "there/file"))
	must.Be(t, err == nil && info.Mode() == 0o640, "mode %v of the target, want 0640", info.Mode())
	alone(t, filepath.Join(dir, "there"), "deep", "file", "new", "other")
}

func TestWhatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "content", 0o644)
	os.Symlink("circle", filepath.Join(dir, "circle"))
	os.Symlink("two", filepath.Join(dir, "one"))
	os.Symlink("one", filepath.Join(dir, "two"))
	for _, c := range []struct{ name, path, want string }{
		{"a folder that is missing", "none/f", "the folder " + filepath.Join(dir, "none") +
			" is not there; make it first"},
		{"a folder", ".", "it is a folder"},
		{"a file as folder", "file/f", "not a directory"},
		{"a link to itself", "circle", "circle"},
		{"two links in a circle", "one", "circle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.path)
			err := Write(path, text("x"))
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) &&
				strings.HasPrefix(err.Error(), "write "+path+": "),
				"error %v, want %q in it", err, c.want)
		})
	}
	must.Err(t, Write("", text("x")))
	alone(t, dir, "circle", "file", "one", "two")
}

func TestFailureKeepsTheOld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, "old", 0o644)
	failed := errors.New("half way")
	half := func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<17)); err != nil {
			return err
		}
		return failed
	}
	err := Write(path, half)
	must.Be(t, errors.Is(err, failed), "error %v", err)
	func() {
		defer func() { recover() }()
		_ = Write(path, func(io.Writer) error { panic("half way") })
	}()
	holds(t, path, "old")
	alone(t, dir, "f")
}

func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("é", 127) // 254 bytes
	must.Do(t, Write(filepath.Join(dir, name), text("x")))
	alone(t, dir, name)
}

// The test's program stands in for one that is killed while it writes, or whose
// standard output is a pipe, a file or a device.
func TestMain(m *testing.M) {
	switch path := os.Getenv("EXPFAM_TEST_WRITE"); {
	case path == "":
		os.Exit(m.Run())
	case os.Getenv("EXPFAM_TEST_HANG") != "":
		_ = Write(path, func(w io.Writer) error {
			w.Write(make([]byte, 1<<17))
			os.Stdout.WriteString("half\n")
			select {}
		})
	default:
		os.Stdout.WriteString("before ")
		if err := Write(path, text("content")); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString(" after")
	}
}

func child(t *testing.T, path string, env ...string) *exec.Cmd {
	t.Helper()
	self := must.Get(os.Executable())(t)
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "EXPFAM_TEST_WRITE="+path), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// killed starts a process that writes a file, and kills it half way.
func killed(t *testing.T, path string) {
	t.Helper()
	cmd := child(t, path, "EXPFAM_TEST_HANG=1")
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must.Need(t, line == "half\n", "%q, %v", line, err)
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
}

func TestKilledWriterLeavesTheOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	put(t, path, "old", 0o600)
	killed(t, path)
	holds(t, path, "old")
	if runtime.GOOS == "linux" {
		alone(t, filepath.Dir(path), "f")
	}
	must.Do(t, Write(path, text("new")))
	holds(t, path, "new")
}

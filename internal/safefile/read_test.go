//go:build unix

package safefile

import (
	"errors"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Only regular files are read, and nothing is waited for.
func TestReadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(at("file"), []byte("four"), 0o600))
	must.Do(t, os.Symlink("file", at("link")))
	must.Do(t, os.Symlink("nothing", at("dangling")))
	must.Do(t, os.Symlink("circle", at("circle")))
	must.Do(t, os.Symlink("/dev/zero", at("to a device")))
	must.Do(t, os.Mkdir(at("folder"), 0o700))
	must.Do(t, must.Fifo(at("pipe")))
	must.Do(t, os.Symlink("pipe", at("to a pipe")))
	t.Chdir(dir) // names of sockets are short
	l, err := net.Listen("unix", "socket")
	must.Do(t, err)
	defer l.Close()
	for name, want := range map[string]string{
		"folder": "it is a folder and no file", "pipe": "it is a pipe and no file",
		"to a pipe":   "it is a pipe and no file",
		"to a device": "it is a device and no file", "/dev/null": "it is a device and no file",
		"socket":   "it is a socket and no file",
		"dangling": "no such file", "nothing": "no such file", "circle": "too many levels",
	} {
		path := name
		if !filepath.IsAbs(name) {
			path = at(name)
		}
		_, err := Read(path, 100)
		must.Err(t, err, want)
		if absent := want == "no such file"; errors.Is(err, fs.ErrNotExist) != absent || errors.Is(err,
			ErrNotRegular) != strings.Contains(want, "and no file") {
			t.Errorf("%s: the kind of the error %v is wrong", name, err)
		}
	}
	for _, name := range []string{"file", "link"} {
		raw, err := Read(at(name), 4)
		must.Be(t, string(raw) == "four" && err == nil, "%s: %q, %v", name, raw, err)
	}
	var large *LargeError
	_, err = Read(at("file"), 3)
	must.Be(t, errors.As(err, &large), "a file above the bound: error %v", err)
}

// A file whose bytes are nearly all on no disk is refused before its size is taken for memory.
func TestSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	file := must.Get(os.Create(path))(t)
	must.Do(t, file.Truncate(200<<30))
	must.Do(t, file.Close())
	_, err := Read(path, math.MaxInt64)
	must.Be(t, errors.Is(err, ErrNotRegular), "%v", err)
	must.Err(t, err, "it is a sparse file, 214748364800 bytes of which")
}

// TestReserve: what no memory can hold is one sentence, and not the end of the program.
func TestReserve(t *testing.T) {
	if nonblock == 0 {
		t.Skip("this system does not say it")
	}
	must.Do(t, reserve(1<<20))
	must.Do(t, reserve(100<<20))
	must.Err(t, reserve(1<<55), "it has 36028797018963968 bytes, for which there is no memory")
}

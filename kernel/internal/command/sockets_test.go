package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The sockets of kernels are in Jupyter's own folder if that can be, and always in a folder that only its owner may
// enter.
func TestSocketFolder(t *testing.T) {
	short, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	long := filepath.Join(t.TempDir(), strings.Repeat("a-folder-with-a-long-name/", 3))
	file := filepath.Join(short, "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	open := filepath.Join(short, "open")
	must.Do(t, os.Mkdir(open, 0o755))
	for _, c := range []struct {
		name, data, runtime, tmp, want string // want is a folder, or the beginning of the name of a temporary one
	}{
		{"Jupyter's own", filepath.Join(short, "data"), "", short, filepath.Join(short, "data", "runtime")},
		{"one that is named", short, filepath.Join(short, "named"), short, filepath.Join(short, "named")},
		{"one that is open to others", short, open, short, open},
		{"a long home", long, "", short, filepath.Join(short, "expfam-run-")},
		{"a long name", short, long, short, filepath.Join(short, "expfam-run-")},
		{"a long folder for temporary files as well", long, "", long, "/tmp/expfam-run-"},
		{"a file in its place", short, file, short, filepath.Join(short, "expfam-run-")},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.MkdirAll(c.tmp, 0o700)
			t.Setenv("JUPYTER_DATA_DIR", c.data)
			t.Setenv(runtimeEnv, c.runtime)
			t.Setenv("TMPDIR", c.tmp)
			dir, remove := must.Get2(socketFolder())(t)
			temporary := strings.HasSuffix(c.want, "-")
			must.Be(t, strings.HasPrefix(dir, c.want) && (temporary || dir == c.want), "%s, want %s", dir, c.want)
			must.Equal(t, must.Get(os.Stat(dir))(t).Mode().Perm(), 0o700, dir)
			remove()
			_, err := os.Stat(dir)
			must.Be(t, (err != nil) == temporary, "after the end: %v", err)
		})
	}
}

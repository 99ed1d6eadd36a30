package storetest

import (
	"bytes"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// kinds holds the kinds of the library's entries.
var kinds = []string{"posterior", "draws", "longest", "network", "training", "field"}

// broken holds stores that can't be written, most of them not even by root.
var broken = []struct {
	name string
	make func(t *testing.T) string // the store's folder
}{
	{"a file in its place", func(t *testing.T) string { return file(t, t.TempDir(), "store") }},
	{"a folder below a file", func(t *testing.T) string {
		return filepath.Join(file(t, t.TempDir(), "file"), "store")
	}},
	{"files in the place of its folders", func(t *testing.T) string {
		dir := t.TempDir()
		for _, kind := range kinds {
			file(t, dir, kind)
		}
		return dir
	}},
	{"a folder that is read-only", func(t *testing.T) string {
		dir := t.TempDir()
		must.Do(t, os.Chmod(dir, 0o555))
		t.Cleanup(func() { os.Chmod(dir, 0o755) })
		if f, err := os.Create(filepath.Join(dir, "try")); err == nil {
			f.Close()
			t.Skip("this user may write into every folder")
		}
		return dir
	}},
}

func file(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.WriteFile(path, []byte("no folder"), 0o644))
	return path
}

// Broken runs a test with each kind of store that can't be written, and with one on a disk
// that is full. The buffer that the test gets holds what was logged so far.
func Broken(t *testing.T, test func(t *testing.T, log *bytes.Buffer)) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			t.Setenv("EXPFAM_STORE", b.make(t))
			test(t, Logged(t))
		})
	}
	t.Run("a full disk", func(t *testing.T) {
		full(t, func() {
			t.Setenv("EXPFAM_STORE", t.TempDir())
			test(t, Logged(t))
		})
	})
}

// Logged returns a buffer that collects what is logged during a test.
func Logged(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

// fullEnv is set in the process in which full runs the rest of a test.
const fullEnv = "EXPFAM_TEST_FULL"

// full runs the rest of a test in another process, in which no file can be longer than a few bytes. In this process,
// Go's own record of the files that a test opens would not survive that limit.
func full(t *testing.T, rest func()) {
	if os.Getenv(fullEnv) != "" {
		if err := limitFiles(64); err != nil {
			t.Skip(err)
		}
		defer limitFiles(math.MaxUint64) // a record of coverage is written at the end
		rest()
		return
	}
	self, err := os.Executable()
	must.Do(t, err)
	parts := strings.Split(t.Name(), "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	cmd := exec.Command(self, "-test.v", "-test.run", strings.Join(parts, "/"))
	cmd.Env = append(os.Environ(), fullEnv+"=1")
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skip("this system bounds no files")
	case !bytes.Contains(out, []byte("--- PASS: "+t.Name())):
		t.Errorf("the test did not run:\n%s", out)
	}
}

// Damage changes a byte in the middle of a file.
func Damage(t *testing.T, path string) {
	t.Helper()
	raw := must.Get(os.ReadFile(path))(t)
	raw[len(raw)*3/4] ^= 0x40
	must.Do(t, os.WriteFile(path, raw, 0o644))
}

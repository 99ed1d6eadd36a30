package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

func TestOnnxUsableRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	must.Do(t, os.WriteFile(text, []byte("not a library"), 0o600))
	self, err := os.Executable() // an ELF file, but no ONNX Runtime
	must.Do(t, err)
	for name, path := range map[string]string{"missing": filepath.Join(dir, "none"), "no library": text,
		"another program": self} {
		t.Run(name, func(t *testing.T) { must.Refuse(onnxUsable(path))(t) })
	}
}

// Where the library is, what its symbols say about its version must be what it says itself when loaded.
func TestOnnxVersion(t *testing.T) {
	path := os.Getenv(onnxEnv)
	if path == "" {
		var err error
		if path, err = onnxPath(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("no ONNX Runtime on this machine: ", err)
	}
	symbols := must.Get(onnxUsable(path))(t)
	loaded := must.Get(probeOnnx(context.Background(), path))(t)
	must.Equal(t, symbols, loaded, "symbols say", "the library says")
}

// A damaged library is reported and not replaced, and nothing is fetched when that is forbidden.
func TestPutOnnx(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv(onnxEnv, "")
	t.Setenv("LD_LIBRARY_PATH", "")
	t.Setenv(noInstallEnv, "1")
	target := must.Get(onnxPath())(t)
	must.Need(t, strings.HasPrefix(target, home), "target %s", target)
	if onnxElsewhere() == "" {
		must.Refuse(onnxPart.put(context.Background(), target))(t, noInstallEnv)
	}
	must.Do(t, os.MkdirAll(filepath.Dir(target), 0o755))
	must.Do(t, os.WriteFile(target, []byte("damaged"), 0o644))
	_, _, done, err := onnxPart.state(record{})
	must.Err(t, err, "remove it")
	must.Be(t, !done, "a damaged file is in place")
}

// A download with another hash is an end: nothing is installed, and nobody else is asked for it.
func TestPutOnnxChecksItsDownload(t *testing.T) {
	from, ok := pinned(onnxPackage, system)
	if !ok {
		t.Skip("no package for this system")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv(onnxEnv, "")
	t.Setenv("LD_LIBRARY_PATH", "")
	t.Setenv(noInstallEnv, "")
	if path := onnxElsewhere(); path != "" {
		t.Skip("this machine has one: ", path)
	}
	files := map[string][]byte{}
	asked := fakeRegistry(t, files)
	target := must.Get(onnxPath())(t)
	for _, c := range []struct {
		name, want string
		requests   int
	}{
		{"not there", "404", 1},
		{"another hash", "nothing was installed", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			before := *asked
			_, err := onnxPart.put(ctx, target)
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "\n") &&
				ctx.Err() == nil,
				"got %v, want %q in it", err, c.want)
			must.Equal(t, *asked, before+c.requests, *asked-before, "requests")
			must.Refuse(os.Stat(filepath.Dir(target)))(t)
		})
		files["/mirror/"+onnxPackage+"/"] = fmt.Appendf(nil, `<a href="forged.whl#sha256=%s">`, from.hash)
		files["/mirror/"+onnxPackage+"/forged.whl"] = []byte("forged")
	}
}

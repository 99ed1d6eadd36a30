package command

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// plugin is a shared library that has what a plugin of XLA has.
func plugin(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin.so")
	cmd := exec.Command("gcc", "-shared", "-x", "c", "-", "-o", path)
	cmd.Stdin = strings.NewReader("void *GetPjrtApi(void) { return 0; }")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("gcc makes no library here: %v\n%s", err, out)
	}
	return read(t, path)
}

// fakeIndex serves a wheel of one file as PyPI does, to this process, which finds no Python on PATH.
func fakeIndex(t *testing.T, member string, content []byte) pin {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("some_package/" + member)
	if err == nil {
		_, err = f.Write(content)
	}
	must.Do(t, errors.Join(err, z.Close()))
	h := sha256.Sum256(b.Bytes())
	w := pin{name: "some-package", version: "1.2", hash: hex.EncodeToString(h[:])}
	mux := http.NewServeMux()
	mux.HandleFunc("/simple/some-package/", func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(out, `<a href="../../files/old.whl?a=1&amp;b=2#sha256=%s">old</a> <a href="../../files/some.whl#sha256=%s">some</a>`, strings.Repeat("0", 64), w.hash)
	})
	mux.HandleFunc("/files/some.whl", func(out http.ResponseWriter, _ *http.Request) { out.Write(b.Bytes()) })
	mux.HandleFunc("/files/old.whl", func(out http.ResponseWriter, _ *http.Request) { out.Write([]byte("another")) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Setenv("PIP_INDEX_URL", server.URL+"/simple/")
	t.Setenv("PATH", t.TempDir())
	return w
}

func TestXLAWheel(t *testing.T) {
	lib := plugin(t)
	w := fakeIndex(t, xlaPlugin, lib)
	tampered, unknown := w, w
	tampered.hash = strings.Repeat("0", 64)
	unknown.hash = strings.Repeat("1", 64)
	for _, c := range []struct {
		name, member, want string
		w                  pin
	}{
		{"whole", xlaPlugin, "", w},
		{"another file than was pinned", xlaPlugin, errNotPinned.Error(), tampered},
		{"a hash that the index does not know", xlaPlugin, "has no file with the hash that is pinned", unknown},
		{"no such member", "other.so", "other.so is not in the PyPI package some-package 1.2", w},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "go-xla", xlaPlugin)
			err := c.w.put(t.Context(), filepath.Dir(target), []member{{c.member, xlaPlugin}}, xlaUsable)
			if c.want == "" {
				must.Be(t, err == nil && bytes.Equal(read(t, target), lib), "error %v", err)
			} else if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q in it", err, c.want)
			} else if _, err := os.Stat(target); err == nil {
				t.Error("something was installed")
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(target), ".fetch*"))
			must.Be(t, len(left) <= 0, "left %v", left)
		})
	}
	t.Run("a library that is no plugin", func(t *testing.T) {
		w := fakeIndex(t, xlaPlugin, []byte("text"))
		must.Err(t, w.put(t.Context(), t.TempDir(), xlaPart.files, xlaUsable))
	})
}

// The plugin goes where the environment says, doctor knows it, and what somebody else put there is left alone.
func TestInstallXLA(t *testing.T) {
	lib := plugin(t)
	dir := t.TempDir()
	target := filepath.Join(dir, xlaPlugin)
	t.Setenv(pluginsEnv, dir)
	t.Setenv(noInstallEnv, "1")
	in := &installer{out: io.Discard, dir: filepath.Join(t.TempDir(), "kernel")}
	f := checkXLA(t.Context(), in)
	must.Be(t, strings.Contains(f.remedy, "`expfam install -xla`"), "%+v", f)
	err := in.only(t.Context(), xlaPart)
	if want := "forbids fetching it"; runtime.GOOS+runtime.GOARCH == "linuxamd64" &&
		(err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error %v, want %q in it", err, want)
	}
	must.Do(t, os.WriteFile(target, lib, 0o644))
	must.Do(t, in.only(t.Context(), xlaPart), "one that is there")
	f = checkXLA(t.Context(), in)
	must.Be(t, f.remedy == "" && f.detail == target, "%+v", f)
	wanted := pinnedVersion(xlaPackage)
	for version, mended := range map[string]bool{wanted: true, "0.1": false} {
		must.Do(t, in.remember(record{Parts: map[string]placed{xlaPart.name: {Path: target, Version: version}}}))
		if f := checkXLA(t.Context(), in); (f.remedy == "") != mended ||
			mended != strings.Contains(f.detail, "for processors, of "+xlaPackage+" "+wanted) {
			t.Errorf("version %s: %+v", version, f)
		}
	}
	must.Do(t, os.WriteFile(target, []byte("text"), 0o644))
	must.Do(t, in.remember(record{}))
	must.Err(t, in.only(t.Context(), xlaPart), "remove it and run this again")
	f = checkXLA(t.Context(), in)
	must.Be(t, strings.Contains(f.remedy, "remove it"), "%+v", f)
}

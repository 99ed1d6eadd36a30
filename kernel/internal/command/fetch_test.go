package command

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// fakePackage makes a package of npm and its archive, from files by their names in it.
func fakePackage(t *testing.T, name, version string, files map[string]string) (pin, []byte) {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	members := tar.NewWriter(gz)
	for member, content := range files {
		must.Do(t, members.WriteHeader(&tar.Header{Name: member, Mode: 0o644, Size: int64(len(content))}))
		must.Get(members.Write([]byte(content)))(t)
	}
	must.Do(t, members.Close())
	must.Do(t, gz.Close())
	sum := sha512.Sum512(b.Bytes())
	return pin{name: name, version: version, hash: "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}, b.Bytes()
}

// fakeRegistry serves files by their paths to this process, which finds neither npm nor Python on PATH. It counts
// requests.
func fakeRegistry(t *testing.T, archives map[string][]byte) (asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		if data, ok := archives[r.URL.Path]; ok {
			w.Write(data)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("npm_config_registry", server.URL+"/mirror/")
	t.Setenv("PIP_INDEX_URL", server.URL+"/mirror/")
	t.Setenv("PATH", t.TempDir())
	return asked
}

func TestFetch(t *testing.T) {
	good, data := fakePackage(t, "pkg", "1.2.3", map[string]string{"package/a.so": "library", "package/b": "b",
		"package/LICENSE": "licence"})
	fakeRegistry(t, map[string][]byte{"/mirror/pkg/-/pkg-1.2.3.tgz": data})
	t.Run("files", func(t *testing.T) {
		dir := t.TempDir()
		files := []member{{"package/a.so", "lib"}, {"package/LICENSE", "licence"}}
		must.Do(t, good.put(context.Background(), dir, files, acceptAny))
		for path, want := range map[string]string{"lib": "library", "licence": "licence"} {
			must.Equal(t, string(read(t, filepath.Join(dir, path))), want, path)
		}
	})
	other, tampered := good, good
	other.version = "1.2.4"
	tampered.hash = "sha512-of another"
	for _, c := range []struct {
		name, member, want string
		p                  pin
	}{
		{"no such version", "package/a.so", "404", other},
		{"npm's lack is told too", "package/a.so", errNoNPM.Error(), other},
		{"wrong hash", "package/a.so", "nothing was installed", tampered},
		{"no such file", "package/c", "package/c is not in the npm package pkg 1.2.3", good},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new")
			must.Err(t, c.p.put(context.Background(), dir, []member{{c.member, "file"}}, acceptAny), c.want)
			must.Refuse(os.Stat(dir))(t)
		})
	}
}

// TestFetchTellsNoPassword: the message of a failed download has the address of the registry without its password.
func TestFetchTellsNoPassword(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	registry := strings.Replace(server.URL, "http://", "http://user:secret@", 1)
	t.Setenv("npm_config_registry", registry)
	t.Setenv("PIP_INDEX_URL", registry)
	for _, c := range []struct {
		name     string
		download func(ctx context.Context, to string) error
	}{{"npm", pin{name: "pkg", version: "1.2.3"}.fromRegistry}, {"pip", pin{name: "pkg", hash: "ab"}.fromIndex}} {
		err := c.download(t.Context(), filepath.Join(t.TempDir(), "file"))
		must.Err(t, err, "404")
		must.Be(t, !strings.Contains(err.Error(), "secret"), "%s: %v", c.name, err)
	}
}

// TestVendorKeepsFiles: a file in the place of the new folder stays, and nothing is fetched.
func TestVendorKeepsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "packages.txt")
	must.Do(t, os.WriteFile(path, []byte("mine"), 0o644))
	ctx, end := context.WithCancel(t.Context())
	end()
	must.Err(t, vendor(ctx, []string{path}), "choose a new folder")
	must.Equal(t, string(read(t, path)), "mine")
}

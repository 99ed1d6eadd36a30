package main

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
)

// archive makes a gzipped tar archive of one file.
func archive(t *testing.T, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	files := tar.NewWriter(gz)
	if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDownloadAsksTheRegistryThatNPMWould(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked = r.URL.Path; strings.HasPrefix(asked, "/mirror/") {
			w.Write([]byte("package"))
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "p.tgz")
	t.Setenv("npm_config_registry", server.URL+"/mirror/")
	if err := download(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	if want := "/mirror/onnxruntime-node/-/onnxruntime-node-" + onnxVersion + ".tgz"; asked != want {
		t.Errorf("asked for %s, want %s", asked, want)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "package" {
		t.Errorf("got %q, %v", data, err)
	}
	t.Setenv("npm_config_registry", server.URL)
	if err := download(context.Background(), path); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v, want the status 404", err)
	}
}

func TestCheckIntegrity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.tgz")
	if err := os.WriteFile(path, []byte("package"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512([]byte("package"))
	if err := checkIntegrity(path, "sha512-"+base64.StdEncoding.EncodeToString(sum[:])); err != nil {
		t.Error(err)
	}
	if err := checkIntegrity(path, onnxIntegrity); err == nil || !strings.Contains(err.Error(), "nothing was installed") {
		t.Errorf("got %v", err)
	}
}

func TestExtract(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.tgz")
	if err := os.WriteFile(path, archive(t, "package/lib.so", "library"), 0o600); err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(dir, "lib")
	if err := extract(path, "package/lib.so", lib); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(lib); err != nil || string(data) != "library" {
		t.Errorf("got %q, %v", data, err)
	}
	if err := extract(path, "package/other.so", lib); err == nil || !strings.Contains(err.Error(), "package/other.so is not in the package") {
		t.Errorf("got %v", err)
	}
}

func TestOnnxUsableRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable() // an ELF file, but no ONNX Runtime
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"missing": filepath.Join(dir, "none"), "no library": text, "another program": self} {
		t.Run(name, func(t *testing.T) {
			if version, err := onnxUsable(path); err == nil {
				t.Errorf("usable, version %q", version)
			}
		})
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
	symbols, err := onnxUsable(path)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := probeOnnx(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if symbols != loaded {
		t.Errorf("symbols say %s, the library says %s", symbols, loaded)
	}
}

// An existing library is linked to, a damaged one is reported and not replaced, and nothing is fetched when that is forbidden.
func TestPutOnnx(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv(onnxEnv, "")
	t.Setenv("LD_LIBRARY_PATH", "")
	t.Setenv(noInstallEnv, "1")
	target, err := onnxPath()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(target, home) {
		t.Fatalf("target %s", target)
	}
	if onnxElsewhere() == "" {
		if _, err := putOnnx(context.Background()); err == nil || !strings.Contains(err.Error(), noInstallEnv) {
			t.Errorf("got %v, want a refusal that names %s", err, noInstallEnv)
		}
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := putOnnx(context.Background()); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("got %v, want advice to remove it", err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "damaged" {
		t.Error("a file that install didn't put there was replaced")
	}
}

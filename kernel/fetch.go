package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ONNX Runtime comes from an npm package because that carries the plain shared library for every system, and because npm
// registries are mirrored where GitHub's releases can't be reached. Nothing of npm or Node is needed or run.
const (
	onnxPackage     = "onnxruntime-node"
	onnxIntegrity   = "sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw=="
	defaultRegistry = "https://registry.npmjs.org"
	fetchTimeout    = 10 * time.Minute // 114 MB
)

// onnxMember names the library for a system (operating system and architecture, as Go names them) in the package.
var onnxMember = map[string]string{
	"linux/amd64": "package/bin/napi-v6/linux/x64/libonnxruntime.so.1",
	"linux/arm64": "package/bin/napi-v6/linux/arm64/libonnxruntime.so.1",
}

// fetchOnnx downloads the package, checks it against the integrity above and puts its library at target.
func fetchOnnx(ctx context.Context, target string) error {
	member, ok := onnxMember[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		return fmt.Errorf("npm package %s has no library for %s/%s", onnxPackage, runtime.GOOS, runtime.GOARCH)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	dir, err := os.MkdirTemp(filepath.Dir(target), ".fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	archive, err := npmPack(ctx, dir)
	if err != nil {
		var errHTTP error
		archive = filepath.Join(dir, "package.tgz")
		if errHTTP = download(ctx, archive); errHTTP != nil {
			return fmt.Errorf("%w; %w", err, errHTTP)
		}
	}
	if err := checkIntegrity(archive, onnxIntegrity); err != nil {
		return err
	}
	lib := filepath.Join(dir, "lib")
	if err := extract(archive, member, lib); err != nil {
		return err
	}
	if _, err := onnxUsable(lib); err != nil {
		return err
	}
	return os.Rename(lib, target)
}

var errNoNPM = errors.New("npm is not on PATH")

// npmPack lets npm fetch the package: it knows the user's registry, proxy and certificates.
func npmPack(ctx context.Context, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errNoNPM
	}
	cmd := exec.CommandContext(ctx, npm, "pack", onnxPackage+"@"+onnxVersion, "--ignore-scripts", "--fetch-retries", "1",
		"--pack-destination", dir, "--cache", filepath.Join(dir, "cache"), "--loglevel", "error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		for line := range strings.Lines(string(out)) { // npm says much, the error's code says enough
			if _, code, ok := strings.Cut(line, " code "); ok {
				return "", fmt.Errorf("npm pack: %w (%s)", err, strings.TrimSpace(code))
			}
		}
		return "", fmt.Errorf("npm pack: %w", err)
	}
	matches, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(matches) != 1 {
		return "", fmt.Errorf("npm pack left %d archives", len(matches))
	}
	return matches[0], nil
}

// download fetches the package over HTTP from the registry that npm_config_registry names, as it does for npm itself.
func download(ctx context.Context, path string) error {
	registry := strings.TrimRight(os.Getenv("npm_config_registry"), "/")
	if registry == "" {
		registry = defaultRegistry
	}
	url := fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, onnxPackage, onnxPackage, onnxVersion)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, resp.Body)
	return errors.Join(err, f.Close())
}

// checkIntegrity compares a file with a hash in the form of npm's lock files: sha512-<base64>.
func checkIntegrity(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha512.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%s-%s: the download's hash is %s, but %s is expected: nothing was installed", onnxPackage, onnxVersion, got, want)
	}
	return nil
}

// extract writes one member of a gzipped tar archive to a file.
func extract(archive, member, path string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for files := tar.NewReader(gz); ; {
		header, err := files.Next()
		if err == io.EOF {
			return fmt.Errorf("%s is not in the package %s %s", member, onnxPackage, onnxVersion)
		}
		if err != nil {
			return err
		}
		if header.Name != member {
			continue
		}
		out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, files)
		return errors.Join(err, out.Close())
	}
}

package command

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	defaultRegistry = "https://registry.npmjs.org"
	fetchTimeout    = 10 * time.Minute // the larger package has 114 MB
)

// npmPackage is a package from which install takes files. Registries of npm are mirrored where GitHub's releases and
// CDNs can't be reached. Neither npm nor Node is needed, and no script of the package is run.
type npmPackage struct {
	name, version string
	integrity     string // hash of the archive, as in npm's lock files: sha512-<base64>
}

// fetch downloads the package, checks its integrity and writes the members that files names to the paths that it maps
// them to. dir holds what is temporary; the caller removes it.
func (p npmPackage) fetch(ctx context.Context, dir string, files map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	archive, err := p.pack(ctx, dir)
	if err != nil {
		archive = filepath.Join(dir, "package.tgz")
		if errHTTP := p.download(ctx, archive); errHTTP != nil {
			return fmt.Errorf("%w; %w", err, errHTTP)
		}
	}
	if err := p.check(archive); err != nil {
		return err
	}
	return p.extract(archive, files)
}

var errNoNPM = errors.New("npm is not on PATH")

// pack has npm fetch the package, because npm knows the user's registry, proxy and certificates. It returns the path of
// the archive.
func (p npmPackage) pack(ctx context.Context, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errNoNPM
	}
	cmd := exec.CommandContext(ctx, npm, "pack", p.name+"@"+p.version, "--ignore-scripts", "--fetch-retries", "1",
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

// download fetches the package over HTTP from the registry that npm_config_registry names, as this variable does for
// npm itself.
func (p npmPackage) download(ctx context.Context, path string) error {
	registry := strings.TrimRight(os.Getenv("npm_config_registry"), "/")
	registry = cmp.Or(registry, defaultRegistry)
	return download(ctx, fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, p.name, p.name, p.version), path)
}

// get returns the body of a page.
func get(ctx context.Context, page string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", page, resp.Status)
	}
	return resp.Body, nil
}

// download writes a page to a file.
func download(ctx context.Context, page, path string) error {
	body, err := get(ctx, page)
	if err != nil {
		return err
	}
	defer body.Close()
	return save(path, body)
}

// save writes what a reader has to a file.
func save(path string, from io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// hashed returns the hash of a file.
func hashed(path string, h hash.Hash) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}

// check compares the archive's hash with the integrity.
func (p npmPackage) check(path string) error {
	sum, err := hashed(path, sha512.New())
	if err != nil {
		return err
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum); got != p.integrity {
		return fmt.Errorf("%s-%s: the download's hash is %s, but %s is expected: nothing was installed", p.name,
			p.version, got, p.integrity)
	}
	return nil
}

// extract writes members of the gzipped tar archive to files.
func (p npmPackage) extract(archive string, files map[string]string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	left := maps.Clone(files)
	for members := tar.NewReader(gz); len(left) > 0; {
		header, err := members.Next()
		if err == io.EOF {
			return fmt.Errorf("%s is not in the package %s %s", slices.Min(slices.Collect(maps.Keys(left))), p.name,
				p.version)
		}
		if err != nil {
			return err
		}
		path, ok := left[header.Name]
		if !ok {
			continue
		}
		delete(left, header.Name)
		if err := save(path, members); err != nil {
			return err
		}
	}
	return nil
}

package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
)

const (
	defaultRegistry = "https://registry.npmjs.org"
	defaultIndex    = "https://pypi.org/simple"
	fetchTimeout    = 10 * time.Minute // the largest package has 63 MB
)

var (
	errNotPinned = errors.New("the download does not have the pinned hash, so nothing was installed")
	errNoNPM     = errors.New("npm is not on PATH")
)

// put fetches the package, checks its hash and writes some of its files into a folder, completely or not at all. The
// first file is put there last, and only if usable accepts it. No script of the package is run.
func (p pin) put(ctx context.Context, dir string, files []member, usable func(path string) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	defer os.Remove(dir) // if it is empty after a failure
	temp, remove, err := safefile.Folder(dir, ".fetch")
	if err != nil {
		return err
	}
	defer remove()
	archive, err := p.fetch(ctx, temp)
	if err != nil {
		return err
	}
	kept := filepath.Join(temp, "files")
	if err := os.Mkdir(kept, 0o755); err != nil {
		return err
	}
	if err := p.extract(archive, files, kept); err != nil {
		return err
	}
	if err := usable(filepath.Join(kept, files[0].as)); err != nil {
		return err
	}
	for i := len(files) - 1; i >= 0; i-- {
		if err := os.Rename(filepath.Join(kept, files[i].as), filepath.Join(dir, files[i].as)); err != nil {
			return err
		}
	}
	return nil
}

// fetch downloads the package into a folder by npm or pip, because these use the registry, proxy and certificates that
// the user has configured, or else over HTTP. It returns the path of the archive, whose hash is right.
func (p pin) fetch(ctx context.Context, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	program, download, kind := p.byPip, p.fromIndex, "*.whl"
	if p.ofNPM() {
		program, download, kind = p.byNPM, p.fromRegistry, "*.tgz"
	}
	err := program(ctx, dir)
	if errors.Is(err, errNotPinned) {
		return "", err
	}
	archive := filepath.Join(dir, strings.Replace(kind, "*", "package", 1))
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if errHTTP := download(ctx, archive); errHTTP != nil {
			return "", fmt.Errorf("%v can't be had: %w; %w", p, err, errHTTP)
		}
	} else {
		found, _ := filepath.Glob(filepath.Join(dir, kind))
		if len(found) != 1 {
			return "", fmt.Errorf("%d archives of %v were fetched", len(found), p)
		}
		archive = found[0]
	}
	return archive, p.check(archive)
}

func (p pin) byNPM(ctx context.Context, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errNoNPM
	}
	cmd := exec.CommandContext(ctx, npm, "pack", p.name+"@"+p.version, "--ignore-scripts", "--fetch-retries", "1",
		"--pack-destination", dir, "--cache", filepath.Join(dir, "cache"), "--loglevel", "error")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for line := range strings.Lines(string(out)) { // npm prints many lines, and the error's code is enough
		if _, code, ok := strings.Cut(line, " code "); ok {
			return fmt.Errorf("npm pack: %w (%s)", err, strings.TrimSpace(code))
		}
	}
	return fmt.Errorf("npm pack: %w", err)
}

func (p pin) byPip(ctx context.Context, dir string) error {
	list := filepath.Join(dir, "pinned.txt")
	if err := os.WriteFile(list, fmt.Appendf(nil, "%s==%s --hash=sha256:%s\n", p.name, p.version, p.hash),
		0o644); err != nil {
		return err
	}
	args := []string{"-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "--only-binary", ":all:",
		"--disable-pip-version-check", "--retries", "1", "-d", dir, "-r", list}
	if p.platform != "" {
		args = append(args, "--platform", p.platform, "--python-version", "3.13", "--implementation", "cp")
	}
	out, err := exec.CommandContext(ctx, "python3", args...).CombinedOutput()
	switch {
	case strings.Contains(string(out), "DO NOT MATCH THE HASHES"):
		return errNotPinned
	case err != nil:
		return fmt.Errorf("pip: %w", err)
	}
	return nil
}

// fromRegistry fetches the package over HTTP from the registry that npm_config_registry names, as this variable does
// for npm itself.
func (p pin) fromRegistry(ctx context.Context, to string) error {
	registry := cmp.Or(strings.TrimRight(os.Getenv("npm_config_registry"), "/"), defaultRegistry)
	return download(ctx, fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, p.name, p.name, p.version), to)
}

// fromIndex fetches the file of the pinned hash over HTTP from the index that PIP_INDEX_URL names, as this variable
// does for pip itself. The index lists links, each with the hash of its file (PEP 503).
func (p pin) fromIndex(ctx context.Context, to string) error {
	page := cmp.Or(strings.TrimRight(os.Getenv("PIP_INDEX_URL"), "/"), defaultIndex) + "/" + p.name + "/"
	body, err := get(ctx, page)
	if err != nil {
		return err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, 10<<20))
	if err != nil {
		return err
	}
	base, err := url.Parse(page)
	if err != nil {
		return err
	}
	link := regexp.MustCompile(`href="([^"]+)#sha256=` + p.hash + `"`).FindSubmatch(text)
	if link == nil {
		return fmt.Errorf("%s has no file with the hash that is pinned; set PIP_INDEX_URL to an index that has all "+
			"files of %v", base.Redacted(), p)
	}
	file, err := base.Parse(html.UnescapeString(string(link[1])))
	if err != nil {
		return err
	}
	return download(ctx, file.String(), to)
}

// get returns the body of a page. Its errors have the address of the page without a password.
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
		return nil, fmt.Errorf("%s: %s", req.URL.Redacted(), resp.Status)
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

// check compares the hash of the archive with the one that is pinned.
func (p pin) check(archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	var h hash.Hash = sha256.New()
	text := hex.EncodeToString
	if p.ofNPM() {
		h = sha512.New()
		text = func(sum []byte) string { return "sha512-" + base64.StdEncoding.EncodeToString(sum) }
	}
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if text(h.Sum(nil)) != p.hash {
		return fmt.Errorf("%v: %w", p, errNotPinned)
	}
	return nil
}

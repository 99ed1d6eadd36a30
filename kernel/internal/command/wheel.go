package command

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// wheel is a package of PyPI that is pinned by its hash.
type wheel struct {
	name, version string
	sha256        string
	platform      string // that of another machine, as pip names it; "" for this one's
}

var pinned = regexp.MustCompile(`(?m)^([a-z0-9-]+)==([0-9.]+) --hash=sha256:([0-9a-f]{64})$`)

// put fetches the wheel, checks its hash and writes its member of this base name to target, completely or not at all.
// usable returns an error for a file that is not what it should be.
func (w wheel) put(ctx context.Context, member, target string, usable func(string) error) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	dir, remove, err := safefile.Folder(filepath.Dir(target), ".fetch")
	if err != nil {
		return err
	}
	defer remove()
	archive, err := w.fetch(ctx, dir)
	if err != nil {
		return err
	}
	lib := filepath.Join(dir, "lib")
	if err := extractZip(archive, member, lib); err != nil {
		return err
	}
	if err := usable(lib); err != nil {
		return err
	}
	return os.Rename(lib, target)
}

var errNotPinned = errors.New("the download does not have the pinned hash, so nothing was installed")

// fetch has pip download the wheel, because pip knows the user's index, proxy and certificates. If pip fails, fetch
// asks the index itself. It returns the path of the file.
func (w wheel) fetch(ctx context.Context, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	list := filepath.Join(dir, "pinned.txt")
	if err := os.WriteFile(list, fmt.Appendf(nil, "%s==%s --hash=sha256:%s\n", w.name, w.version, w.sha256),
		0o644); err != nil {
		return "", err
	}
	args := []string{"-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "--only-binary", ":all:",
		"--disable-pip-version-check", "--retries", "1", "-d", dir, "-r", list}
	if w.platform != "" {
		args = append(args, "--platform", w.platform, "--python-version", "3.13", "--implementation", "cp")
	}
	pip := exec.CommandContext(ctx, "python3", args...)
	out, errPip := pip.CombinedOutput()
	if strings.Contains(string(out), "DO NOT MATCH THE HASHES") {
		return "", errNotPinned
	}
	if errPip == nil {
		found, _ := filepath.Glob(filepath.Join(dir, "*.whl"))
		if len(found) != 1 {
			return "", fmt.Errorf("pip left %d wheels of %s", len(found), w.name)
		}
		return found[0], w.check(found[0])
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	archive := filepath.Join(dir, "package.whl")
	if err := w.download(ctx, archive); err != nil {
		return "", fmt.Errorf("%s %s can't be had: pip: %w; %w", w.name, w.version, errPip, err)
	}
	return archive, w.check(archive)
}

// download fetches the file of the pinned hash over HTTP from the index that PIP_INDEX_URL names, as this variable does
// for pip itself. The index lists links, each with the hash of its file (PEP 503).
func (w wheel) download(ctx context.Context, to string) error {
	index := strings.TrimRight(os.Getenv("PIP_INDEX_URL"), "/")
	if index == "" {
		return errors.New("PIP_INDEX_URL names no index: install Python's pip, or set it to the address of PyPI's " +
			"simple index")
	}
	page := index + "/" + w.name + "/"
	body, err := get(ctx, page)
	if err != nil {
		return err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, 10<<20))
	if err != nil {
		return err
	}
	link := regexp.MustCompile(`href="([^"]+)#sha256=` + w.sha256 + `"`).FindSubmatch(text)
	if link == nil {
		return fmt.Errorf("%s has no file with the hash that is pinned", page)
	}
	base, err := url.Parse(page)
	if err != nil {
		return err
	}
	file, err := base.Parse(html.UnescapeString(string(link[1])))
	if err != nil {
		return err
	}
	return download(ctx, file.String(), to)
}

// check compares the hash of a file with the one that is pinned.
func (w wheel) check(file string) error {
	got, err := hashed(file, sha256.New())
	if err == nil && hex.EncodeToString(got) != w.sha256 {
		err = fmt.Errorf("%s %s: %w", w.name, w.version, errNotPinned)
	}
	return err
}

// extractZip writes the member of an archive that has this base name to a file.
func extractZip(archive, member, to string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if path.Base(f.Name) != member {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		defer in.Close()
		return save(to, in)
	}
	return fmt.Errorf("%s is not in %s", member, filepath.Base(archive))
}

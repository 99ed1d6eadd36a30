package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
)

// write puts a notebook that was executed into a file, and its page beside it. A new file is not more readable than the
// notebook at from, and the page not more than both.
func write(nb *ipynb.Notebook, from, path string, html bool, scripts page.Scripts) error {
	var of []fs.FileInfo
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		of = readers(from)
	}
	if err := nb.Write(path, of...); err != nil || !html {
		return err
	}
	base := strings.TrimSuffix(path, ".ipynb")
	data, err := page.Render(nb, filepath.Base(base), scripts)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return ipynb.WriteFile(base+".html", data, readers(from, path)...)
}

// readers returns the infos of files that are there; they say who may read what is made of these files.
func readers(paths ...string) (of []fs.FileInfo) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			of = append(of, info)
		}
	}
	return of
}

// writable returns why a file can't be written; nil if it can. It leaves nothing behind.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: give -out the name of a notebook in it", path)
	}
	if safefile.Streams(path) {
		return nil
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s can't be written: there is no folder %s: make it first", path, dir)
	}
	f, err := os.CreateTemp(dir, ".writable")
	if err != nil {
		return fmt.Errorf("%s can't be written: %w: choose another place with -out, or nothing with -check", path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

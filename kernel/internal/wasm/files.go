package wasm

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files are those that the cells may read, by their paths beside the notebook: files in folders there whose path begins with a text of
// a cell's program that names a folder, as "weights/gp-" does; and files there that a text names in full.
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

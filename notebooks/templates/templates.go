// Package templates has the notebooks that a person starts from. Each has a small data file, which the person replaces
// by a file of their own. `expfam new` and JupyterLab's launcher offer the templates.
package templates

import (
	"embed"
	"io/fs"
)

//go:generate go run make.go

//go:embed *.ipynb *.csv images/*.png
var files embed.FS

// Template is a notebook with its data.
type Template struct {
	Name  string   // name of the notebook's file without .ipynb, also the name for `expfam new`
	Title string   // title in a few words
	Data  []string // files and folders that the notebook reads
}

// All are the templates in the order in which they are offered.
var All = []Template{
	{"counts", "Counts in a line", []string{"counts.csv"}},
	{"grid", "A grid of counts", []string{"grid.csv"}},
	{"images", "A folder of images as a prior", []string{"images"}},
	{"survey", "A table of surveys on a map", []string{"survey.csv"}},
}

// Files calls f with the path and the contents of every file of a template, the notebook first.
func (t Template) Files(f func(path string, data []byte) error) error {
	for _, root := range append([]string{t.Name + ".ipynb"}, t.Data...) {
		err := fs.WalkDir(files, root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := files.ReadFile(path)
			if err != nil {
				return err
			}
			return f(path, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

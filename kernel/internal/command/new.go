package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/notebooks/templates"
)

// newNotebook executes the verb new: it copies a template, or lists them.
func newNotebook(_ context.Context, args []string) error {
	flags := newFlags("new")
	args, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		for _, t := range templates.All {
			fmt.Printf("%-8s %s\n", t.Name, t.Title)
		}
		fmt.Printf("\n%s copies one of them into this folder, %s into another\n", quoted("new NAME"),
			quoted("new NAME FOLDER"))
		return nil
	}
	if len(args) > 2 {
		return fmt.Errorf("new takes the name of a template and a folder, got %q", args)
	}
	at := slices.IndexFunc(templates.All, func(t templates.Template) bool { return t.Name == args[0] })
	if at < 0 {
		var names []string
		for _, t := range templates.All {
			names = append(names, t.Name)
		}
		return fmt.Errorf("there is no template %q: take one of %s", args[0], strings.Join(names, ", "))
	}
	folder := "."
	if len(args) == 2 {
		folder = args[1]
	}
	t := templates.All[at]
	if err := copyTemplate(t, folder); err != nil {
		return err
	}
	notebook := filepath.Join(folder, t.Name+".ipynb")
	fmt.Printf("%s is there, with %s: put your own in its place or beside it, write its name into the notebook, and "+
		"%s, or run it in JupyterLab\n", notebook, strings.Join(t.Data, ", "), quoted("run "+shellWord(notebook)))
	return nil
}

// shellWord returns a path as a shell takes it for one word: in quotes if it has a blank or another letter with a
// meaning there.
func shellWord(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$&()*;<>?[]`{|}~#!") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// copyTemplate writes the files of a template. It never replaces a file that is there already.
func copyTemplate(t templates.Template, folder string) error {
	err := t.Files(func(path string, _ []byte) error {
		path = filepath.Join(folder, filepath.FromSlash(path))
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists already and was not changed: %s takes another folder",
				path, quoted("new "+t.Name+" FOLDER"))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.Files(func(path string, data []byte) error {
		path = filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o644)
	})
}

package front

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/keep"
)

// listed are the packages of the checkout, which tests share.
var listed = sync.OnceValues(func() (*packages, error) {
	dir, err := filepath.Abs("../../..")
	p := &packages{checkout: dir, work: func() string { return dir }}
	return p, errors.Join(err, p.load())
})

// library returns the packages of the checkout, and its folder.
func library(t *testing.T) (*packages, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("lists the library's packages; not with -short")
	}
	p := must.Get(listed())(t)
	return p, p.checkout
}

// What stays in its cell in a page, of types that are not Go's own: methods of matrices whose results are used read,
// posteriors do not change.
func TestStays(t *testing.T) {
	p, _ := library(t)
	for source, want := range map[string]string{
		"m := mat.NewDense(1, 1, nil)\nm.At(0, 0)":                           "m",
		"m := mat.NewDense(1, 1, nil)\nm.Set(0, 0, 1)":                       "",
		"post := &expfam.Posterior{}\npost.Mean()":                           "post",
		"post := &expfam.Posterior{}\npost.X.At(0, 0)":                       "post",
		"post := &expfam.Posterior{}\npost.X = nil":                          "",
		"post := &expfam.Posterior{}\npost.Save(\"a\")":                      "post",
		"fig := viz.Lines{}\nviz.Show(fig)":                                  "fig",
		"figs := []any{viz.Lines{}}\nviz.Show(figs...)":                      "figs",
		"fig := viz.Lines{}\nfig.Title = \"a\"":                              "",
		"a := &live.Slider{}\nlive.Show(nil, a)":                             "a",
		"p := &gp.Lattice{}\nx := []float64{}\np.Draw(nil, x)":               "p",
		"like := expfam.Likelihood{}\nobs, err := like.Observe1(1)\n_ = err": "like obs err",
	} {
		program, err := (&cell.Session{Packages: p}).Translate(cell.Cell{Number: 1, Source: source})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		must.Equal(t, strings.Join(program.Defines(), " "), want, source, "keeps")
	}
}

// Every cell of every lesson is right, and says nothing about others: the lessons define each name once.
func TestLessons(t *testing.T) {
	p, dir := library(t)
	notebooks, err := filepath.Glob(filepath.Join(dir, "notebooks", "*.ipynb"))
	must.Need(t, err == nil && len(notebooks) != 0, "no notebooks: %v", err)
	for _, path := range notebooks {
		t.Run(filepath.Base(path), func(t *testing.T) {
			nb := must.Get(ipynb.Read(path))(t)
			s := &cell.Session{Packages: p, Values: t.TempDir()}
			for i, c := range nb.Cells {
				if c.Type != ipynb.Code {
					continue
				}
				program := must.Get(s.Translate(cell.Cell{ID: c.ID, Number: i + 1, Source: c.Source}))(t)
				for _, note := range program.Notes {
					t.Errorf("cell %d: %s", i+1, note)
				}
				magic := strings.HasPrefix(c.Source, "%%") || strings.Contains(c.Source, "\n%%")
				must.Be(t, !magic || program.Source != "", "cell %d does not run", i+1)
				s.Commit(program)
				m := must.Get(keep.Read(s.Values))(t) // as if it had run
				for _, key := range program.Keys() {
					m.Roots[key] = keep.Root{Block: 1}
				}
				must.Do(t, os.WriteFile(filepath.Join(s.Values, "index"), must.Get(json.Marshal(m))(t), 0o600))
			}
		})
	}
}

// %help describes what a package has, also while a variable has the package's name.
func TestHelpBehindVariables(t *testing.T) {
	p, _ := library(t)
	s := &cell.Session{Packages: p}
	s.Commit(must.Get(s.Translate(cell.Cell{Number: 1, Source: "gp := 3"}))(t))
	for name, want := range map[string]string{"gp": "var gp int", "gp.RBF": "type gp.RBF",
		"gp.RBF.Cells": "Cells int"} {
		d, ok := described(s, name)
		must.Be(t, ok && strings.Contains(d.Text, want), "%s: %v %q", name, ok, d.Text)
	}
}

// An import that is not there says what to type, and one that is broken what is wrong.
func TestAbsentImports(t *testing.T) {
	p, _ := library(t)
	for path, want := range map[string]string{
		"example.org/none":        "package example.org/none is not there: type %get example.org/none@latest in a cell",
		"example.org/a/b/v2":      "type %get example.org/a/b/v2@latest in a cell",
		"example.org/none@v1.2.3": `type %get example.org/none@v1.2.3, and import "example.org/none"`,
		"numpy": "Go's library has none of this path, and the path of a module begins " +
			"with a site",
		"encoding/yaml": "Go's library has none of this path",
		"./helpers":     "an import is a path and no folder",
		"github.com/expfam/lab/expfam/nuts": "package github.com/expfam/lab/expfam/nuts: the library has none of " +
			"this path",
		"github.com/expfam/lab/expfam/store": "",
		"net/http":                           "",
	} {
		_, err := p.Import(path)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: error %v, want %q in it", path, err, want)
		}
	}
}

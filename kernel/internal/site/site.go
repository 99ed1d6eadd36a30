// Package site makes a folder of pages of notebooks for any server of files: an index with a card for every lesson, the
// lessons, search over them, and the programs of their live cells. Nothing in it comes from elsewhere, and nothing but
// its own scripts runs in it.
package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/kernel/internal/wasm"
)

// Lesson is one notebook of a site.
type Lesson struct {
	Name     string // name of its page, without .html
	Notebook *ipynb.Notebook
	Program  *wasm.Program     // program of its live cells; nil if there is none
	Notes    map[string]string // what is different in the page, by live cell
}

// Site is a set of lessons, in their order.
type Site struct {
	Title, Words string // title and introduction of the index
	Lessons      []Lesson
	Libraries    map[string][]byte // scripts that figures can use, by name, as "echarts"
	// Of are the files of the lessons. No file of the site is more readable than these, because the index and the
	// search hold parts of all of them.
	Of []fs.FileInfo
}

// Write writes the site into a folder, which is made if it is not there. Other files there stay.
func (s Site) Write(dir string) error {
	w := &writer{dir: dir, Site: s, urls: map[string]string{}}
	for _, step := range []func() error{w.names, w.assets, w.lessons, w.index, w.keep} {
		if err := step(); err != nil {
			return fmt.Errorf("site: %w", err)
		}
	}
	return nil
}

// writer writes a site into a folder.
type writer struct {
	Site
	dir    string
	urls   map[string]string // URLs of assets by their names
	cards  []card
	hero   hero // of the first lesson that has one
	search searchIndex
}

// asset writes a file whose name contains a hash of its content, so that a browser can keep it for good. It returns the
// file's URL.
func (w *writer) asset(name string, data []byte) (url string, err error) {
	sum := sha256.Sum256(data)
	ext := filepath.Ext(name)
	url = "assets/" + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext
	w.urls[name] = url
	return url, w.file(url, data)
}

func (w *writer) file(name string, data []byte) error {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return ipynb.WriteFile(path, data, w.Of...)
}

// names refuses lessons whose pages would be the same on a server that knows no capital letters.
func (w *writer) names() error {
	seen := map[string]string{"index": "the index"}
	for _, l := range w.Lessons {
		lower := strings.ToLower(l.Name)
		if other, is := seen[lower]; is {
			return fmt.Errorf("the page of %s would be that of %s: give the notebook another name", l.Name, other)
		}
		seen[lower] = l.Name
	}
	return nil
}

// keep writes the service worker, whose version is a hash of the names of all assets.
func (w *writer) keep() error {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(w.urls)) {
		fmt.Fprintln(sum, w.urls[name])
	}
	return w.file("keep.js", []byte(strings.Replace(keeper, `"VERSION"`, `"`+hex.EncodeToString(sum.Sum(nil)[:6])+`"`,
		1)))
}

// assets writes what all pages share.
func (w *writer) assets() error {
	for name, data := range map[string]string{"site.css": page.Sheet() + sheet, "site.js": script,
		"figures.js": page.Figures(), "live.js": page.LiveScript()} {
		if _, err := w.asset(name, []byte(data)); err != nil {
			return err
		}
	}
	for name, data := range w.Libraries {
		if len(data) == 0 {
			continue
		}
		if _, err := w.asset(name+".js", data); err != nil {
			return err
		}
	}
	return nil
}

// policy is the content security policy of all pages. Their worker is made by a page, so that it has this policy as
// well; the service worker is a file of the site.
var policy = page.Policy("'self' 'wasm-unsafe-eval'", "'self'", "worker-src 'self' blob:; connect-src 'self'; ")

// shell is what every page has around its own content.
type shell struct {
	Title, Site, Policy, Sheet, Search string
	Scripts                            []string
	Config                             template.HTML // configuration of live cells
	Lesson                             bool          // the page has cells, whose code a switch shows
}

func (w *writer) shell(title string, scripts ...string) shell {
	sh := shell{Title: title, Site: w.Title, Policy: policy, Sheet: w.urls["site.css"], Search: w.urls["search.json"]}
	for _, name := range append(scripts, "site.js") {
		if url := w.urls[name]; url != "" {
			sh.Scripts = append(sh.Scripts, url)
		}
	}
	return sh
}

//go:build unix

package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/kernel/internal/site"
)

// modeOf is the mode of a file; 0 if it is not there.
func modeOf(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}

// The page of a notebook, a copy of it, and the files of a live page beside it are never more readable than the
// notebook.
func TestPagesArePrivateAsTheirNotebooks(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	nb := &ipynb.Notebook{Cells: []*ipynb.Cell{{ID: "a", Type: ipynb.Markdown, Source: "# A"}}}
	for _, c := range []struct {
		name                       string
		from, target, old          fs.FileMode // 0: a target that is the notebook itself, no page before
		wantTarget, wantPage, want fs.FileMode // want: the folder beside
	}{
		{"private", 0o600, 0, 0, 0o600, 0o600, 0o700},
		{"private, with a public page from before", 0o600, 0, 0o644, 0o600, 0o600, 0o700},
		{"a group's", 0o640, 0, 0, 0o640, 0o640, 0o750},
		{"public", 0o644, 0, 0, 0o644, 0o644, 0o755},
		{"public, with a private page", 0o644, 0, 0o600, 0o644, 0o600, 0o755},
		{"read-only", 0o444, 0, 0, 0o444, 0o644, 0o755},
		{"private, elsewhere", 0o600, 1, 0, 0o600, 0o600, 0o700},
		{"private, over a public notebook", 0o600, 0o644, 0, 0o644, 0o600, 0o700},
		{"public, over a private notebook", 0o644, 0o600, 0, 0o600, 0o600, 0o700},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			from := filepath.Join(dir, "nb.ipynb")
			make := func(path string, mode fs.FileMode) {
				must.Do(t, os.WriteFile(path, []byte("old"), 0o600))
				must.Do(t, os.Chmod(path, mode))
			}
			make(from, c.from)
			target := from
			if c.target != 0 {
				target = filepath.Join(dir, "out.ipynb")
			}
			if c.target > 1 {
				make(target, c.target)
			}
			html := target[:len(target)-len("ipynb")] + "html"
			if c.old != 0 {
				make(html, c.old)
			}
			beside := filepath.Join(dir, "nb.live")
			must.Do(t, os.Mkdir(beside, 0o755))
			if err := folderOf(beside, readers(from, target)); err != nil || modeOf(beside) != c.want {
				t.Errorf("the folder beside has mode %v, want %v; %v", modeOf(beside), c.want, err)
			}
			for range 2 { // the second time nothing changes
				must.Do(t, write(nb, from, target, true, page.Scripts{}))
				must.Be(t, modeOf(target) == c.wantTarget && modeOf(html) == c.wantPage,
					"modes %v and %v, want %v and %v", modeOf(target), modeOf(html), c.wantTarget, c.wantPage)
			}
		})
	}
}

// A site holds parts of all of its notebooks in its index and its search, so the most private one counts.
func TestSitesArePrivateAsTheirNotebooks(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for _, c := range []struct {
		name  string
		modes []fs.FileMode
		want  fs.FileMode
	}{{"public", []fs.FileMode{0o644, 0o644}, 0o644}, {"one is private", []fs.FileMode{0o644, 0o600}, 0o600}} {
		t.Run(c.name, func(t *testing.T) {
			dir, s := t.TempDir(), site.Site{Title: "t"}
			for i, mode := range c.modes {
				path := filepath.Join(t.TempDir(), "nb.ipynb")
				nb := &ipynb.Notebook{Cells: []*ipynb.Cell{{ID: "a", Type: ipynb.Markdown, Source: "# A"}}}
				must.Do(t, nb.Write(path))
				must.Do(t, os.Chmod(path, mode))
				s.Lessons, s.Of = append(s.Lessons, site.Lesson{Name: string(rune('a' + i)), Notebook: nb}),
					append(s.Of, readers(path)...)
			}
			must.Do(t, s.Write(dir))
			n := 0
			err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					if n++; modeOf(path) != c.want {
						t.Errorf("%s has mode %v, want %v", path, modeOf(path), c.want)
					}
				}
				return err
			})
			must.Be(t, err == nil && n >= 6, "%d files; %v", n, err)
		})
	}
}

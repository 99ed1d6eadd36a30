package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/wasm"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func notebook(t *testing.T, metadata, title, text string) *ipynb.Notebook {
	t.Helper()
	quote := func(s string) string { data, _ := json.Marshal(s); return string(data) }
	return must.Get(ipynb.Parse([]byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {"expfam": ` + metadata + `}, "cells": [
		{"cell_type": "markdown", "id": "m", "metadata": {}, "source": ` + quote("# "+title+"\n\n"+text) + `},
		{"cell_type": "code", "id": "p", "metadata": {}, "execution_count": 1, "source": "live.Show(draw, s)", "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"image/png": "` + pixel + `",
			 "text/html": "<div class=\"expfam-live x\"><div data-uses=\"echarts\"><script>(function (d) {})({\"specs\":[]});</script></div></div>"}}]},
		{"cell_type": "markdown", "id": "end", "metadata": {}, "source": "## An end\n\nSee [the other](b.ipynb#cell-m), or [none](c.ipynb)."}]}`)))(t)
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write([]byte(text)))(t)
	must.Do(t, z.Close())
	return b.Bytes()
}

func made(t *testing.T) string {
	t.Helper()
	program := &wasm.Program{Cells: []string{"p"}, Code: packed(t, "code"), Runtime: []byte("runtime()"),
		Files: map[string][]byte{"w/x": packed(t, "weights")}}
	s := Site{Title: "Lab", Words: "Words.", Libraries: map[string][]byte{"echarts": []byte("echarts()"), "none": nil},
		Lessons: []Lesson{
			{Name: "a", Notebook: notebook(t, `{"summary": "A <summary>.", "minutes": "2", "hero": "p"}`, "First & `best`",
				"Text with $x$ and a needle."), Program: program, Notes: map[string]string{"p": "Here draws = 100"}},
			{Name: "b", Notebook: notebook(t, `{}`, "Second", "One sentence. Another.")}}}
	dir := t.TempDir()
	must.Do(t, s.Write(dir))
	return dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))))(t)
	return string(data)
}

func TestPages(t *testing.T) {
	dir := made(t)
	index, a, b := read(t, dir, "index.html"), read(t, dir, "a.html"), read(t, dir, "b.html")
	for _, c := range []struct{ name, page, want string }{
		{"a card", index, `<a href="a.html"><img src="assets/a-`},
		{"its title", index, "<h2>First &amp; best</h2>"},
		{"its sentence", index, "<p>A &lt;summary&gt;.</p>"},
		{"a live cell above the cards", index, `<section class="cell code" id="cell-p" data-live>`},
		{"its lesson", index, `From <a href="a.html">First &amp; best</a>`},
		{"its program", index, `<script defer src="assets/live-`},
		{"the first sentence where there is no other", index, "<p>One sentence.</p>"},
		{"minutes", index, "<span>2 min to run</span>"},
		{"what is live", index, `<b class="live">1 live figure</b>`},
		{"what is not", index, `<b class="live">1 figure with settings drawn beforehand</b>`},
		{"the next lesson", a, `<a rel="next" href="b.html"><span>Next</span> Second</a>`},
		{"the previous lesson", b, `<a rel="prev" href="a.html"><span>Previous</span> First &amp; best</a>`},
		{"a link to another lesson", a, `<a href="b.html#cell-m">`},
		{"a link to a notebook that has no page", a, `<a href="c.ipynb">`},
		{"a live cell", a, `<section class="cell code" id="cell-p" data-live>`},
		{"no live cell", b, `<section class="cell code" id="cell-p">`},
		{"the data of a figure", b, `<script type="application/json" data-program="panel">{"specs":[]}</script>`},
		{"what is different", a, `"notes":{"p":"Here draws = 100"}`},
	} {
		must.Be(t, strings.Contains(c.page, c.want), "%s: no %s in\n%s", c.name, c.want, c.page)
	}
}

// A link to a notebook may begin with ./, and the notebook's name may have blanks and any letters.
func TestLinks(t *testing.T) {
	s := Site{Lessons: []Lesson{{Name: "Übung 1", Notebook: notebook(t, `{}`, "One", "[a](./a.ipynb#cell-m)")},
		{Name: "a", Notebook: notebook(t, `{}`, "Two",
			"[1](<Übung 1.ipynb>), [u](https://u.org/a.ipynb), [t](t/a.ipynb)")}}}
	dir := t.TempDir()
	must.Do(t, s.Write(dir))
	one, a := read(t, dir, "Übung 1.html"), read(t, dir, "a.html")
	must.Be(t, strings.Contains(one, `<a href="a.html#cell-m">a<`), "no link to a in\n%s", one)
	for _, want := range []string{`<a href="%C3%9Cbung%201.html">1<`, `"https://u.org/a.ipynb"`, `"t/a.ipynb"`} {
		must.Be(t, strings.Contains(a, want), "no %s in\n%s", want, a)
	}
}

// Every address in the pages is a file of the site, and everything comes with the policy.
func TestNothingFromElsewhere(t *testing.T) {
	dir := made(t)
	address := regexp.MustCompile(`(?:src|href|data-index)="([^"#]+)|"(?:program|worker|url)":"([^"]+)"`)
	for _, name := range []string{"index.html", "a.html", "b.html"} {
		page := read(t, dir, name)
		must.Be(t, strings.Contains(page, `content="`+strings.ReplaceAll(policy, "'", "&#39;")+`"`),
			"%s: no policy", name)
		must.Be(t, !strings.Contains(page, "<style") && !strings.Contains(page, "<script>"),
			"%s: a script or a style inside of the page", name)
		for _, m := range address.FindAllStringSubmatch(page, -1) {
			url := m[1] + m[2]
			if strings.HasPrefix(url, "data:") || url == "c.ipynb" {
				continue
			}
			must.Get(os.Stat(filepath.Join(dir, filepath.FromSlash(url))))(t, name)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "assets", "file-*.bin"))
	must.Need(t, err == nil && len(files) == 1, "%v: files %q", err, files)
	z := must.Get(gzip.NewReader(strings.NewReader(read(t, dir, "assets/"+filepath.Base(files[0])))))(t)
	must.Equal(t, string(must.Get(io.ReadAll(z))(t)), "weights", "a file of the program holds")
}

// A page that another would take the place of is refused, also where a server knows no capital letters.
func TestPagesHaveNames(t *testing.T) {
	nb := notebook(t, `{}`, "First", "Text.")
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a", "A"}, "site: the page of A would be that of a: give the notebook another name"},
		{[]string{"Index"}, "site: the page of Index would be that of the index: give the notebook another name"},
	} {
		var s Site
		for _, name := range c.names {
			s.Lessons = append(s.Lessons, Lesson{Name: name, Notebook: nb})
		}
		err := s.Write(t.TempDir())
		must.Be(t, err != nil && err.Error() == c.want, "%q: %v, want %s", c.names, err, c.want)
	}
}

// The service worker has a version, which changes with an asset.
func TestKeeperHasTheVersionOfTheSite(t *testing.T) {
	one, two := made(t), made(t)
	a, b := read(t, one, "keep.js"), read(t, two, "keep.js")
	must.Be(t, a == b && !strings.Contains(a, `"VERSION"`), "the version is not that of the site:\n%s", a)
	s := Site{Title: "Other", Lessons: []Lesson{{Name: "a", Notebook: notebook(t, `{}`, "First", "Other text.")}}}
	dir := t.TempDir()
	must.Do(t, s.Write(dir))
	must.Be(t, read(t, dir, "keep.js") != read(t, one, "keep.js"), "another site has the same version")
}

func TestSearchIndex(t *testing.T) {
	var x searchIndex
	x.add(card{URL: "a.html", Title: "First"}, notebook(t, `{}`, "First", "A *needle*, `code`, [link](http://a.org)."))
	want := []section{{0, "a.html#cell-m", "First", "A needle, code, link. live.Show(draw, s)"},
		{0, "a.html#cell-end", "An end", "See the other, or none."}}
	must.Be(t, len(x.Sections) == 2 && x.Sections[0] == want[0] && x.Sections[1] == want[1],
		"got %+v, want %+v", x.Sections, want)
}

// A comment of a shell is no heading.
func TestSearchIndexOfFencedCode(t *testing.T) {
	var x searchIndex
	x.add(card{URL: "a.html", Title: "First"}, &ipynb.Notebook{Cells: []*ipynb.Cell{
		{ID: "m", Type: ipynb.Markdown, Source: "# One\n\n```sh\n# install\nmake\n```\n\n## Two\nEnd."}}})
	want := []section{{0, "a.html#cell-m", "One", "sh # install make"}, {0, "a.html#cell-m", "Two", "End."}}
	must.Equal(t, x.Sections, want)
}

// The same lessons make the same files, whose names a browser keeps.
func TestWritesTheSame(t *testing.T) {
	names := func(dir string) (all []string) {
		files := must.Get(filepath.Glob(filepath.Join(dir, "*", "*")))(t)
		for _, f := range files {
			all = append(all, filepath.Base(f))
		}
		return all
	}
	one, two := names(made(t)), names(made(t))
	must.Equal(t, strings.Join(one, " "), strings.Join(two, " "), one, two)
}

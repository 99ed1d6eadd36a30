package lab_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The table of lessons in notebooks/README.md, and the cards of the lessons on web pages, give the same minutes of a
// run.
func TestMinutes(t *testing.T) {
	readme := must.Get(os.ReadFile("notebooks/README.md"))(t)
	rows := regexp.MustCompile(`(?m)^\| \[\d\db?\]\((\S+\.ipynb)\) \|.*\| (\S+) \|$`).
		FindAllStringSubmatch(string(readme), -1)
	lessons := must.Get(filepath.Glob("notebooks/*.ipynb"))(t)
	must.Be(t, len(rows) == len(lessons), "README.md has %d lessons, notebooks has %d", len(rows), len(lessons))
	for _, row := range rows {
		text := must.Get(os.ReadFile(filepath.Join("notebooks", row[1])))(t)
		var lesson struct {
			Metadata struct {
				Expfam struct{ Minutes string }
			}
		}
		must.Do(t, json.Unmarshal(text, &lesson))
		if lesson.Metadata.Expfam.Minutes != row[2] {
			t.Errorf("%s takes %s minutes by its metadata, and %s by README.md", row[1], lesson.Metadata.Expfam.Minutes,
				row[2])
		}
	}
}

var sourcePath = regexp.MustCompile("`((?:expfam|viz|kernel|notebooks|internal|docs|benchmarks)/[^`*{} " +
	"…]*\\.(?:go|md|ipynb|js))`")

// Every source that a document names exists.
func TestNamedSources(t *testing.T) {
	docs := must.Get(filepath.Glob("docs/*.md"))(t)
	for _, doc := range append(docs, "README.md", "CONTRIBUTING.md") {
		text := must.Get(os.ReadFile(doc))(t)
		for _, m := range sourcePath.FindAllStringSubmatch(string(text), -1) {
			must.Get(os.Stat(filepath.FromSlash(m[1])))(t, doc, "names", m[1])
		}
	}
}

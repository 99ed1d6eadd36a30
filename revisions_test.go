package lab_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/version"
)

// Every revision of stored results is in docs/revisions.md, and no other is.
func TestRevisions(t *testing.T) {
	text := must.Get(os.ReadFile("docs/revisions.md"))(t)
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(\\S+)` \\|").FindAllStringSubmatch(string(text), -1) {
		listed[m[2]+" "+m[1]] = true
	}
	declared := regexp.MustCompile(`(?m)^(?:const|\t)\s*(\w*[rR]evision)\s+= \d+`)
	must.Do(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			at := filepath.ToSlash(path) + " " + m[1]
			must.Be(t, listed[at], "%s is not in docs/revisions.md: say there when to raise it", at)
			delete(listed, at)
		}
		return err
	}))
	for at := range listed {
		t.Errorf("docs/revisions.md has %s, which is not there", at)
	}
}

// CITATION.cff, which people and archives read, has the version of the code.
func TestVersion(t *testing.T) {
	text := must.Get(os.ReadFile("CITATION.cff"))(t)
	want := "\nversion: " + version.Version + "\n"
	must.Be(t, strings.Contains(string(text), want), "CITATION.cff has no line %q", want)
}

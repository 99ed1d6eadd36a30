package lab_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/expfam/lab/internal/must"
)

// Each dependency that is changed in place has a page in docs/upstream, with the text of an issue. The page names the
// release that is changed, and go.mod has that release: who takes another one sees here which change to try without.
func TestUpstream(t *testing.T) {
	text := must.Get(os.ReadFile("go.mod"))(t)
	mod := must.Get(modfile.Parse("go.mod", text, nil))(t)
	required := map[string]string{}
	for _, r := range mod.Require {
		required[r.Mod.Path] = r.Mod.Version
	}
	pages, err := filepath.Glob("docs/upstream/*.md")
	must.Need(t, err == nil && len(pages) == 4, "%d pages in docs/upstream, want 4; error %v", len(pages), err)
	release := regexp.MustCompile("(?m)^Changed release: `(\\S+) (\\S+)`$")
	for _, page := range pages {
		text := must.Get(os.ReadFile(page))(t)
		m := release.FindStringSubmatch(string(text))
		if m == nil {
			t.Errorf("%s has no line \"Changed release: `MODULE VERSION`\"", page)
			continue
		}
		if got := required[m[1]]; got != m[2] {
			t.Errorf("go.mod has %s %q, and %s is about %s: see there how to find out whether the change is still "+
				"needed; then take it out, or give the new release", m[1], got, page, m[2])
		}
	}
}

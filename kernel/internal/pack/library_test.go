package pack

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/expfam/lab/internal/must"
)

// The library goes without tests and lessons, each module that it requires is in the folder that replaces it, and with
// each goes its licence.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all modules")
	}
	files := map[string][]byte{}
	must.Do(t, Library(t.Context(), "../../..", "linux/amd64", func(name string, data []byte) {
		_, twice := files[name]
		must.Be(t, !twice, "%s comes twice", name)
		files[name] = data
	}))
	mod := must.Get(modfile.Parse("go.mod", files["source/go.mod"], nil))(t)
	must.Be(t, len(mod.Require) > 10 && len(mod.Require) == len(mod.Replace), "%d requirements and %d replacements",
		len(mod.Require), len(mod.Replace))
	for _, r := range mod.Replace {
		folder := strings.TrimPrefix(r.New.Path, "../")
		requires, there := files[folder+"/go.mod"]
		must.Be(t, there && !bytes.Contains(requires, []byte("require")), "%s has the go.mod %q", folder, requires)
		licensed := false
		for name := range files {
			licensed = licensed || strings.HasPrefix(name, folder+"/") && licence.MatchString(name)
		}
		must.Be(t, licensed, "%s has no licence", folder)
	}
	for name, want := range map[string]bool{
		"source/expfam/posterior.go": true, "source/viz/show.go": true, "source/LICENSE": true,
		"source/notebooks/templates/counts.ipynb": true, "source/docs/cells.md": true,
		"source/kernel/keep/kinds.go": true, "source/kernel/input/input.go": true, "source/report/doc.go": true,
		"source/expfam/link_test.go": false, "source/notebooks/00-ten-rates.ipynb": false,
		"source/kernel/internal/pack/library.go": false, "source/benchmarks/go.mod": false,
	} {
		_, there := files[name]
		must.Equal(t, there, want)
	}
}

func TestUnread(t *testing.T) {
	for name, want := range map[string]bool{
		"docs/page.go": true, "examples/x/main.go": true, "a/_old/b.go": true, ".github/x.yml": true, "logo.PNG": true,
		"README.md": true, "graph/graph.go": false, "a/doc.go": false, "fonts/font.ttf": false, "mydocs/a.go": false,
	} {
		must.Be(t, unread.MatchString(name) == want, "%s: left out is %v, want %v", name, !want, want)
	}
	must.Be(t, licence.MatchString("third/LICENSE.md") && !licence.MatchString("license/check.go"), "licences")
}

//go:build unix

package cell

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// notebooks are notebooks and what the last cell of each prints, or why it cannot. Line # begins one.
//
//go:embed testdata/notebooks.txt
var notebooks string

// TestNotebooks runs notebooks that differed from one Go program once.
func TestNotebooks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs; not with -short")
	}
	tools := newTools(t, "encoding/csv", "hash/crc32", "math/rand", "math/rand/v2", "net/http")
	for _, text := range strings.Split("\n"+notebooks, "\n# ")[1:] {
		name, rest, _ := strings.Cut(text, "\n")
		t.Run(name, func(t *testing.T) {
			source, want, _ := strings.Cut(rest, "\n===\n")
			session, shown, wrong := tools.session(t), "", ""
			for i, c := range strings.Split(source, "\n---\n") {
				p, err := session.Translate(Cell{Number: i + 1, Source: c})
				if err != nil {
					shown, wrong = "", err.Error()
					break
				}
				if session.Commit(p); p.Source != "" {
					shown, wrong = tools.run(t, p.Source)
				}
			}
			must.Be(t, strings.Contains(shown+wrong, strings.TrimSpace(want)), "%s%s, want %s", shown, wrong, want)
		})
	}
}

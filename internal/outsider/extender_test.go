package outsider

import (
	"os"
	"os/exec"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestExtender runs a program that adds a family with empty cells, a link in Go, a method
// that refuses settings and an operator: all that the library's own kinds can do.
func TestExtender(t *testing.T) {
	cmd := exec.Command(build(t, "extender"))
	cmd.Env = append(os.Environ(), "EXPFAM_STORE="+t.TempDir())
	got, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, got)
	const want = `missing: [false true false false]
the same posterior: true
expfam: observe: cell 0, replicate 0: clicks: 1 in a window of 0
clicks: the gain is 0; it must be positive
plain: 3 steps; give at least 10
sums of neighbours: 3 data
`
	must.Equal(t, string(got), want)
}

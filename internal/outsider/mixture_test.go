package outsider

import (
	"os"
	"os/exec"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestMixture runs a program that adds a prior with a score of its own and a guidance of its own. It compares what is
// sampled with closed forms, of one Gaussian curve and of a mixture.
func TestMixture(t *testing.T) {
	cmd := exec.Command(build(t, "mixture"))
	cmd.Env = append(os.Environ(), "EXPFAM_STORE="+t.TempDir())
	got, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, got)
	const want = `curves([1] at [0.5]), quadrature(cg=3, newton=6, nodes=7): exact true
curves([1] at [0.5]), laplace(6): exact true
curves([1 2] at [1.5 -1.5]), quadrature(cg=3, newton=6, nodes=7): exact true
curves([1 2] at [1.5 -1.5]), laplace(6): exact true
sample: curves: 0 weights and 0 levels; give as many, at least one
sample: compiling laplace(6) under normal(sd=0.5) with theta = x of means of 2 cells of 6 cells on go: ` +
		`Shift of laplace(6): the guidance takes data of single cells, and these data look through an operator; guide by Quadrature
`
	must.Equal(t, string(got), want)
}

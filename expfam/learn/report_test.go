package learn_test

import (
	"math"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// shrunk is a Gaussian prior whose mean of x₀ | x_t is so many times the exact one, about a prior mean of 0. Its
// Jacobian, and so its covariance, is as many times the exact one.
type shrunk struct {
	Prior
	by float64
}

func (s shrunk) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	mean, variance = s.Prior.Moments(x, l)
	return MulScalar(mean, s.by), MulScalar(variance, s.by)
}

// Exact moments of a Gaussian field have no error. A mean of 0.8 times the exact one leans in strong noise, where m is
// not near x₀: r = x₀ − 0.8 m, so E r m = 0.2 E m² and E|r|² = E tr C + 0.04 E|m|².
func TestReport(t *testing.T) {
	field, e := gp.RBF{Cells: 32, Length: 0.1}, enginetest.Open(t, "go")
	for _, by := range []float64{1, 0.8} {
		r := must.Get(learn.ReportOf(shrunk{field, by}, field, e))(t)
		must.Need(t, len(r.Width) == 4 && len(r.Width[0]) == 3 && len(r.Lean) == 4, "%v", r)
		for k, row := range r.Width {
			// 8 cosines of 128 draws at least: a standard error of .03 of the correlation and .02 of the width. Cosines
			// without variance at the level of rounding have no number.
			for b := range 2 {
				right := math.Abs(row[b]-1) < 0.1 && math.Abs(r.Lean[k][b]) < 0.12
				must.Be(t, by < 1 || right, "exact moments, level %d, band %d: width %.3f, lean %.3f", k, b, row[b],
					r.Lean[k][b])
			}
		}
		must.Be(t, by == 1 || r.Width[0][0] > 1.3 && r.Lean[0][0] > 0.5, "shrunk means: %v, %v", r.Width, r.Lean)
	}
}

// A training ends with a report, which its file keeps and a posterior has.
func TestReportIsKept(t *testing.T) {
	config := learntest.Tiny(t)
	config.Net = nn.MLP{Width: 8}
	prior := learntest.Train(t, few, config)
	path := filepath.Join(t.TempDir(), "prior.safetensors")
	must.Do(t, prior.Save(path))
	back := must.Get(learn.Load(path))(t)
	must.Need(t, prior.Report() != nil && back.Report() != nil, "no report")
	must.Equal(t, back.Reported(), prior.Reported(), "after a file")
	again := must.Get(prior.Examine(few))(t)
	must.Be(t, again.Report() != nil && again.String() == prior.String(), "examined again: %v", again)
}

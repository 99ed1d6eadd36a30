package increments

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Moments of a count times its cavity agree with a trapezoidal rule of many points around the cavity and the datum,
// also for counts of 0, cavities much wider than the likelihood, and a bad start.
func TestMomentsOfCounts(t *testing.T) {
	for _, c := range Counted() {
		terms := must.Get(c.Likelihood.Terms())(t)
		for _, y := range []float64{0, 1, 9, 20} {
			obs := must.Get(c.Likelihood.Observe1(y))(t)
			for _, cavity := range [][2]float64{{0, 1}, {1.5, 0.01}, {-3, 4}, {4, 100}, {0, 400}} {
				t.Run(fmt.Sprintf("%s %g, N(%g, %g)", c.Name, y, cavity[0], cavity[1]), func(t *testing.T) {
					at, v := cavity[0], cavity[1]
					reach := 9 * math.Sqrt(v)
					const n = 200001
					logs, top := make([]float64, n), math.Inf(-1)
					place := func(i int) float64 { return at + reach*(2*float64(i)/(n-1)-1) }
					for i := range logs {
						z := place(i)
						logs[i] = terms.LogLik(z, obs[0]) - (z-at)*(z-at)/(2*v)
						top = math.Max(top, logs[i])
					}
					var sum, mean, square float64
					for i, l := range logs {
						w, z := math.Exp(l-top), place(i)
						sum, mean, square = sum+w, mean+w*z, square+w*z*z
					}
					mean /= sum
					sd := math.Sqrt(square/sum - mean*mean)
					for _, start := range []float64{0, at, -30, 30} {
						m, variance := moments(terms, obs[0], at, v, start)
						// Half of the points are on each side of the mode. In a cavity ten times as wide as the
						// likelihood's slope a side has both a slope and a wall.
						tolerance := 2e-4
						if v >= 100 {
							tolerance = 5e-3
						}
						if math.Abs(m-mean) > tolerance*sd || math.Abs(math.Sqrt(variance)/sd-1) > tolerance {
							t.Errorf("from %g: N(%g, %g²), want N(%g, %g²)", start, m, math.Sqrt(variance), mean, sd)
						}
					}
				})
			}
		}
	}
}

// Sites of normal data are exact after one round, whatever the distribution of the increments.
func TestCountSitesOfNormalData(t *testing.T) {
	const noise = 0.3
	like := expfam.Likelihood{Family: expfam.Normal{SD: noise}, Link: expfam.IdentityLink}
	terms := must.Get(like.Terms())(t)
	y := []float64{0.5, -1}
	obs := must.Get(like.Observe1(y...))(t)
	a := mat.NewDense(2, 3, []float64{1, 2, 0, 0, 1, -1})
	c := newCountSites(a, terms, obs)
	covariance := blas64.Symmetric{N: 3, Stride: 3, Uplo: blas.Upper, Data: []float64{2, 0.5, 0, 0, 1, 0.2, 0, 0, 3}}
	c.match([]float64{0.1, 0.2, 0.3}, covariance, 1)
	want := normalEvidence(a, y, noise)
	for name, pair := range map[string][2][]float64{"information": {c.says.information, want.information},
		"pull": {c.says.pull, want.pull}} {
		for j, v := range pair[0] {
			if math.Abs(v-pair[1][j]) > 1e-4*math.Abs(pair[1][j])+1e-6 { // 1e-6 of the mass is outside of the integrals
				t.Errorf("%s %d: %g, want %g", name, j, v, pair[1][j])
			}
		}
	}
}

// Draws given counts have the means and the standard deviations of long chains.
func TestPropagationOfCounts(t *testing.T) {
	for _, kind := range Counted() {
		p := problem(t, Laplace{}, Samples).Counted(kind)
		own, exact, means := propagated(t, p, Propagation{Steps: 10, Rounds: 3, First: 20},
			Gibbs{Burn: 200, Sweeps: 1500, Keep: 500}, 100)
		mean, sd, want := own.Mean(), own.SD(), exact.SD()
		var miss, ratio float64
		for j := range mean {
			miss += math.Pow((mean[j]-means[j])/want[j], 2) / Cells
			ratio += sd[j] / want[j] / Cells
		}
		miss = math.Sqrt(miss)
		t.Logf("%v: means are %.2f sd off, sds %.3f of the exact ones", p, miss, ratio)
		if miss > 0.3 || math.Abs(ratio-1) > 0.1 { // 100 draws and a chain of 1500 sweeps: 0.12, 0.04
			t.Errorf("%v: means are %.2f sd off, sds %.3f of the exact ones", p, miss, ratio)
		}
	}
}

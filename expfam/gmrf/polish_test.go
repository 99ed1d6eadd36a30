package gmrf

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// events returns a map of counts with the given exposure in every cell.
func events(t testing.TB, g grid.Grid, like expfam.Likelihood, exposure float64,
	seen map[int]float64) expfam.Observations {
	t.Helper()
	y, known := make([]float64, g.Len()), make([]float64, g.Len())
	for j := range y {
		y[j], known[j] = seen[j], exposure
	}
	return must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{known}}))(t)
}

// Draws under known hyperparameters are those of Hamiltonian Monte Carlo from other starts, for maps whose posterior is
// far from normal.
func TestRareEventsAgreeWithHMC(t *testing.T) {
	g := grid.Grid{Rows: 6, Cols: 6}
	wide := Prior{Grid: g, Range: 4, SD: 3, Level: -8, LevelSD: 4}
	for name, c := range map[string]struct {
		prior Prior
		seen  map[int]float64
		long  bool
	}{
		"no event":    {wide, nil, true},
		"one event":   {wide, map[int]float64{8: 1}, false},
		"a cluster":   {wide, map[int]float64{8: 1, 9: 1, 14: 1, 15: 1}, true},
		"an outbreak": {wide, map[int]float64{8: 12, 9: 9, 14: 15, 15: 7}, true},
		"known level": {Prior{Grid: g, Range: 4, SD: 3, Level: -8, KnownLevel: true}, map[int]float64{8: 1}, true},
		"a nugget": {Prior{Grid: g, Range: 4, SD: 2, Nugget: 1.5, Level: -8, LevelSD: 4},
			map[int]float64{8: 2, 20: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.long && fulltest.N(0, 1) == 0 {
				t.Skip("-full")
			}
			draws := fulltest.N(500, 2000)
			like := expfam.Likelihood{Family: expfam.Poisson{}}
			obs := events(t, g, like, 1e4, c.seen)
			post := must.Get(Sample(c.prior, like, obs, Options{Draws: draws, Seed: 1, Fresh: true}))(t)
			want := must.Get(hmc.Sample(expfam.Must(c.prior.Gaussian()), like, obs, hmc.Options{Seed: 2, Accept: 0.97,
				Draws: draws, Fresh: true}))(t)
			agree(t, post, want, func(theta []float64) float64 {
				sum := 0.0
				for _, v := range theta {
					sum += 1e4 * v
				}
				return sum
			})
		})
	}
}

// agree compares the totals, and medians and widths of cells, of independent draws with those of chains.
func agree(t *testing.T, got, want *expfam.Posterior, total func(theta []float64) float64) {
	t.Helper()
	a, b := got.Functional(total), want.Functional(total)
	mean, sd := stat.MeanStdDev(a, nil)
	expected, spread := stat.MeanStdDev(b, nil)
	t.Logf("totals %.3f ± %.3f, hmc %.3f ± %.3f; %v", mean, sd, expected, spread, got.Info.Diagnostics)
	n, effective := float64(len(a)), want.Info.Diagnostics["ess_bulk"]
	near(t, "total", mean, expected, 5*spread*math.Sqrt(1/n+1/effective))
	low, high := got.Latent().Quantile(0.25), got.Latent().Quantile(0.75)
	for j, m := range want.Latent().Median() {
		width := want.Latent().Quantile(0.75)[j] - want.Latent().Quantile(0.25)[j]
		// The standard error of a median is 0.93 interquartile ranges over √n.
		near(t, fmt.Sprintf("median of cell %d", j), got.Latent().Median()[j], m,
			5*0.93*width*math.Sqrt(1/n+1/effective))
		// A quartile has 1.01 of them, and the width about 1.2.
		near(t, "width", high[j]-low[j], width, 5*1.2*width*math.Sqrt(1/n+1/effective))
	}
}

// With one cell the joint posterior of x₀ and the hyperparameters is an integral in two dimensions: x₀ is normal given
// sd, and the range does not matter. The posterior of x₀ and its mean of θ are those of quadrature.
func TestOneCellAgreesWithQuadrature(t *testing.T) {
	g := grid.Grid{Rows: 1, Cols: 1}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	for _, y := range []float64{0, 1, 7} {
		prior := Prior{Grid: g, Level: -1, LevelSD: 2}
		post := must.Get(Sample(prior, like, events(t, g, like, 10, map[int]float64{0: y}),
			Options{Draws: 1000, Seed: 1,
				Fresh: true}))(t)
		var mass, theta, below float64
		median := post.Latent().Median()[0]
		for s := math.Log(0.01); s < math.Log(mostSD); s += 0.02 {
			variance := 4 + math.Exp(2*s)
			for x := -40.; x < 10; x += 0.01 {
				p := math.Exp(logStudent(math.Exp(s), 0.7, 0.5) - (x+1)*(x+1)/(2*variance) - math.Log(variance)/2 +
					y*x - 10*math.Exp(x))
				mass += p
				theta += p * math.Exp(x)
				if x < median {
					below += p
				}
			}
		}
		mean, sd := stat.MeanStdDev(post.Theta().X.RawMatrix().Data, nil)
		near(t, fmt.Sprintf("mean after %g events", y), mean, theta/mass, 5*sd/math.Sqrt(1000))
		near(t, "probability below the median", below/mass, 0.5, 5*0.5/math.Sqrt(1000))
	}
}

// On maps with few counts, 95% intervals of the cells without data hold about
// 95% of the truths. The posterior of the hyperparameters is close to their prior there.
func TestFewDataCover(t *testing.T) {
	if fulltest.N(0, 1) == 0 {
		t.Skip("-full")
	}
	g := grid.Grid{Rows: 8, Cols: 8}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	truth := Prior{Grid: g, Range: 6, SD: 1, KnownLevel: true}
	for _, n := range []int{1, 2, 3, 5} {
		hits, cells := 0.0, 0.0
		for seed := range uint64(200) {
			rng := expfam.Stream(seed, fmt.Sprintf("test/few-%d", n))
			x := expfam.Must(truth.Draw(rng))
			theta, known := make([]float64, len(x)), make([]float64, len(x))
			for j, v := range x {
				theta[j], known[j] = math.Exp(v), 20
			}
			obs := expfam.Must(like.Observe(expfam.Must(like.Simulate(theta, known, 1, seed))))
			for _, j := range rng.Perm(len(x))[n:] {
				obs[j] = expfam.Term{}
			}
			post := expfam.Must(Sample(Prior{Grid: g}, like, obs, Options{Draws: 400, Seed: seed, Fresh: true}))
			low, high := post.EqualTailed(0.95)
			for j, v := range theta {
				if obs[j] == (expfam.Term{}) {
					cells++
					if low[j] <= v && v <= high[j] {
						hits++
					}
				}
			}
		}
		// The cells of a map are worth some two independent ones: a standard error of 0.011.
		near(t, fmt.Sprintf("coverage with %d observed cells", n), hits/cells, 0.95, 0.03)
	}
}

package counts

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

var prevalence = expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}

// survey is a map on the sphere with a third of its cells examined.
func survey(t *testing.T) (grid.Grid, expfam.Observations) {
	t.Helper()
	g := grid.Grid{Rows: 6, Cols: 7, Radius: grid.EarthRadius, X: grid.Axis{First: 30, Step: 3},
		Y: grid.Axis{First: 60, Step: -4}, Outside: make([]bool, 42)}
	g.Outside[1] = true
	theta, known := make([]float64, 42), make([]float64, 42)
	for j := range theta {
		theta[j] = 0.3 + 0.2*math.Sin(float64(j)/5)
		if j%3 == 0 {
			known[j] = float64(10 + j)
		}
	}
	data := must.Get(prevalence.Simulate(theta, known, 1, 4))(t)
	obs := must.Get(prevalence.Observe(data))(t)
	return g, obs
}

// arc is the distance of two cells on the sphere by the law of cosines.
func arc(g grid.Grid, i, j int) float64 {
	xi, yi := g.Centre(i)
	xj, yj := g.Centre(j)
	const d = math.Pi / 180
	return g.Radius * math.Acos(math.Min(1, math.Sin(yi*d)*math.Sin(yj*d)+math.Cos(yi*d)*math.Cos(yj*d)*math.Cos(
		(xi-xj)*d)))
}

func TestNeighboursAreTheirDefinition(t *testing.T) {
	g, obs := survey(t)
	const k, rho = 3, 0.25
	// sums over the k nearest other cells with data, those at the distance of the k-th as well.
	sums := func(j int) (y, n float64, members map[int]bool) {
		within := func(d float64) (cells map[int]bool) {
			cells = map[int]bool{}
			for i, o := range obs {
				if o.Size > 0 && i != j && arc(g, i, j) <= d+1e-3 { // km
					cells[i] = true
				}
			}
			return cells
		}
		for d := 0.0; ; d += 1 {
			if members = within(d); len(members) >= k {
				break
			}
		}
		for i := range members {
			w := 1 / (1 + (obs[i].Size-1)*rho)
			y, n = y+w*obs[i].Stat, n+w*obs[i].Size
		}
		return y, n, members
	}
	post := must.Get(Neighbours{Grid: g, Count: k, Correlation: rho}.Sample(prevalence, obs,
		Options{Draws: 4000, Seed: 2}))(t)
	few := must.Get(Neighbours{Grid: g, Count: k, Correlation: rho}.Sample(prevalence, obs,
		Options{Draws: 3, Seed: 2}))(t)
	must.Be(t, mat.Equal(few.X, post.X.Slice(0, 3, 0, 42)), "the first draws depend on how many there are")
	mean, sd := post.Mean(), post.SD()
	held := 0.0
	lbeta := func(a, b float64) float64 {
		la, _ := math.Lgamma(a)
		lb, _ := math.Lgamma(b)
		lab, _ := math.Lgamma(a + b)
		return la + lb - lab
	}
	for j, o := range obs {
		y, n, _ := sums(j)
		want := distuv.Beta{Alpha: 0.5 + y + o.Stat, Beta: 0.5 + n - y + o.Size - o.Stat}
		near(t, "mean", mean[j], want.Mean(), 5*want.StdDev()/math.Sqrt(4000))
		near(t, "ratio of sd", sd[j]/want.StdDev(), 1, 5/math.Sqrt(2*4000))
		if o.Size > 0 {
			held += o.Base + lbeta(0.5+y+o.Stat, 0.5+n-y+o.Size-o.Stat) - lbeta(0.5+y, 0.5+n-y)
		}
	}
	near(t, "held-out log probability", post.Info.Diagnostics["held_out"], held, 1e-9)
	// Cells without data and with the same neighbours have the same θ; those with none
	// in common, nor each other, share the prior alone.
	for _, i := range []int{0, 17} {
		_, _, a := sums(i)
		a[i] = obs[i].Size > 0
		for j := range obs {
			_, _, b := sums(j)
			b[j] = obs[j].Size > 0
			common, all := 0, 0
			for c := range obs {
				if a[c] || b[c] {
					all++
				}
				if a[c] && b[c] {
					common++
				}
			}
			r := stat.Correlation(mat.Col(nil, i, post.Theta().X), mat.Col(nil, j, post.Theta().X), nil)
			if alike := common == all && !a[i] && !b[j]; alike && r < 1-1e-9 || common == 0 && math.Abs(r) > 0.15 {
				t.Errorf("cells %d and %d share %d of %d and have correlation %g", i, j, common, all, r)
			}
		}
	}
}

// All of a constant rate are neighbours in full, few of a steep one; those of a rate
// that differs from cell to cell, as sin 10⁴ sin j does, count for little.
func TestNeighboursAreChosen(t *testing.T) {
	g := grid.Grid{Rows: 20, Cols: 20}
	for _, c := range []struct {
		name      string
		logit     func(col, j int) float64
		low, high float64 // of k
		most      float64 // of ρ; negative: at least
	}{
		{"constant", func(col, j int) float64 { return 0 }, 64, 399, 0},
		{"steep", func(col, j int) float64 { return 2 * math.Sin(0.9*float64(col)) }, 1, 12, 1},
		{"rough", func(col, j int) float64 { return 2 * math.Sin(1e4*math.Sin(float64(j))) }, 1, 399, -0.125},
	} {
		theta, known := make([]float64, 400), make([]float64, 400)
		for j := range theta {
			_, col := g.Cell(j)
			theta[j], known[j] = 1/(1+math.Exp(-c.logit(col, j))), 100
		}
		data := must.Get(prevalence.Simulate(theta, known, 1, 4))(t)
		obs := must.Get(prevalence.Observe(data))(t)
		post := must.Get(Neighbours{Grid: g}.Sample(prevalence, obs, Options{Draws: 2}))(t)
		k, rho := post.Info.Diagnostics["neighbours"], post.Info.Diagnostics["correlation"]
		must.Be(t, k >= c.low && k <= c.high && (c.most < 0 || rho <= c.most) && (c.most >= 0 || rho >= -c.most),
			"%s: %g neighbours of correlation %g", c.name, k, rho)
	}
}

func TestPooledIsOneBeta(t *testing.T) {
	_, obs := survey(t)
	y, n := 0.0, 0.0
	for _, o := range obs {
		y, n = y+o.Stat, n+o.Size
	}
	post := must.Get(Pooled{Prior: expfam.Standard{Conjugate: expfam.BetaPrior{}, A: 2, B: 3}}.Sample(prevalence, obs,
		Options{Draws: 4000}))(t)
	want := distuv.Beta{Alpha: 2 + y, Beta: 3 + n - y}
	for j, m := range post.Mean() {
		near(t, "mean", m, want.Mean(), 5*want.StdDev()/math.Sqrt(4000))
		near(t, "θ of a draw", post.At(7, j), post.At(7, 0), 0)
	}
	near(t, "ratio of sd", post.SD()[3]/want.StdDev(), 1, 5/math.Sqrt(2*4000))
	// No positive at all, and a prior with a pole at 0: θ stays inside of (0, 1).
	none := expfam.Observations{{Size: 1e6}, {}}
	pole := expfam.Standard{Conjugate: expfam.BetaPrior{}, A: 1e-3, B: 1}
	post = must.Get((Pooled{Prior: pole}).Sample(prevalence, none, Options{}))(t)
	must.Do(t, post.Check())
}

func TestPrevalenceRefuses(t *testing.T) {
	g, obs := survey(t)
	beyond := append(expfam.Observations(nil), obs...)
	beyond[0].Stat = beyond[0].Size + 1
	outside := append(expfam.Observations(nil), obs...)
	outside[1] = outside[0]
	for _, c := range []struct {
		run  func() (*expfam.Posterior, error)
		want string
	}{
		{func() (*expfam.Posterior, error) { return Pooled{}.Sample(poisson, obs, Options{}) }, "positives of trials"},
		{func() (*expfam.Posterior, error) { return Pooled{}.Sample(expfam.Likelihood{}, obs, Options{}) },
			"no family"},
		{func() (*expfam.Posterior, error) {
			return Pooled{}.Sample(expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.1}}, obs, Options{})
		}, "trials of a cell as independent"},
		{func() (*expfam.Posterior, error) { return Pooled{}.Sample(prevalence, nil, Options{}) }, "no cells"},
		{func() (*expfam.Posterior, error) { return Pooled{}.Sample(prevalence, beyond, Options{}) }, "cell 0 has"},
		{func() (*expfam.Posterior, error) {
			return Pooled{Prior: expfam.Standard{Conjugate: expfam.GammaPrior{}, A: 1, B: 1}}.Sample(prevalence, obs,
				Options{})
		}, "needs a beta prior"},
		{func() (*expfam.Posterior, error) {
			return Neighbours{Grid: g, Count: 14}.Sample(prevalence, obs, Options{})
		}, "14 neighbours with 14"},
		{func() (*expfam.Posterior, error) {
			return Neighbours{Grid: g, Correlation: 2}.Sample(prevalence, obs, Options{})
		}, "correlation 2"},
		{func() (*expfam.Posterior, error) { return Neighbours{}.Sample(prevalence, obs, Options{}) }, "0 rows"},
		{func() (*expfam.Posterior, error) { return Neighbours{Grid: g}.Sample(prevalence, outside, Options{}) },
			"cell 1 lies outside"},
		{func() (*expfam.Posterior, error) {
			return Neighbours{Grid: g}.Sample(prevalence, make(expfam.Observations, 42), Options{})
		}, "0 cells have data"},
		{func() (*expfam.Posterior, error) { return Kriging{Grid: g}.Sample(prevalence, obs[:3], Options{}) },
			"3 observed cells"},
		{func() (*expfam.Posterior, error) {
			return Kriging{Grid: g, Range: -1}.Sample(prevalence, obs, Options{})
		}, "range -1"},
		{func() (*expfam.Posterior, error) {
			return Kriging{Grid: g, Smoothness: 1}.Sample(prevalence, obs, Options{})
		}, "smoothness 1"},
	} {
		must.Refuse(c.run())(t, c.want)
	}
}

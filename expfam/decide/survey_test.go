package decide_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// gaussianField has a closed form: some cells of a line are observed.
func gaussianField(t testing.TB, draws int) (*gp.Conditional, *expfam.Posterior) {
	t.Helper()
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	obs := observe(t, like, gp.RBF{Cells: 24}, func(int) float64 { return 0.4 }, 1)
	for j := range obs {
		if j%5 > 1 || j > 14 {
			obs[j] = expfam.Term{}
		}
	}
	exact := must.Get(gp.Exact(gp.RBF{Cells: 24}, like, obs))(t)
	return exact, must.Get(exact.Sample(draws, 1))(t)
}

// Normal data of precision τ in cell j lower the variance of cell k by Σ_kj²/(Σ_jj + 1/τ), and the entropy by
// ½ log(1 + τ Σ_jj), whatever they are.
func TestGainsGaussian(t *testing.T) {
	draws := fulltest.N(1000, 4000)
	exact, post := gaussianField(t, draws)
	cov := exact.Cov
	const tau = 4
	variance := must.Get(decide.Survey{Size: tau}.Gains(post))(t)
	entropy := must.Get(decide.Survey{Size: tau, Value: decide.Entropy{}, Outcomes: 500}.Gains(post))(t)
	trace := mat.Trace(cov)
	// The variance of a cell has a relative standard error of √(2/S) by S draws, and the sum of the gains another one
	// by the effective draws of the weights; together 4% of the trace is four of them at 1000 draws.
	tolerance := 0.04 * trace * math.Sqrt(1000/float64(draws))
	must.Be(t, math.Abs(variance.Risk-trace) <= tolerance,
		"the variance before is %.4f; the trace is %.4f", variance.Risk, trace)
	var told, want []float64
	for j := range 24 {
		lower := 0.0
		for k := range 24 {
			lower += cov.At(k, j) * cov.At(k, j) / (cov.At(j, j) + 1/float64(tau))
		}
		told, want = append(told, variance.Gain[j]), append(want, lower)
		if math.Abs(variance.Gain[j]-lower) > tolerance {
			t.Errorf("cell %d: variance falls by %.4f ± %.4f; closed form %.4f", j, variance.Gain[j], variance.SE[j],
				lower)
		}
		info := 0.5 * math.Log1p(tau*cov.At(j, j))
		// Four standard errors over truths, and the bias of a nested sum of S draws, below 1/S times the spread of
		// weights.
		d := math.Abs(entropy.Gain[j] - info)
		must.Be(t, d <= 4*entropy.SE[j]+20/float64(draws),
			"cell %d: entropy falls by %.4f ± %.4f nats; closed form %.4f", j, entropy.Gain[j], entropy.SE[j], info)
	}
	r := stat.Correlation(told, want, nil)
	t.Logf("%d draws: correlation %.4f of expected reductions of variance with their closed form", draws, r)
	must.Be(t, r >= 0.98, "correlation %.4f with the closed form", r)
}

// A greedy batch takes the cells of the closed form: after each survey the covariance is that of the posterior given
// it.
func TestBatchGaussian(t *testing.T) {
	exact, post := gaussianField(t, 4000)
	const tau = 4
	b := must.Get(decide.Survey{Size: tau, Outcomes: fulltest.N(32, 128)}.Batch(post, 3, nil, 0))(t)
	must.Need(t, b.Cost() == 3 && len(b.Cells()) == 3, "%d surveys of cost %g", len(b.Cells()), b.Cost())
	cov := mat.DenseCopyOf(exact.Cov)
	best := func() (at int, most float64) {
		for j := range 24 {
			if g := gain(cov, j, tau); g > most {
				at, most = j, g
			}
		}
		return at, most
	}
	for _, s := range b.Stops {
		_, most := best()
		// Neighbours of the best cell are nearly as good, and the draws cannot tell them apart.
		g := gain(cov, s.Cell, tau)
		must.Be(t, g >= 0.9*most, "cell %d lowers the variance by %.3f; the best cell by %.3f", s.Cell, g, most)
		column := mat.NewVecDense(24, mat.Col(nil, s.Cell, cov))
		var outer mat.Dense
		outer.Outer(1/(cov.At(s.Cell, s.Cell)+1/float64(tau)), column, column)
		cov.Sub(cov, &outer)
	}
}

// gain is the closed form of what a survey of precision tau in cell j lowers the sum of variances by.
func gain(cov *mat.Dense, j int, tau float64) (sum float64) {
	for _, c := range mat.Col(nil, j, cov) {
		sum += c * c / (cov.At(j, j) + 1/tau)
	}
	return sum
}

// Far cells cost travel: with it the batch stays nearer, and within the budget.
func TestTravel(t *testing.T) {
	_, post := gaussianField(t, 400)
	g := grid.Grid{Rows: 1, Cols: 24}
	trip := decide.Trip{Grid: g, Base: 0, Fixed: 1, PerUnit: 0.2}
	must.Equal(t, trip.Cost([]int{3}, 7), 1.8, "from cell 3 to cell 7 want 1 + 0.2·4")
	b := must.Get(decide.Survey{Size: 4, Outcomes: 32}.Batch(post, 20, trip, 12))(t)
	must.Be(t, b.Cost() <= 12 && len(b.Stops) >= 3, "%d surveys cost %g of 12", len(b.Stops), b.Cost())
	b = must.Get(decide.Survey{Size: 4, Outcomes: 32}.Batch(post, 20, decide.Trip{Grid: g, Fixed: 0.1}, 0.3))(t)
	must.Be(t, len(b.Stops) == 3, "%d surveys of 0.1 with a budget of 0.3", len(b.Stops))
	for says, trip := range map[string]decide.Trip{"base is cell 24 of a Grid of 24": {Grid: g, Base: 24},
		"trip: grid": {Fixed: 1}, "a survey in cell 20 costs NaN": {Grid: grid.Grid{Rows: 4, Cols: 5}, Fixed: 1}} {
		must.Refuse(decide.Survey{Size: 4, Outcomes: 2}.Batch(post, 1, trip, 0))(t, says)
	}
	// A quarter of a great circle.
	sphere := decide.Trip{Grid: grid.Grid{Rows: 2, Cols: 2, X: grid.Axis{First: 0, Step: 90}, Y: grid.Axis{First: 0,
		Step: 45},
		Radius: 6371}, PerUnit: 1}
	c := sphere.Cost(nil, 1)
	must.Be(t, math.Abs(c-6371*math.Pi/2) <= 1e-6, "90° on the equator are %g km", c)
}

func TestSurveyRefuses(t *testing.T) {
	_, post := gaussianField(t, 100)
	must.Refuse(decide.Survey{}.Gains(post))(t, "Size is 0")
	must.Refuse(decide.Survey{Size: 1, Cells: []int{24}}.Gains(post))(t, "no cell 24 among 24")
	must.Refuse(decide.Survey{Size: 1, Outcomes: 1}.Gains(post))(t, "1 outcomes")
	must.Refuse(decide.Survey{Size: 1}.Batch(post, 0, nil, 0))(t, "0 surveys")
	must.Refuse(decide.Survey{Size: 1, Value: decide.LossOf{}}.Gains(post))(t, "there is no Loss")
	must.Refuse(decide.Survey{Size: 1}.Gains(nil))(t, "no draws")
}

package joint_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// TestUnitOfACovariate: a coefficient of elevation in metres is a thousandth of the coefficient of elevation in
// kilometres, if its prior is too, and a prior that is far wider does not change what forty counts say.
func TestUnitOfACovariate(t *testing.T) {
	const n = 40
	rng := expfam.Stream(4, "covariates")
	y, kilometres := make([]float64, n), make([]float64, n)
	for j := range y {
		kilometres[j] = 3 * rng.Float64()
		y[j] = math.Floor(math.Exp(2-kilometres[j]) + 0.5)
	}
	mean := map[string]float64{}
	for name, c := range map[string]struct{ unit, sd float64 }{
		"kilometres": {1, 1}, "metres": {1000, 1e-3}, "metres, wide": {1000, 1},
	} {
		z := mat.NewDense(n, 1, nil)
		for j, v := range kilometres {
			z.Set(j, 0, v*c.unit)
		}
		like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: operator.Design(z)}
		beta := must.Get(gp.New(nil, mat.NewSymDense(1, []float64{c.sd * c.sd})))(t)
		obs := must.Get(like.Observe1(y...))(t)
		prior := expfam.Product(gp.Unknown{Of: gp.Process{Cells: n, LevelSD: 3}}, beta)
		post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: 150, Seed: 1, Fresh: true}))(t)
		m, sd := stat.MeanStdDev(mat.Col(nil, n, post.X), nil)
		mean[name] = m * c.unit
		t.Logf("%s: %.3f ± %.3f per km, %v", name, m*c.unit, sd*c.unit, post.Info.Diagnostics)
	}
	// The standard deviation is about 0.2; four standard errors of 150 draws of each are 0.1. The truth is −1.
	must.Be(t, math.Abs(mean["metres"]-mean["kilometres"]) <= 0.1 && math.Abs(mean["metres, wide"]+1) <= 0.8,
		"coefficients per kilometre: %v", mean)
}

// TestMissingCovariate: a covariate that is not known is refused with its place.
func TestMissingCovariate(t *testing.T) {
	z := mat.NewDense(3, 1, []float64{1, math.NaN(), 2})
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: operator.Design(z)}
	obs := must.Get(like.Observe1(1, 2, 3))(t)
	beta := must.Get(gp.New(nil, mat.NewSymDense(1, []float64{1})))(t)
	prior := expfam.Product(gp.Unknown{Of: gp.Process{Cells: 3}}, beta)
	must.Refuse(joint.Sample(prior, like, obs, joint.Options{}))(t, "row 1, column 0 of the matrix is NaN")
}

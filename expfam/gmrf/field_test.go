package gmrf

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// TestFieldIsThePrior: away from the edges the field for samplers is the prior.
func TestFieldIsThePrior(t *testing.T) {
	for _, side := range [][2]int{{24, 20}, {20, 24}} {
		p := Prior{Grid: grid.Grid{Rows: side[0], Cols: side[1]}, Range: 3, SD: 0.4, Nugget: 0.1, Level: -0.2,
			LevelSD: 0.3}
		field := must.Get(p.Field())(t)
		dense := must.Get(p.Gaussian())(t)
		const draws = 4000
		centre, next := p.Grid.Index(11, 10), p.Grid.Index(12, 11)
		var sums [3]float64
		rng, x := expfam.Stream(1, "field"), make([]float64, field.Dim())
		for range draws {
			field.Draw(rng, x)
			a, b := x[centre]+0.2, x[next]+0.2
			sums[0], sums[1], sums[2] = sums[0]+a*a/draws, sums[1]+a*b/draws, sums[2]+b*b/draws
		}
		for i, want := range []float64{dense.Cov().At(centre, centre), dense.Cov().At(centre, next),
			dense.Cov().At(next, next)} {
			// Four standard errors.
			if v := dense.Cov().At(centre, centre); math.Abs(sums[i]-want) > 4*math.Sqrt((want*want+v*v)/draws) {
				t.Errorf("%v: moment %d of the middle is %g, want %g", side, i, sums[i], want)
			}
		}
		must.Absolute(t, "variance", field.Variance()[centre], 0.4*0.4+0.1*0.1+0.3*0.3, 1e-6)
		// A corner is the image of itself: at most four times.
		v := field.Variance()[0] - 0.1*0.1 - 0.3*0.3
		must.Be(t, v >= 2*0.16 && v <= 4.5*0.16, "variance %g in the corner", v)
	}
}

// TestFieldPosterior: the sampler under the fitted field, against HMC under the same;
// Laplace's approximation is of the field without its edges.
func TestFieldPosterior(t *testing.T) {
	p := Prior{Grid: grid.Grid{Rows: 6, Cols: 6}}
	known := p
	known.Range, known.SD, known.Level, known.KnownLevel = 6, 0.25, -0.1, true
	_, obs := scattered(t, known, 0.03, 2)
	base := must.Get(Sample(p, prevalence, obs, Options{Draws: 150, Seed: 1, Overdispersed: true}))(t)
	field := must.Get(p.Fitted(base).Field())(t)
	post := must.Get(diffusion.Sample(field, base.Likelihood, obs,
		diffusion.Sampler{Draws: 128, Seed: 1, Engine: enginetest.Open(t, "go"), Fresh: true}))(t)
	must.Do(t, post.Check())
	cov, mean, unit := mat.NewSymDense(field.Dim(), nil), make([]float64, field.Dim()), make([]float64, field.Dim())
	for i := range mean {
		mean[i], unit[i] = base.Info.Diagnostics["level"], 1
		image, _ := field.Multiply(unit)
		for j, v := range image {
			cov.SetSym(i, j, v)
		}
		unit[i] = 0
	}
	prior := must.Get(gp.New(mean, cov))(t)
	truth := must.Get(hmc.Sample(prior, base.Likelihood, obs, hmc.Options{Seed: 1}))(t)
	for name, p := range map[string]*expfam.Posterior{"sampler": post, "laplace": base} {
		d := must.Get(calibrate.Distances(truth, nil, p))(t)[0]
		t.Log(name, d, p.Info.Seconds)
		// 128 independent draws are 0.11 away.
		must.Be(t, d.W1 <= map[string]float64{"sampler": 0.15, "laplace": 0.3}[name], "%s: distance %v", name, d)
	}
}

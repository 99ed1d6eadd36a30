package calibrate

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// One cell under N(0, 1): the evidence by 4001 trapezoids.
func TestEvidenceAgainstQuadrature(t *testing.T) {
	one := must.Get(gp.New(nil, mat.NewSymDense(1, []float64{1})))(t)
	for _, c := range []struct {
		family expfam.Family
		link   string
		y      float64
	}{
		{expfam.Poisson{}, "exp(1+x)", 14},
		{expfam.NegativeBinomial{Successes: 3}, "sigmoid(x)", 20},
		{expfam.Exponential{}, "exp(-x)", 9},
	} {
		like := expfam.Likelihood{Family: c.family, Link: expfam.MustLink(c.link)}
		obs := must.Get(like.Observe1(c.y))(t)
		terms := must.Get(like.Terms())(t)
		var want float64
		const h = 0.005
		for x := -10.0; x <= 10; x += h {
			want += h * math.Exp(terms.LogLik(x, obs[0])-x*x/2) / math.Sqrt(2*math.Pi)
		}
		var seed uint64
		fit := func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
			seed++
			return hmc.SampleContext(ctx, one, like, obs, hmc.Options{Seed: seed, Draws: 500, Warmup: 200})
		}
		e := must.Get(Tempering{}.Run(like, obs, fit))(t)
		near(t, like.String()+": log evidence", e.Log.Mean, math.Log(want), math.Min(0.2, 4*e.Log.SE))
	}
}

// Curves of 24 cells: the evidence by importance sampling from the Laplace approximation,
// whose effective number of draws tells its own error.
func TestEvidenceAgainstImportanceSampling(t *testing.T) {
	models := []candidate{
		choices[0].models[0], choices[0].models[1], choices[0].models[2], choices[1].models[1], choices[2].models[0],
		choices[2].models[1],
		{"binomial", gp.RBF{Cells: choiceCells}, expfam.Binomial{Trials: 10}, "sigmoid(x)"},
	}
	for i, m := range models[:fulltest.N(1, len(models))] {
		t.Run(fmt.Sprintf("%s, %v", m.name, m.like()), func(t *testing.T) {
			x := make([]float64, choiceCells)
			m.prior.Draw(expfam.Stream(uint64(i), "evidence"), x)
			theta := must.Get(m.like().Theta(x))(t)
			obs := must.Get(m.like().Observe(must.Get(m.like().Simulate(theta, nil, 1, 1))(t)))(t)
			want, se := importance(t, m, obs, fulltest.N(4000, 20_000))
			e := must.Get(Tempering{}.Run(m.like(), obs, m.fit(4, 300, 1)))(t)
			t.Logf("tempering %v at %d levels, importance sampling %.3f ± %.3f", e.Log, len(e.Betas), want, se)
			near(t, "log evidence", e.Log.Mean, want, math.Min(0.2, 4*math.Hypot(e.Log.SE, se)))
		})
	}
}

// importance is log p(y) from draws of the Laplace approximation in z, x₀ = L z, widened by a fifth, and its
// standard error.
func importance(t *testing.T, m candidate, obs expfam.Observations, draws int) (logZ, se float64) {
	t.Helper()
	l := must.Get(latent.Factor("test", m.prior.Cov()))(t)
	terms := must.Get(m.like().Terms())(t)
	d, rank := l.Dims()
	forward := must.Get(terms.Forward(d))(t)
	z, x, slope := mat.NewVecDense(rank, nil), mat.NewVecDense(d, nil), make([]float64, d)
	var chol mat.Cholesky
	for range 60 { // Newton steps, of length one at most
		x.MulVec(l, z)
		terms.LogLikSlope(x.RawVector().Data, obs, slope)
		_, precision := forward.Precision(x.RawVector().Data, obs)
		h, g := mat.NewSymDense(rank, nil), mat.NewVecDense(rank, nil)
		for k := range rank {
			h.SetSym(k, k, 1)
		}
		for j, w := range precision {
			h.SymRankOne(h, w, l.RowView(j))
		}
		g.MulVec(l.T(), mat.NewVecDense(d, slope))
		g.SubVec(g, z)
		must.Need(t, chol.Factorize(h), "no mode")
		var step mat.VecDense
		must.Do(t, chol.SolveVecTo(&step, g))
		z.AddScaledVec(z, math.Min(1, 1/mat.Norm(&step, 2)), &step)
	}
	var u mat.TriDense
	chol.UTo(&u)
	const wide = 1.2
	rng := expfam.Stream(1, "importance")
	logs := make([]float64, draws)
	for i := range logs {
		e, at := mat.NewVecDense(rank, nil), mat.NewVecDense(rank, nil)
		for k := range rank {
			e.SetVec(k, rng.NormFloat64())
		}
		must.Do(t, at.SolveVec(&u, e))
		at.AddScaledVec(z, wide, at)
		x.MulVec(l, at)
		// log N(z; 0, I) − log q(z), whose constants cancel but for the width and |H|^½.
		logs[i] = terms.LogLikSlope(x.RawVector().Data, obs, slope) - mat.Dot(at, at)/2 + mat.Dot(e,
			e)/2 + float64(rank)*math.Log(wide) - chol.LogDet()/2
	}
	best := floats.Max(logs)
	for i := range logs {
		logs[i] = math.Exp(logs[i] - best)
	}
	mean, sd := stat.MeanStdDev(logs, nil)
	return best + math.Log(mean), sd / mean / math.Sqrt(float64(draws))
}

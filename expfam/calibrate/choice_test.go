package calibrate

import (
	"context"
	"errors"
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

// candidate is a model under an exact prior.
type candidate struct {
	name   string
	prior  gp.RBF
	family expfam.Family
	link   string
}

func (c candidate) like() expfam.Likelihood {
	return expfam.Likelihood{Family: c.family, Link: expfam.MustLink(c.link)}
}

// fit samples by hmc, with other random numbers each time; chains that are short for summaries are long enough for
// scores.
func (c candidate) fit(chains, draws int, seed uint64) Fit {
	return func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
		seed++
		post, err := hmc.SampleContext(ctx, c.prior, like, obs,
			hmc.Options{Chains: chains, Draws: draws, Warmup: 100, Seed: seed})
		var short *hmc.NotConverged
		if errors.As(err, &short) && short.RHat < 1.2 {
			err = nil
		}
		return post, err
	}
}

const choiceCells = 24

var choices = []struct {
	name   string
	counts bool // the candidates are of different families
	models []candidate
}{
	{"link", false, []candidate{
		{"exp", gp.RBF{Cells: choiceCells}, expfam.Poisson{}, "exp(1+x)"},
		{"softplus", gp.RBF{Cells: choiceCells}, expfam.Poisson{}, "softplus(3+3*x)"},
		{"8 sigmoid", gp.RBF{Cells: choiceCells}, expfam.Poisson{}, "8*sigmoid(x)"},
	}},
	{"family", true, []candidate{
		{"poisson", gp.RBF{Cells: choiceCells}, expfam.Poisson{}, "exp(1.5+x)"},
		{"negative binomial", gp.RBF{Cells: choiceCells}, expfam.NegativeBinomial{Successes: 3}, "1/(1+exp(1.5+x)/3)"},
	}},
	{"range", false, []candidate{
		{"short", gp.RBF{Cells: choiceCells, Length: 0.05}, expfam.Poisson{}, "exp(1.5+x)"},
		{"long", gp.RBF{Cells: choiceCells, Length: 0.2}, expfam.Poisson{}, "exp(1.5+x)"},
	}},
}

// Leave-one-out and thinning choose the model that made the data about as often as cells that are
// held out for real and predicted exactly. Two more numbers tell what could be had. The
// evidence chooses best on average of all rules that look at the data alone. New data, a second observation of every
// cell, are twice the data, and may choose better than it.
func TestTheRightModelIsChosen(t *testing.T) {
	sets := fulltest.N(1, 200)
	for i, c := range choices {
		if i > 0 && !*fulltest.Full {
			break
		}
		t.Run(c.name, func(t *testing.T) {
			right := map[string]float64{}
			refits := 0
			for i := range sets {
				truth := i % len(c.models)
				x := make([]float64, choiceCells)
				c.models[truth].prior.Draw(expfam.Stream(uint64(i), "choice/"+c.name), x)
				theta := must.Get(c.models[truth].like().Theta(x))(t)
				data := must.Get(c.models[truth].like().Simulate(theta, nil, 2, uint64(i)))(t)
				scores := map[string][]float64{}
				for m, model := range c.models {
					for name, v := range choiceScores(t, model, c.counts, data, uint64(i), &refits) {
						if m == 0 {
							scores[name] = nil
						}
						scores[name] = append(scores[name], v)
					}
				}
				for name, s := range scores {
					if floats.MaxIdx(s) == truth {
						right[name] += 1 / float64(sets)
					}
				}
			}
			t.Logf("%d data sets, right: leave-one-out %.3f, thinning %.3f, cells held out %.3f, evidence %.3f, "+
				"new data %.3f; %d refits",
				sets, right["loo"], right["thinning"], right["held out"], right["evidence"], right["new data"], refits)
			if !*fulltest.Full {
				return
			}
			for _, name := range []string{"loo", "thinning"} {
				must.Be(t, right[name] >= right["held out"]-0.05,
					"%s is right in %.3f of all cases, held-out cells in %.3f", name, right[name], right["held out"])
			}
		})
	}
}

// choiceScores are the scores of a model by five methods. The data have two replicates: the first is
// fitted, the second is new data.
func choiceScores(t *testing.T, model candidate, counts bool, data expfam.Data, seed uint64,
	refits *int) map[string]float64 {
	t.Helper()
	like := model.like()
	obs, fresh := must.Get(like.Observe1(data.Y[0]...))(t), must.Get(like.Observe1(data.Y[1]...))(t)
	fit := model.fit(2, 200, 1000*seed)
	post := must.Get(fit(t.Context(), like, obs))(t)
	e := must.Get(LOO{Refit: fit}.Run(post, obs))(t)
	*refits += len(e.Refitted)
	thinned := must.Get(Thinning{Parts: 4, Seed: seed, Counts: counts}.Run(like, obs, fit))(t)
	seen, held := make(expfam.Observations, choiceCells), make(expfam.Observations, choiceCells)
	for at, j := range expfam.Stream(seed, "choice/held").Perm(choiceCells) {
		if at < choiceCells/4 {
			held[j] = obs[j]
		} else {
			seen[j] = obs[j]
		}
	}
	part := must.Get(fit(t.Context(), like, seen))(t)
	evidence, _ := importance(t, model, obs, 2000)
	return map[string]float64{
		"loo":      e.Total().Mean,
		"thinning": thinned.Total().Mean,
		"held out": floats.Sum(must.Get(LogScore(part, held, nil))(t)),
		"new data": floats.Sum(must.Get(LogScore(post, fresh, nil))(t)),
		"evidence": evidence,
	}
}

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

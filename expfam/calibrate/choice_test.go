package calibrate

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
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

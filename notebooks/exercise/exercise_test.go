package exercise

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// answer samples what somebody made of an exercise: change may spoil it.
func answer(t *testing.T, name string, seed uint64, change func(*Exercise, *diffusion.Sampler)) *expfam.Posterior {
	t.Helper()
	e := must.Get(Find(name))(t)
	e.Data.Y = [][]float64{append([]float64(nil), e.Data.Y[0]...)}
	s := diffusion.Sampler{Draws: 250, Seed: seed, Engine: must.Get(engine.Open("go"))(t)}
	if change != nil {
		change(&e, &s)
	}
	obs := must.Get(e.Like.Observe(e.Data))(t)
	return must.Get(diffusion.Sample(e.Prior, e.Like, obs, s))(t)
}

// Right answers pass, for every exercise: other seeds, another number of draws, another sampler, numbers that somebody
// rounded or simulated.
func TestRight(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	passed := map[string]bool{}
	check := func(name string, answer any) {
		verdict := Verdict(name, answer)
		must.Be(t, verdict == "exercise "+name+": right", "%s", verdict)
		passed[name] = true
	}
	for _, e := range All {
		if e.Prior != nil {
			check(e.Name, answer(t, e.Name, 1, nil))
			check(e.Name, answer(t, e.Name, 7, nil))
		}
	}
	check("00.1", chain(t, "00.1", poisson, 3))
	check("00.2", answer(t, "00.2", 1, func(_ *Exercise, s *diffusion.Sampler) { s.Draws = 1500 }))
	check("07.1", chain(t, "07.1", must.Get(Find("07.1"))(t).Like, 2))
	for name, number := range numbers {
		check(name, number.right)
	}
	for _, whole := range []any{19, int64(19), uint8(19), float32(19)} {
		check("06.1", whole)
	}
	must.Be(t, len(passed) == len(All), "%d of %d exercises have a right answer", len(passed), len(All))
}

// numbers has a right answer to each exercise that asks for a number, and the answer of a usual mistake.
var numbers = map[string]struct {
	right, wrong float64
	mistake      string
}{
	"00b.1": {0.39, 0.5, "the prior is forgotten"},
	"00b.2": {1. / 13, 0.74, "the second month is forgotten"},
	"00b.3": {0.73, 0.68, "one Gamma"},
	"01.1":  {6, 7.3, "the noise of the data is forgotten"},
	"01.2":  {0.0924, 0.139, "the likelihood at the mean"},
	"01.3":  {10.9 / 10, 1.83, "the old noise"},
	"02.2":  {1.6, 1, "the link sigmoid(x)"},
	"02.3":  {400, 110, "the standard error is taken to be constant"},
	"03.2":  {1.41, 2, "variance for standard deviation"},
	"03.3":  {0.8 * 0.056, 0.056, "the standard deviation"},
	"04.2":  {0.14, 0.32, "ten visits"},
	"04.3":  {2.7, 1, "the latent value"},
	"05.1":  {1000 / 40.96, 1000, "all are independent"},
	"05.3":  {0.24, 0.95, "all are independent"},
	"06.1":  {19, 39, "a 95% interval"},
	"06.2":  {0.88, 1, "the sample is taken for the distribution"},
	"06.3":  {0.7, 0.5, "uniform ranks"},
	"07.2":  {0.83, 0.26, "more background"},
	"07.3":  {0.02, 0.013, "cells taken as independent"},
	"08.1":  {0.5, 0.45, "the shared part alone"},
	"08.3":  {0.37, 0.025, "the level of the band"},
	"09.1":  {1.75, 1.34, "three days"},
	"09.2":  {0.992, 1, "the integral"},
	"09.3":  {0.3, 0.23, "everybody was infected"},
	"10.1":  {0.143, 0.25, "the old cost"},
	"10.2":  {285, 100, "one standard error"},
	"10.3":  {0.93, 1, "the estimate"},
}

// chain samples the posterior of an exercise by Hamiltonian Monte Carlo.
func chain(t *testing.T, name string, like expfam.Likelihood, seed uint64) *expfam.Posterior {
	t.Helper()
	e := must.Get(Find(name))(t)
	obs := must.Get(like.Observe(e.Data))(t)
	return must.Get(hmc.Sample(e.Prior.(hmc.Prior), like, obs, hmc.Options{Seed: seed}))(t)
}

// Wrong answers do not, for any exercise, and the reason names the cause where the posterior has it.
func TestWrong(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	refused := map[string]bool{}
	for _, c := range []struct {
		mistake, name, reason string
		answer                func(name string) any
	}{
		{"a wrong link", "00.1", "exp(", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Like.Link = expfam.MustLink("exp(x)") })
		}},
		{"the old datum", "00.1", "look at the prior, the data", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Y[0][3] = 9 })
		}},
		{"a likelihood at the mean", "00.1", "another posterior", func(n string) any {
			return answer(t, n, 1, func(_ *Exercise, s *diffusion.Sampler) {
				s.Guidance, s.Method = diffusion.Delta{}, diffusion.PredictorCorrector{N: 200}
			})
		}},
		{"a forgotten exposure", "00.2", "look at the prior, the data", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Known = nil })
		}},
		{"counts divided by the exposure", "00.2", "another posterior", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) {
				e.Data.Known, e.Data.Y[0][3], e.Data.Y[0][0] = nil, 4, 1
			})
		}},
		{"0 for missing", "00.3", "what is missing", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Y[0][3], e.Data.Y[0][4] = 0, 0 })
		}},
		{"the mean for missing", "00.3", "what is missing", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Y[0][3], e.Data.Y[0][4] = 2, 2 })
		}},
		{"another prior", "00.3", "look at the prior", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Prior = gp.RBF{Cells: 10, Length: 0.3} })
		}},
		{"draws of another link", "02.1", "another posterior", func(n string) any { return chain(t, n, poisson, 1) }},
		{"draws without their correlations", "02.1", "another posterior", func(n string) any {
			return shuffled(answer(t, n, 1, nil))
		}},
		{"a prior of another length", "03.1", "look at the prior", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Prior = gp.RBF{Length: 0.4} })
		}},
		{"rates for scales", "03.1", "exp(x)", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Like.Link = expfam.MustLink("exp(x)") })
		}},
		{"forgotten visits", "04.1", "look at the prior, the data", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Known = nil })
		}},
		{"0 for missing", "04.1", "what is missing", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Y[0][5], e.Data.Y[0][6] = 0, 0 })
		}},
		{"10 examined in all villages", "05.2", "look at the prior, the data", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) {
				e.Data.Known = [][]float64{{90, 90, 90, 90, 90, 90, 90, 90, 90, 90}}
			})
		}},
		{"0 of 50 for missing", "05.2", "what is missing", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) {
				known := append([]float64(nil), e.Data.Known[0]...)
				known[4], e.Data.Y[0][4] = 50, 0
				e.Data.Known = [][]float64{known}
			})
		}},
		{"sums shared out to cells", "07.1", "another posterior", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) {
				e.Like.Operator, e.Data = nil, counts(1.5, 1.5, 6.5, 6.5, 4.5, 4.5, 0.5, 0.5, 4, 4)
				for j, y := range e.Data.Y[0] {
					e.Data.Y[0][j] = math.Round(y)
				}
			})
		}},
		{"means for sums", "07.1", "mean", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) {
				labels := []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}
				e.Like.Operator = expfam.SumOf{Operator: &operator.Areas{Labels: labels, Mean: true}}
			})
		}},
		{"a forgotten exposure", "08.2", "look at the prior, the data", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Known = nil })
		}},
		{"0 for missing", "08.2", "what is missing", func(n string) any {
			return answer(t, n, 1, func(e *Exercise, _ *diffusion.Sampler) { e.Data.Y[0][2] = 0 })
		}},
		{"no posterior", "00.1", "asks for a posterior", func(string) any { return 3.5 }},
	} {
		verdict := Verdict(c.name, c.answer(c.name))
		must.Be(t, strings.HasPrefix(verdict, "exercise "+c.name+": not yet: ") && strings.Contains(verdict, c.reason),
			"%s: %s", c.mistake, verdict)
		refused[c.name] = true
	}
	for name, number := range numbers {
		verdict := Verdict(name, number.wrong)
		must.Be(t, strings.Contains(verdict, "further from the right number"), "%s: %s", number.mistake, verdict)
		refused[name] = true
	}
	must.Be(t, len(refused) == len(All), "%d of %d exercises have a wrong answer", len(refused), len(All))
}

// shuffled returns a posterior whose cells are right one by one, and belong to different draws.
func shuffled(p *expfam.Posterior) *expfam.Posterior {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.DenseCopyOf(p.X)
	draws, cells := x.Dims()
	for j := range cells {
		for to, from := range rng.Perm(draws) {
			x.Set(to, j, p.X.At(from, j))
		}
	}
	return &expfam.Posterior{X: x, Likelihood: p.Likelihood, Info: p.Info}
}

func TestFind(t *testing.T) {
	must.Refuse(Find("99.9"))(t, "00.1", "02.1")
	must.Be(t, strings.Contains(Verdict("00b.1", math.NaN()), "not yet"), "NaN is right")
	must.Be(t, strings.Contains(Verdict("00.1", &expfam.Posterior{}), "no draws"), "no draws are right")
}

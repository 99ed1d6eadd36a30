package exercise

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/internal/must"
)

// answer samples what somebody made of an exercise: change may spoil it.
func answer(t *testing.T, name string, seed uint64, change func(*Exercise, *diffusion.Sampler)) *expfam.Posterior {
	t.Helper()
	e := must.Get(Find(name))(t)
	e.Data.Y = [][]float64{append([]float64(nil), e.Data.Y[0]...)}
	s := diffusion.Sampler{Draws: 500, Seed: seed}
	if change != nil {
		change(&e, &s)
	}
	obs := must.Get(e.Like.Observe(e.Data))(t)
	return must.Get(diffusion.Sample(e.Prior, e.Like, obs, s))(t)
}

// Twelve right answers pass: other seeds, another number of draws, another sampler, numbers within their noise.
func TestRight(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	for _, c := range []struct {
		name   string
		answer func(name string) any
	}{
		{"00.1", func(n string) any { return answer(t, n, 1, nil) }},
		{"00.1", func(n string) any { return answer(t, n, 2, nil) }},
		{"00.1", func(n string) any { return chain(t, n, poisson, 3) }},
		{"00.2", func(n string) any { return answer(t, n, 1, nil) }},
		{"00.2", func(n string) any { return answer(t, n, 7, nil) }},
		{"00.2", func(n string) any {
			return answer(t, n, 1, func(_ *Exercise, s *diffusion.Sampler) { s.Draws = 1500 })
		}},
		{"00.3", func(n string) any { return answer(t, n, 1, nil) }},
		{"00.3", func(n string) any { return answer(t, n, 5, nil) }},
		{"02.1", func(n string) any { return answer(t, n, 1, nil) }},
		{"02.1", func(n string) any { return answer(t, n, 4, nil) }},
		{"00b.1", func(string) any { return 0.39 }},
		{"01.1", func(string) any { return 6 }},
	} {
		verdict := Verdict(c.name, c.answer(c.name))
		must.Be(t, verdict == "exercise "+c.name+": right", "%s", verdict)
	}
}

// chain samples the posterior of an exercise by Hamiltonian Monte Carlo.
func chain(t *testing.T, name string, like expfam.Likelihood, seed uint64) *expfam.Posterior {
	t.Helper()
	e := must.Get(Find(name))(t)
	obs := must.Get(like.Observe(e.Data))(t)
	return must.Get(hmc.Sample(e.Prior.(hmc.Prior), like, obs, hmc.Options{Seed: seed}))(t)
}

// Twelve wrong answers do not, and the reason names the cause where the posterior has it.
func TestWrong(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
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
		{"a wrong number", "00b.1", "further from the right number", func(string) any { return 0.5 }},
		{"no posterior", "00.1", "asks for a posterior", func(string) any { return 3.5 }},
	} {
		verdict := Verdict(c.name, c.answer(c.name))
		must.Be(t, strings.HasPrefix(verdict, "exercise "+c.name+": not yet: ") && strings.Contains(verdict, c.reason),
			"%s: %s", c.mistake, verdict)
	}
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

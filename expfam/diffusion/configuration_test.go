package diffusion_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// equicorrelated is (1−ρ) I + ρ 11ᵀ.
func equicorrelated(m int, rho float64) *mat.SymDense {
	k := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range m {
			k.SetSym(i, j, rho)
		}
		k.SetSym(i, i, 1)
	}
	return k
}

// independent is N(0, I) in d cells.
func independent(d int) *gp.Gaussian { return expfam.Must(gp.New(nil, equicorrelated(d, 0))) }

// hidden is an exact prior of which nothing is known but its moments, as of a learned one, from a noise level on.
type hidden struct {
	gaussian *gp.Gaussian
	low      float64
}

func (h hidden) String() string             { return fmt.Sprintf("hidden(%v, %g)", h.gaussian, h.low) }
func (h hidden) Dim() int                   { return h.gaussian.Dim() }
func (h hidden) Range() (low, high float64) { return h.low, 150 }
func (h hidden) Moments(x *graph.Node, l level.Nodes) (mean, variance *graph.Node) {
	return h.gaussian.Moments(x, l)
}

// cellPosterior is mean and standard deviation of one cell with prior N(0, 1), by
// the trapezoid rule, which is exact to rounding for such densities.
func cellPosterior(t *testing.T, like expfam.Likelihood, c expfam.Term) (mean, sd float64) {
	terms := must.Get(like.Terms())(t)
	mode, h := 0.0, 1.0
	for range 200 { // damped Newton
		slope := terms.Slope(mode, c) - mode
		h = 1 + math.Max(0, terms.Information(mode, c))
		mode += math.Max(-0.5, math.Min(0.5, slope/h))
	}
	at := func(x float64) float64 { return terms.LogLik(x, c) - x*x/2 }
	top, scale := at(mode), 1/math.Sqrt(h)
	var mass, first, second float64
	for k := -4000; k <= 4000; k++ {
		z := float64(k) / 400
		w := math.Exp(at(mode+scale*z) - top)
		mass, first, second = mass+w, first+w*z, second+w*z*z
	}
	first, second = first/mass, second/mass
	return mode + scale*first, scale * math.Sqrt(second-first*first)
}

// Posteriors have the right width however little or much the data say: in every
// family, by every way to the end of a diffusion.
func TestSharpPosteriors(t *testing.T) {
	const cells = 8
	e := enginetest.Open(t, "go")
	sds := []float64{0.3, 0.003, 1e-4}
	if *fulltest.Full {
		sds = []float64{0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4}
	}
	like := func(f expfam.Family, link string) expfam.Likelihood {
		return expfam.Likelihood{Family: f, Link: expfam.MustLink(link)}
	}
	for i, c := range []struct {
		like expfam.Likelihood
		// term says about as much as an observation of x₀ = 0.3 with the precision p.
		term func(p float64) expfam.Term
	}{
		{like(expfam.Poisson{}, "exp(x)"), func(p float64) expfam.Term {
			return expfam.Term{Stat: math.Round(p), Size: p / math.Exp(0.3)}
		}},
		{like(expfam.Normal{}, "x"), func(p float64) expfam.Term { return expfam.Term{Stat: 0.3 * p, Size: p} }},
		{like(expfam.Binomial{Trials: 1}, "sigmoid(2*x)"), func(p float64) expfam.Term {
			q := 1 / (1 + math.Exp(-0.6))
			n := math.Round(p / (4 * q * (1 - q)))
			return expfam.Term{Stat: math.Round(n * q), Size: n}
		}},
		{like(expfam.Gamma{}, "1/exp(x)"), func(p float64) expfam.Term {
			return expfam.Term{Stat: p * math.Exp(0.3), Size: p}
		}},
		{like(expfam.Binomial{Trials: 1}, "normcdf(x)"), func(p float64) expfam.Term {
			n := math.Round(p * 1.6)
			return expfam.Term{Stat: math.Round(n * 0.618), Size: n}
		}},
	} {
		if i > 0 && !*fulltest.Full {
			break
		}
		for _, sd := range sds {
			obs := make(expfam.Observations, cells)
			for j := range obs {
				obs[j] = c.term(1 / (sd * sd))
			}
			mean, want := cellPosterior(t, c.like, obs[0])
			must.Need(t, want > sd/2 && want < sd*2, "%v: a posterior of sd %g, want about %g", c.like, want, sd)
			for name, prior := range map[string]expfam.Prior{"exact": independent(cells),
				"from 0.003 on": hidden{independent(cells), 0.003}} {
				t.Run(fmt.Sprintf("%v/%g/%s", c.like, sd, name), func(t *testing.T) {
					post := must.Get(Sample(prior, c.like, obs, Sampler{Draws: fulltest.N(416, 800), Seed: 1, Engine: e,
						Fresh: true}))(t)
					// 3300 independent values at least: standard errors of 0.017 of the mean and 0.012 of the sd, in
					// units of the sd; the estimate at the end lacks 2 percent at most.
					x := post.X.RawMatrix().Data
					if ratio := stat.StdDev(x, nil) / want; !(ratio > 0.95 && ratio < 1.05) {
						t.Errorf("sd %.3f of the exact %.3g, by %s", ratio, want, post.Info.Method)
					}
					off := (stat.Mean(x, nil) - mean) / want
					must.Be(t, math.Abs(off) < 0.06, "mean is off by %.3f sd, by %s", off, post.Info.Method)
				})
			}
		}
	}
}

// The same for a smooth prior, whose cells share what the data say, in closed form.
func TestSharpFields(t *testing.T) {
	prior := gp.RBF{Cells: 20, Length: 0.2}
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	truth := make([]float64, 20)
	prior.Draw(expfam.Stream(1, "sharp"), truth)
	e := enginetest.Open(t, "go")
	for _, sd := range []float64{0.1, 0.001} {
		if sd == 0.1 && !*fulltest.Full {
			continue
		}
		rng, obs := expfam.Stream(2, "sharp"), make(expfam.Observations, 20)
		for j, x := range truth {
			if j%4 == 3 {
				continue // missing, and known by its neighbours
			}
			p := 1 / (sd * sd)
			obs[j] = expfam.Term{Stat: (x + sd*rng.NormFloat64()) * p, Size: p}
		}
		exact := expfam.Must(gp.Exact(prior, like, obs))
		for _, method := range []Method{CovarianceSteps{}, Restarts{}, Multistep{}} {
			t.Run(fmt.Sprintf("%g/%v", sd, method), func(t *testing.T) {
				post := expfam.Must(Sample(prior, like, obs,
					Sampler{Draws: fulltest.N(320, 500), Seed: 1, Method: method, Engine: e, Fresh: true}))
				d := expfam.Must(calibrate.Distances(exact, truth, post))[0]
				// 320 exact draws have 0.99 and 0.056, with standard errors of about
				// 0.025 and 0.02 here, where cells go together.
				must.Be(t, d.CI > 0.93 && d.CI < 1.07 && d.Med < 0.11, "width %.3f, median %.3f sd off, by %s", d.CI,
					d.Med, post.Info.Method)
			})
		}
	}
}

// Sharp data of a very smooth curve tell its level so precisely that a solve in Float32 overflows. The posterior has
// the closed form's mean and width all the same.
func TestSharpDataOfSmoothCurve(t *testing.T) {
	field := gp.RBF{Cells: 17, Length: 1}
	rng, x := expfam.Stream(1, "smooth"), make([]float64, 17)
	field.Draw(rng, x)
	obs := noisy(rng, x, 1e-4)
	for j := 1; j < 17; j += 4 {
		obs[j] = expfam.Term{}
	}
	exact := must.Get(gp.Exact(field, normal, obs))(t)
	// 500 draws have a mean .045 sd off and a sd 3% off; four times that in the worst cell.
	agrees(t, "draws", sample(t, field, normal, obs, Sampler{Engine: enginetest.Open(t, "go"), Seed: 1}), exact.Mean,
		exact.Cov, 0.18, 0.13)
}

// Data that a posterior cannot be sampled for are refused, by the cause.
func TestSampleRefusesData(t *testing.T) {
	unit, smooth := independent(4), gp.RBF{Cells: 12, Length: 0.5}
	normal := func(link string, sd float64) expfam.Likelihood {
		return expfam.Likelihood{Family: expfam.Normal{SD: sd}, Link: expfam.MustLink(link)}
	}
	observe := func(l expfam.Likelihood, y ...float64) expfam.Observations { return expfam.Must(l.Observe1(y...)) }
	rugged := observe(normal("x", 0.01), 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1)
	poisson := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		like  expfam.Likelihood
		obs   expfam.Observations
		s     Sampler
		want  string
	}{
		{"300 prior sd out", unit, normal("x", 1), observe(normal("x", 1), 600, 0, 0, 0), Sampler{},
			"cell 0: the data put x₀ at 299.9, 300 standard deviations from the prior's mean 0"},
		{"another unit", unit, poisson, expfam.Must(poisson.Observe(expfam.Data{Y: [][]float64{{1, 1e25, 2, 3}},
			Missing: [][]bool{make([]bool, 4)}})), Sampler{}, "cell 1: the data put x₀ at 5"},
		{"no smooth field", smooth, normal("x", 0.01), rugged, Sampler{}, "the data are no draw of this model"},
		{"projected coordinates of a billion", unit, normal("1e9+x", 0.1),
			observe(normal("1e9+x", 0.1), 1e9, 1e9, 1e9, 1e9), Sampler{},
			"which Float64 does not resolve; subtract what is constant in the link"},
		{"a sampler that ends above the posterior", unit, normal("x", 1e-3), observe(normal("x", 1e-3), 0, 1, 0, 1),
			Sampler{Method: Paper},
			"the data fix x₀ to 0.001, and pc("},
		{"not to be resolved", unit, normal("x", 1e-16), observe(normal("x", 1e-16), 0, 1, 0, 1), Sampler{},
			"Float64 does not resolve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Fresh, c.s.Draws, c.s.Engine = true, 10, enginetest.Open(t, "go")
			post, err := Sample(c.prior, c.like, c.obs, c.s)
			must.Be(t, post == nil && err != nil && strings.Contains(err.Error(), c.want),
				"posterior %v, error %v; want %q in it", post, err, c.want)
		})
	}
}

// Offsets that Float32 does not resolve are computed in Float64, by themselves.
func TestLargeOffsets(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.1}, Link: expfam.MustLink("1000000+x")}
	obs := expfam.Must(like.Observe1(1000000.5, 999999.25, 1000000, 1000001))
	post := expfam.Must(Sample(independent(4), like, obs,
		Sampler{Draws: 2000, Seed: 1, Engine: enginetest.Open(t, "go"), Fresh: true}))
	mean, variance := []float64{0.5, -0.75, 0, 1}, slices.Repeat([]float64{0.01 / 1.01}, 4)
	floats.Scale(1/1.01, mean)
	// 2000 draws: a standard error of 0.022 sd.
	agrees(t, "draws", post, mean, mat.NewDiagDense(4, variance), 0.08, 0.06)
}

// Data that ask for nothing get the steps that were asked for, and data that surprise
// the prior get returns at low noise.
func TestRefine(t *testing.T) {
	end := level.VP{}.Level(1e-3).Sigma()
	for _, m := range []Refiner{Restarts{}, Restarts{Count: 4, Last: 9}, Multistep{N: 12}, ODE{}} {
		before, after := m.Steps(), m.Refine(Demand{End: end, Misfit: 1}).Steps()
		must.Be(t, fmt.Sprint(before) == fmt.Sprint(after), "%v is changed to %v without need", m,
			m.Refine(Demand{End: end, Misfit: 1}))
		for _, d := range []Demand{{End: 1e-5, Misfit: 1}, {End: 1e-5, Misfit: 50}, {End: 1, Misfit: 50}} {
			steps := m.Refine(d).Steps()
			last := steps[len(steps)-1].Level.Sigma()
			want := math.Min(d.End, end)
			must.Be(t, math.Abs(last/want-1) <= 1e-9, "%v ends at %g for %+v, want %g", m, last, d, want)
		}
	}
	for _, m := range []Refiner{Restarts{}, CovarianceSteps{}, ImageRestarts()} { // the last ends above the low returns
		must.Do(t, m.Refine(Demand{End: 1, Misfit: 50}).(expfam.Checker).Check())
		if calm, alarmed := m.Refine(Demand{End: 1, Misfit: 1}),
			m.Refine(Demand{End: 1, Misfit: 50}); len(alarmed.Steps()) <= len(calm.Steps()) {
			t.Errorf("%v after %v for data that surprise the prior", alarmed, calm)
		}
	}
	faint := CovarianceSteps{}.Refine(Demand{End: 1, Faint: true}).Steps()
	must.Be(t, len(faint) == 10 && math.Abs(faint[3].Level.Sigma()-3) < 1e-9, "%d steps for faint data, back at %g",
		len(faint), faint[3].Level.Sigma())
}

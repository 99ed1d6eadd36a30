package benchmarks

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestCoefficients asks how often 95% intervals of coefficients hold the truth, over 200 draws of the prior and their
// data, and how far their draws are from long chains: a few data sets of one case without -full.
func TestCoefficients(t *testing.T) {
	cases := must.Get(Regressions())(t)
	times, against, draws := fulltest.N(4, 200), fulltest.N(1, 60), fulltest.N(64, 500)
	if !*full {
		cases = cases[:1]
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			cells := problem.Prior.Dim()
			sampler, err := diffusion.Compile(c.Parts, c.Likelihood, diffusion.Sampler{Draws: draws, Engine: few(t)})
			must.Do(t, err)
			defer sampler.Close()
			var covered [Coefficients]calibrate.Scores
			var distance [Coefficients]calibrate.Scores
			for seed := range uint64(times) {
				x, obs, err := c.Draw(seed)
				must.Do(t, err)
				post, err := sampler.Sample(t.Context(), obs, seed)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					continue
				}
				inside, err := calibrate.Coverage{}.Latent(post.Latent(), x)
				must.Do(t, err)
				for k := range Coefficients {
					covered[k] = append(covered[k], inside[cells+k])
				}
				if seed >= uint64(against) {
					continue
				}
				truth, err := hmc.Sample(c.Joint, c.Likelihood, obs, hmc.Options{Draws: fulltest.N(500, 2000), Seed: 1})
				must.Do(t, err)
				for k := range Coefficients {
					distance[k] = append(distance[k], between(post, truth, cells+k))
				}
			}
			var all, far calibrate.Scores
			for k, name := range []string{"intercept", "ramp", "rough"} {
				t.Logf("%s: 95%% intervals hold %v, W1/sd %v", name, covered[k].Mean(), distance[k].Mean())
				all = append(all, covered[k]...)
				far = append(far, distance[k]...)
				// 500 independent draws of a normal distribution are 0.057 from it, and 0.08 is wanted.
				if w := distance[k].Mean(); *full && w.Mean > 0.08 {
					t.Errorf("%s: W1/sd against long chains is %v", name, w)
				}
			}
			m, w := all.Mean(), far.Mean()
			t.Logf("all: 95%% intervals hold %v of %d, W1/sd %v", m, len(all), w)
			// 64 draws are 0.15 from the exact posterior, and those of one data set scatter by half of that.
			must.Be(t, w.Mean <= 0.35, "W1/sd against long chains is %v", w)
			low, high := 0.93, 0.97
			if !*full { // 12 of which some depend on each other: three standard errors
				low, high = 0.7, 1
			}
			must.Be(t, m.Mean >= low && m.Mean <= high, "95%% intervals hold the truth in %.3f", m.Mean)
		})
	}
}

// few is the engine for few draws, which has nothing to compile; nil is the default.
func few(t *testing.T) *engine.Engine {
	t.Helper()
	if *full {
		return nil
	}
	return benchtest.Open(t, "go")
}

// between is W₁ of a cell of two posteriors in standard deviations of the second.
func between(post, truth *expfam.Posterior, cell int) float64 {
	a, b := mat.Col(nil, cell, post.X), mat.Col(nil, cell, truth.X)
	slices.Sort(a)
	slices.Sort(b)
	var sum float64
	for k, v := range a {
		sum += math.Abs(v - stat.Quantile((float64(k)+0.5)/float64(len(a)), stat.Empirical, b, nil))
	}
	return sum / float64(len(a)) / stat.StdDev(b, nil)
}

// TestPreferentialSampling: a survey that goes where the field is high makes its average too
// high, until the places are data as well.
func TestPreferentialSampling(t *testing.T) {
	p, err := NewPreferential()
	must.Do(t, err)
	both := expfam.Together(p.Values, p.Places)
	var bias, miss [2]calibrate.Scores
	var inside [2]calibrate.Scores
	var samplers [2]*diffusion.Compiled
	for k, like := range []expfam.Likelihood{p.Values, both} {
		if k == 0 && !*full { // the bias is known
			continue
		}
		if samplers[k], err = diffusion.Compile(p.Prior, like,
			diffusion.Sampler{Draws: fulltest.N(32, 200), Engine: few(t)}); err != nil {
			t.Fatal(err)
		}
		defer samplers[k].Close()
	}
	for seed := range uint64(fulltest.N(4, 100)) {
		x, values, places, err := p.Draw(seed)
		must.Do(t, err)
		truth := Average(x)
		for k, obs := range []expfam.Observations{values, slices.Concat(values, places)} {
			if samplers[k] == nil {
				continue
			}
			post := must.Get(samplers[k].Sample(t.Context(), obs, seed))(t)
			draws := post.Latent().Functional(Average)
			slices.Sort(draws)
			off := stat.Mean(draws, nil) - truth
			bias[k], miss[k] = append(bias[k], off), append(miss[k], math.Abs(off))
			held := 0.0
			if n := len(draws); truth > draws[n/40] && truth < draws[n-1-n/40] {
				held = 1
			}
			inside[k] = append(inside[k], held)
		}
	}
	for k, name := range []string{"values alone", "values and places"} {
		if samplers[k] == nil {
			continue
		}
		t.Logf("%s: bias of the average %v, mean absolute error %v, 95%% intervals hold %v", name, bias[k].Mean(),
			miss[k].Mean(), inside[k].Mean())
	}
	if b := bias[0].Mean(); *full && b.Mean < 4*b.SE {
		t.Errorf("values alone are not biased: %v", b)
	}
	b := bias[1].Mean()
	must.Be(t, math.Abs(b.Mean) <= 4*b.SE, "values and places are biased: %v", b)
}

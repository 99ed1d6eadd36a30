package diffusion_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// withConstant is a likelihood with unknown constants, and the likelihood that makes the data.
type withConstant struct {
	truth, like expfam.Likelihood
	gap         bool // the second half of the cells has no data
}

// pairs are the means of neighbours among 30 cells.
var pairs = &operator.Downsample{Cols: 30}

var constantCases = map[string]withConstant{
	"dispersion": {truth: expfam.Likelihood{Family: expfam.NB2{Dispersion: 0.4}, Link: expfam.MustLink("exp(2+x)")},
		like: expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.MustLink("exp(2+x)"),
			Unknown: law.Laws{"dispersion": nil}}},
	"noise sd": {truth: expfam.Likelihood{Family: expfam.Normal{SD: 0.5}},
		like: expfam.Likelihood{Family: expfam.Normal{}, Unknown: law.Laws{"noise sd": nil}}},
	"correlation": {truth: expfam.Likelihood{Family: expfam.BetaBinomial{Trials: 20, Correlation: 0.1}},
		like: expfam.Likelihood{Family: expfam.BetaBinomial{Trials: 20}, Unknown: law.Laws{"correlation": nil}}},
	"link": {truth: expfam.Likelihood{Family: expfam.Binomial{Trials: 20}},
		like: expfam.Likelihood{Family: expfam.Binomial{Trials: 20},
			Link:    expfam.MustLink("sigmoid(s*x)", expfam.Constants{"s": 1}),
			Unknown: law.Laws{"s": law.LogNormal{Median: 1, SD: 0.5}}}},
	"shape": {truth: expfam.Likelihood{Family: expfam.Gamma{Shape: 4}, Link: expfam.MustLink("4*exp(-x)")},
		like: expfam.Likelihood{Family: expfam.Gamma{}, Link: expfam.MustLink("4*exp(-x)"),
			Unknown: law.Laws{"shape": nil}}},
	"behind an operator": {
		truth: expfam.Likelihood{Family: expfam.NB2{Dispersion: 0.2}, Link: expfam.MustLink("exp(2+x)"),
			Operator: pairs},
		like: expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.MustLink("exp(2+x)"), Operator: pairs,
			Unknown: law.Laws{"dispersion": nil}}},
	"with a gap": {truth: expfam.Likelihood{Family: expfam.NB2{Dispersion: 0.4}, Link: expfam.MustLink("exp(2+x)")},
		like: expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.MustLink("exp(2+x)"),
			Unknown: law.Laws{"dispersion": nil}}, gap: true},
	"two": {truth: expfam.Likelihood{Family: expfam.NB2{Dispersion: 0.4}, Link: expfam.MustLink("exp(2+x)")},
		like: expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.MustLink("exp(a+x)", expfam.Constants{"a": 2}),
			Unknown: law.Laws{"dispersion": nil, "a": law.Normal{Mean: 1, SD: 2}}}},
}

// data returns observations of a draw of the process.
func (c withConstant) data(t *testing.T, process gp.RBF, seed uint64) expfam.Observations {
	x := make([]float64, process.Dim())
	process.Draw(expfam.Stream(seed, "constants"), x)
	theta := must.Get(c.truth.Theta(x))(t)
	obs := must.Get(c.like.Observe(must.Get(c.truth.Simulate(theta, nil, 1, seed))(t)))(t)
	if c.gap {
		clear(obs[len(obs)/2:])
	}
	return obs
}

// constantScores returns the draws of a constant as scores under its law.
func constantScores(t *testing.T, post *expfam.Posterior, p law.Parameter) []float64 {
	scores := slices.Clone(must.Get(post.Parameter(p.Name))(t).Draws)
	for i, v := range scores {
		scores[i] = law.Score(p.Law, v)
	}
	return scores
}

// TestConstants: an unknown constant under a prior that is known by its moments has the posterior of package joint,
// which knows that the prior is Gaussian. With -full the prior is also the network that ships, and there are 24 data
// sets for each constant.
func TestConstants(t *testing.T) {
	type named struct {
		name string
		expfam.Prior
	}
	var priors []named
	names, sets, exact := []string{"dispersion", "noise sd"}, 1, 1000
	process := gp.RBF{Cells: 12, Length: 0.25}
	s := Sampler{Fresh: true, Engine: enginetest.Fast(t)}
	if *fulltest.Full {
		process, s.Engine = gp.RBF{Cells: 30}, enginetest.Fast(t)
		priors = append(priors, named{"network", must.Get(learn.Load(weights))(t)})
		names = append(names, "correlation", "link", "shape", "behind an operator", "with a gap", "two")
		sets, exact = 24, 2000
	}
	priors = append(priors, named{"concealed", concealed{process}})
	for _, prior := range priors {
		for _, name := range names {
			t.Run(prior.name+"/"+name, func(t *testing.T) {
				c := constantCases[name]
				all := must.Get(c.like.Unknowns())(t)
				offs, widths := make([][]float64, len(all)+1), make([][]float64, len(all)+1)
				compare := func(k int, got, want []float64) (off float64) {
					m, sd := stat.MeanStdDev(got, nil)
					m0, sd0 := stat.MeanStdDev(want, nil)
					off = (m - m0) / sd0
					offs[k], widths[k] = append(offs[k], math.Abs(off)), append(widths[k], sd/sd0)
					return off
				}
				var found verdicts
				for seed := range uint64(sets) {
					obs := c.data(t, process, seed)
					s.Seed = seed
					post := must.Get(Sample(prior.Prior, c.like, obs, s))(t)
					want := must.Get(joint.Sample(process, c.like, obs, joint.Options{Draws: exact, Seed: 1}))(t)
					for k, p := range all {
						off := compare(k, constantScores(t, post, p), constantScores(t, want, p))
						t.Logf("%s: off %.3f sd, width %.3f, %.0f nodes, %.0f evaluations in all, %.2f s and %.2f s "+
							"of compiling", p.Name, off, widths[k][seed], post.Info.Diagnostics["nodes"],
							post.Info.Diagnostics["evaluations"], post.Info.Seconds, post.Info.Compile)
						must.Be(t, *fulltest.Full || math.Abs(off) < 0.35 && math.Abs(widths[k][seed]-1) < 0.2,
							"%s: %.3f sd off, width %.3f", p.Name, off, widths[k][seed]) // five standard errors
					}
					for j := range process.Dim() {
						compare(len(all), mat.Col(nil, j, post.X), mat.Col(nil, j, want.X))
					}
					found.count(post.Info.Certificate)
				}
				for k := range offs {
					label := "cells"
					if k < len(all) {
						label = all[k].Name
					}
					slices.Sort(offs[k])
					middle, width := offs[k][len(offs[k])/2], stat.Mean(widths[k], nil)
					t.Logf("%s: %.3f sd off (median), width %.3f (mean); certificates: %v", label, middle, width, found)
					// 500 draws alone are 0.03 sd off.
					must.Be(t, !*fulltest.Full || middle <= 0.15 && math.Abs(width-1) <= 0.05,
						"%s: %.3f sd off, width %.3f", label, middle, width)
				}
			})
		}
	}
}

// TestConstantsOfAMixture: the standard deviation of normal data under mixtures of Gaussians has the posterior by
// quadrature of their closed forms. The mixtures are a curve at two levels, and the curves of a prior with a parameter
// of its own, whose draws come beside.
func TestConstantsOfAMixture(t *testing.T) {
	const cells = 12
	like := constantCases["noise sd"].like
	p := must.Get(like.Unknowns())(t)[0]
	level := func(at float64) *gp.Gaussian {
		mean := make([]float64, cells)
		for j := range mean {
			mean[j] = at
		}
		return must.Get(gp.New(mean, gp.RBF{Cells: cells, Length: 0.25, Variance: 0.25}.Gaussian().Cov()))(t)
	}
	levels := &gp.Mixture{Weights: []float64{2, 1}, Parts: []*gp.Gaussian{level(-1), level(1)}}
	own, curves := newLengths(t, cells, 0, []float64{0.3, 1, 1.7})
	for name, c := range map[string]struct {
		prior   expfam.Prior
		weights []float64
		parts   []*gp.Gaussian
	}{"levels": {levels, levels.Weights, levels.Parts}, "length scales": {own, own.Weights, curves}} {
		t.Run(name, func(t *testing.T) {
			var off, ratio []float64
			for seed := range uint64(fulltest.N(1, 20)) {
				x, rng := make([]float64, cells), expfam.Stream(seed, "constants/mixture")
				c.parts[rng.IntN(len(c.parts))].Draw(rng, x)
				for j := range x {
					x[j] += 0.5 * rng.NormFloat64()
				}
				var at, weights []float64
				for v := -2.5; v <= 2; v += 0.02 {
					known := expfam.Likelihood{Family: expfam.Normal{SD: law.At(p.Law, v)}}
					sum := 0.0
					for k, part := range c.parts {
						exact := must.Get(gp.Exact(part, known, must.Get(known.Observe1(x...))(t)))(t)
						sum += c.weights[k] * math.Exp(exact.LogEvidence)
					}
					at, weights = append(at, v), append(weights, 1e12*sum*math.Exp(-v*v/2))
				}
				m0, sd0 := stat.MeanStdDev(at, weights)
				s := Sampler{Seed: seed, Fresh: true, Engine: enginetest.Fast(t), Draws: fulltest.N(250, 500)}
				post := must.Get(Sample(c.prior, like, must.Get(like.Observe1(x...))(t), s))(t)
				m, sd := stat.MeanStdDev(constantScores(t, post, p), nil)
				off, ratio = append(off, math.Abs(m-m0)/sd0), append(ratio, sd/sd0)
				t.Logf("%.2f ± %.2f: %.3f sd off, width %.3f; %v", m0, sd0, (m-m0)/sd0, sd/sd0, post.Parameters)
				_, cells := post.Dims()
				must.Be(t, cells == len(x), "%d cells", cells)
			}
			slices.Sort(off)
			middle, width := off[len(off)/2], stat.Mean(ratio, nil)
			t.Logf("%.3f sd off (median), width %.3f (mean)", middle, width)
			most, wide := 0.3, 0.2 // five standard errors of 250 draws
			if *fulltest.Full {
				most, wide = 0.15, 0.05
			}
			must.Be(t, middle <= most && math.Abs(width-1) <= wide, "%.3f sd off, width %.3f", middle, width)
		})
	}
}

// TestConstantsShares: draw k depends on the seed and k alone, a finished run is loaded, and shares are merged.
func TestConstantsShares(t *testing.T) {
	process, c := gp.RBF{Cells: 8, Length: 0.25}, constantCases["noise sd"]
	prior, obs := concealed{process}, c.data(t, process, 3)
	s := Sampler{Seed: 5, Engine: enginetest.Open(t, "go"), Draws: 60}
	whole := must.Get(Sample(prior, c.like, obs, s))(t)
	again := must.Get(Sample(prior, c.like, obs, s))(t)
	must.Be(t, mat.Equal(whole.X, again.X) && again.Info.Seconds == whole.Info.Seconds &&
		again.Likelihood.String() == whole.Likelihood.String(), "a finished run is made again: %v", again.Info)
	var shares []*expfam.Posterior
	for i := range 2 {
		share := must.Get(s.Share(i, 2))(t)
		share.Fresh = true
		shares = append(shares, must.Get(Sample(prior, c.like, obs, share))(t))
	}
	merged := must.Get(expfam.Merge(shares...))(t)
	must.Be(t, mat.Equal(merged.X, whole.X), "shares have other draws than the whole run")
}

// TestConstantsRefused: what cannot be inferred is refused in a sentence that says what to do.
func TestConstantsRefused(t *testing.T) {
	prior := concealed{gp.RBF{Cells: 8}}
	c := constantCases["two"]
	three := c.like
	three.Link = expfam.MustLink("exp(a+b*x)", expfam.Constants{"a": 2, "b": 1})
	three.Unknown = law.Laws{"dispersion": nil, "a": law.Normal{SD: 1}, "b": law.LogNormal{Median: 1, SD: 1}}
	for want, like := range map[string]expfam.Likelihood{
		"3 constants":              three,
		"7 observations of 8 data": c.like,
		"must be positive":         {Family: expfam.Normal{}, Unknown: law.Laws{"noise sd": law.HalfNormal{}}},
	} {
		_, err := Sample(prior, like, make(expfam.Observations, 7), Sampler{Fresh: true})
		must.Be(t, err != nil && strings.Contains(err.Error(), want), "%v: error %v, want %q", like, err, want)
	}
	must.Refuse(Sample(prior, c.like, make(expfam.Observations, 8), Sampler{Draws: 1 << 50, Fresh: true}))(t,
		"1125899906842624 draws of 8 cells")
}

// TestConstantsRanks: under the network that ships, the ranks of true constants that come from their laws, and of a
// cell, are uniform among the draws (Talts et al. 2018).
func TestConstantsRanks(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("200 data sets: run with -full")
	}
	const sets, draws = 100, 63
	prior, process := must.Get(learn.Load(weights))(t), gp.RBF{Cells: 30}
	for _, name := range []string{"dispersion", "noise sd"} {
		t.Run(name, func(t *testing.T) {
			like := constantCases[name].like
			p := must.Get(like.Unknowns())(t)[0]
			if name == "noise sd" {
				like.Unknown = law.Laws{name: law.LogNormal{Median: 0.5, SD: 0.5}} // of data that say something
				p.Law = like.Unknown[name]
			}
			ranks := map[string][]float64{}
			for seed := range uint64(sets) {
				rng := expfam.Stream(seed, "constants/ranks")
				value, x := law.Draw(rng, []law.Parameter{p}), make([]float64, process.Dim())
				process.Draw(rng, x)
				truth, _ := must.Get2(like.With(value, nil))(t)
				data := must.Get(truth.Simulate(must.Get(truth.Theta(x))(t), nil, 1, seed))(t)
				post := must.Get(Sample(prior, like, must.Get(like.Observe(data))(t), Sampler{Draws: draws, Seed: seed,
					Fresh: true, Engine: enginetest.Fast(t)}))(t)
				for what, c := range map[string]struct {
					truth float64
					draws []float64
				}{name: {value[0], post.Parameters[0].Draws}, "middle cell": {x[15], mat.Col(nil, 15, post.X)}} {
					below := rng.Float64()
					for _, v := range c.draws {
						if v < c.truth {
							below++
						}
					}
					ranks[what] = append(ranks[what], below/(draws+1))
				}
			}
			for what, r := range ranks {
				slices.Sort(r)
				var distance, covered float64 // of Kolmogorov and Smirnov, and of intervals of 90%
				for i, v := range r {
					distance = math.Max(distance, math.Max(float64(i+1)/sets-v, v-float64(i)/sets))
					if v > 0.05 && v < 0.95 {
						covered += 1. / sets
					}
				}
				t.Logf("%s: distance %.3f, of which uniform ranks have more than %.3f in 5%%; 90%% intervals cover "+
					"%.2f", what, distance, 1.36/math.Sqrt(sets), covered)
				most := 1.95 / math.Sqrt(sets) // uniform ranks exceed it in 0.1%
				must.Be(t, distance <= most, "%s: the ranks are %.3f from uniform", what, distance)
			}
		})
	}
}

// TestConstantsOfALattice: the standard deviation of normal data under a Gaussian prior of a lattice, whose draws end
// with exact transitions, has the posterior by quadrature of the closed form. A prior of as many cells that is known by
// its moments alone is refused.
func TestConstantsOfALattice(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("a minute: run with -full")
	}
	const side = 16
	field := must.Get(gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: 6, SD: 1}.Field())(t)
	dense := covarianceOf(t, field)
	like := constantCases["noise sd"].like
	p := must.Get(like.Unknowns())(t)[0]
	for seed := range uint64(2) {
		x, rng := make([]float64, side*side), expfam.Stream(seed, "constants/lattice")
		field.Draw(rng, x)
		for j := range x {
			x[j] += 0.5 * rng.NormFloat64()
		}
		var at, weights, logs []float64
		for v := -1.0; v <= 0; v += 0.02 { // a half of a posterior standard deviation
			known := expfam.Likelihood{Family: expfam.Normal{SD: law.At(p.Law, v)}}
			exact := must.Get(gp.Exact(dense, known, must.Get(known.Observe1(x...))(t)))(t)
			at, logs = append(at, v), append(logs, exact.LogEvidence-v*v/2)
		}
		for _, l := range logs {
			weights = append(weights, 1e6*math.Exp(l-slices.Max(logs)))
		}
		m0, sd0 := stat.MeanStdDev(at, weights)
		s := Sampler{Seed: seed, Fresh: true, Engine: enginetest.Fast(t), Draws: 200}
		post := must.Get(Sample(field, like, must.Get(like.Observe1(x...))(t), s))(t)
		m, sd := stat.MeanStdDev(constantScores(t, post, p), nil)
		t.Logf("%.2f ± %.3f: %.3f sd off, width %.3f; %v, %v", m0, sd0, (m-m0)/sd0, sd/sd0, post.Info.Diagnostics,
			post.Info.Certificate)
		must.Be(t, math.Abs(m-m0) <= 0.5*sd0 && math.Abs(sd/sd0-1) <= 0.25, "%.3f sd off, width %.3f", (m-m0)/sd0,
			sd/sd0) // five standard errors of 200 draws
		_, err := Sample(concealedLattice{field, side}, like, make(expfam.Observations, len(x)), s)
		must.Be(t, err != nil && strings.Contains(err.Error(), "256 cells"), "%v", err)
	}
}

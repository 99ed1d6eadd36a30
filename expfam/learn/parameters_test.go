package learn_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

const cells = 30

// lengths are curves of unknown length scale and standard deviation.
var lengths = gp.Unknown{Of: gp.RBF{Cells: cells}, Laws: law.Laws{
	"length scale": law.LogNormal{Median: 0.15, SD: 0.6}, "sd": law.LogNormal{Median: 1, SD: 0.4}}}

// likelihoods are those under which the curves are observed.
var likelihoods = []Likelihood{{Family: Normal{SD: 0.5}}, {Family: Poisson{}, Link: MustLink("exp(1+x)")}}

// TestLengthScales: a prior that was trained on curves of unknown length scale and standard deviation, or smoothness,
// has the posteriors of package joint, which knows the processes exactly. The log has, over 60 data sets, the mean
// distance of posterior means in exact posterior standard deviations, and the mean ratio of the standard deviations.
func TestLengthScales(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("trains for minutes; run with -full")
	}
	rough := gp.Unknown{Of: gp.Process{Kernel: gp.AnyMatern{}, SD: 1}} // of the default laws
	for _, c := range []struct {
		of   gp.Unknown
		like Likelihood
		gaps bool // every fourth cell has no datum
	}{{lengths, likelihoods[0], false}, {lengths, likelihoods[0], true}, {lengths, likelihoods[1], false},
		{lengths, likelihoods[1], true}, {rough, likelihoods[0], false}, {rough, likelihoods[1], false}} {
		t.Run(fmt.Sprintf("%v, %v, gaps %t", c.of, c.like.Family, c.gaps), func(t *testing.T) {
			prior := must.Get(learn.Train(c.of, learn.Training{}))(t) // once for each process
			t.Logf("trained in %.0f s", prior.Curve.Seconds)
			off, ratio := againstJoint(t, c.of, prior, c.like, c.gaps)
			for name := range off {
				t.Logf("%s: means %.3f sd off, widths %.3f", name, off[name], ratio[name])
				// 500 draws have means 0.036 sd off. Where all cells have data the rest is the network's, and with gaps
				// most of it is the guidance's, of rough curves.
				far, wide := 0.16, 0.06
				if c.gaps {
					far, wide = 0.25, 0.08
				}
				must.Be(t, off[name] <= far && math.Abs(ratio[name]-1) <= wide,
					"%s: means are %.3f sd off, and widths %.3f of the exact", name, off[name], ratio[name])
			}
		})
	}
}

// againstJoint compares posteriors of 60 data sets under a trained prior with those of package joint: the mean distance
// of means in exact standard deviations, and the mean ratio of standard deviations, of each parameter and of the cells.
func againstJoint(t *testing.T, of gp.Unknown, prior Prior, like Likelihood, gaps bool) (off,
	ratio map[string]float64) {
	const sets = 60
	link := must.Get(like.Terms())(t).Link
	off, ratio = map[string]float64{}, map[string]float64{}
	count := func(name string, exact, got []float64, share float64) {
		m0, s0 := stat.MeanStdDev(exact, nil)
		m1, s1 := stat.MeanStdDev(got, nil)
		off[name] += math.Abs(m1-m0) / s0 * share / sets
		ratio[name] += s1 / s0 * share / sets
	}
	for s := range sets {
		x, theta := make([]float64, cells), make([]float64, cells)
		of.Draw(Stream(uint64(s), "length scales"), x)
		for j := range x {
			theta[j] = link.At(x[j])
		}
		obs := must.Get(like.Observe(must.Get(like.Simulate(theta, nil, 1, uint64(s)))(t)))(t)
		for j := 2; gaps && j < cells; j += 4 {
			obs[j] = Term{}
		}
		// Each set has noise of its own: with one seed for all, the mean over sets has the error of a single one.
		seed := uint64(s)
		exact := must.Get(joint.Sample(of, like, obs, joint.Options{Draws: 1000, Seed: seed}))(t)
		got := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Seed: seed, Fresh: true}))(t)
		for k, p := range got.Parameters {
			count(p.Name, logarithms(exact.Parameters[k].Draws), logarithms(p.Draws), 1)
		}
		for j := 0; j < cells; j += 5 {
			count("cells", mat.Col(nil, j, exact.X), mat.Col(nil, j, got.X), 1./6)
		}
	}
	return off, ratio
}

// TestRanks: under the prior of TestLengthScales the ranks of the true parameters, and of a cell, among the draws are
// uniform (Talts et al. 2018).
func TestRanks(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("trains for minutes; run with -full")
	}
	const sets, draws = 200, 63
	prior := must.Get(learn.Train(lengths, learn.Training{}))(t)
	for _, like := range likelihoods {
		t.Run(fmt.Sprint(like.Family), func(t *testing.T) {
			link := must.Get(like.Terms())(t).Link
			ranks := map[string][]float64{}
			for s := range sets {
				rng := Stream(uint64(s), "ranks")
				values, x, theta := law.Draw(rng, lengths.Parameters()), make([]float64, cells), make([]float64, cells)
				lengths.DrawGiven(rng, values, x)
				for j := range x {
					theta[j] = link.At(x[j])
				}
				obs := must.Get(like.Observe(must.Get(like.Simulate(theta, nil, 1, uint64(s)))(t)))(t)
				sampler := diffusion.Sampler{Draws: draws, Seed: uint64(s), Fresh: true}
				post := must.Get(diffusion.Sample(prior, like, obs, sampler))(t)
				count := func(name string, truth float64, drawn []float64) {
					below := rng.Float64() // a rank in [0, draws+1) that is uniform
					for _, v := range drawn {
						if v < truth {
							below++
						}
					}
					ranks[name] = append(ranks[name], below/(draws+1))
				}
				for k, p := range post.Parameters {
					count(p.Name, values[k], p.Draws)
				}
				count("middle cell", x[cells/2], mat.Col(nil, cells/2, post.X))
			}
			uniform := law.Grid(distuv.Uniform{Max: 1}, 10000)
			for name, r := range ranks {
				slices.Sort(r)
				d := stat.KolmogorovSmirnov(r, nil, uniform, nil)
				t.Logf("%s: distance %.3f; 5%% of uniform ranks have more than %.3f", name, d, 1.36/math.Sqrt(sets))
				// Kolmogorov and Smirnov at 0.1%
				must.Be(t, d <= 1.95/math.Sqrt(sets), "%s: the ranks are %.3f from uniform", name, d)
			}
		})
	}
}

// logarithms returns the logarithms of numbers.
func logarithms(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = math.Log(v[i])
	}
	return out
}

package learn_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestLengthScales: a prior that was trained on curves of unknown length scale and standard deviation has the
// posteriors of package joint, which knows the processes exactly. The log has, over 60 data sets, the mean distance of
// posterior means in exact posterior standard deviations, and the mean ratio of the standard deviations.
func TestLengthScales(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("trains for minutes; run with -full")
	}
	const sets, cells = 60, 30
	sim := gp.Unknown{Of: gp.RBF{Cells: cells}, Laws: law.Laws{
		"length scale": law.LogNormal{Median: 0.15, SD: 0.6}, "sd": law.LogNormal{Median: 1, SD: 0.4}}}
	prior := must.Get(learn.Train(sim, learn.Training{}))(t)
	t.Logf("trained in %.0f s", prior.Curve.Seconds)
	for _, like := range []Likelihood{{Family: Normal{SD: 0.5}}, {Family: Poisson{}, Link: MustLink("exp(1+x)")}} {
		t.Run(fmt.Sprint(like.Family), func(t *testing.T) {
			link := must.Get(like.Terms())(t).Link
			off, ratio := map[string]float64{}, map[string]float64{}
			count := func(name string, exact, got []float64) {
				m0, s0 := stat.MeanStdDev(exact, nil)
				m1, s1 := stat.MeanStdDev(got, nil)
				off[name] += math.Abs(m1-m0) / s0 / sets
				ratio[name] += s1 / s0 / sets
			}
			for s := range sets {
				x, theta := make([]float64, cells), make([]float64, cells)
				sim.Draw(Stream(uint64(s), "length scales"), x)
				for j := range x {
					theta[j] = link.At(x[j])
				}
				obs := must.Get(like.Observe(must.Get(like.Simulate(theta, nil, 1, uint64(s)))(t)))(t)
				exact := must.Get(joint.Sample(sim, like, obs, joint.Options{Draws: 1000, Seed: 1}))(t)
				got := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Seed: 1, Fresh: true}))(t)
				for k, p := range got.Parameters {
					count(p.Name, logarithms(exact.Parameters[k].Draws), logarithms(p.Draws))
				}
				for j := 0; j < cells; j += 5 {
					count("cells", mat.Col(nil, j, exact.X), mat.Col(nil, j, got.X))
				}
			}
			off["cells"], ratio["cells"] = off["cells"]/6, ratio["cells"]/6
			for _, name := range []string{"length scale", "sd", "cells"} {
				t.Logf("%s: means %.3f sd off, widths %.3f", name, off[name], ratio[name])
				// 500 draws have means 0.036 sd off. The error of the network is largest for the length scale of
				// smooth curves, which depends on modes of a thousandth of their amplitude.
				if off[name] > 0.4 || math.Abs(ratio[name]-1) > 0.12 {
					t.Errorf("%s: means are %.3f sd off, and widths %.3f of the exact", name, off[name], ratio[name])
				}
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

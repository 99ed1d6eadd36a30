package learn_test

import (
	"math"
	"path/filepath"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// still is a training whose one step is shorter than the last digit of any weight.
func still(c learn.Training, from learn.Trained) learn.Training {
	c.From, c.Steps, c.Rate = from, 1, 1e-30
	return c
}

// weightsOf are the weights of a network of some cells by the names of its parameters.
func weightsOf(t *testing.T, trained interface{ Save(path string) error }, net nn.Network,
	cells int) map[string][]float32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "network")
	must.Do(t, trained.Save(path))
	f := must.Get(store.Read(path))(t)
	flat, _ := f.Tensor("weights")
	values, weights := flat.Data.([]float32), map[string][]float32{}
	for _, param := range net.Params(cells, 2) {
		weights[param.Name], values = values[:param.Size()], values[param.Size():]
	}
	return weights
}

// A running mean of equal float32 weights is off by an ulp, and weights that are 0 move by the rate.
func equalWeights(a, b []float32) bool {
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 2e-7*math.Abs(float64(a[i]))+1e-25 {
			return false
		}
	}
	return len(a) == len(b)
}

// A training that starts from a network and goes nowhere has its weights and its held-out loss, on the same draws.
func TestTrainingStartsFromANetwork(t *testing.T) {
	c := learntest.Tiny(t)
	first := learntest.Train(t, few, c)
	last := first.Curve.HeldOut[len(first.Curve.HeldOut)-1]
	again := learntest.Train(t, few, still(c, first))
	near(t, "held-out loss", again.Curve.HeldOut[0], last, 1e-6) // float32
	before, after := weightsOf(t, first, c.Net, few.Dim()), weightsOf(t, again, c.Net, few.Dim())
	for name := range before {
		must.Be(t, equalWeights(before[name], after[name]), "%s moved", name)
	}
	t.Run("and goes on", func(t *testing.T) {
		c := c
		c.From = first
		tuned := learntest.Train(t, few, c)
		loss := tuned.Curve.HeldOut[len(tuned.Curve.HeldOut)-1]
		must.Be(t, loss < last, "held-out loss %g after twice as many steps, %g before", loss, last)
	})
	t.Run("its network is the default", func(t *testing.T) {
		c := still(c, first)
		c.Net = nil
		must.Equal(t, learntest.Train(t, few, c).String(), again.String(), again)
	})
	t.Run("inference", func(t *testing.T) {
		first := learntest.TrainInference(t, few, poisson, c)
		again := learntest.TrainInference(t, few, poisson, still(c, first))
		near(t, "held-out loss", again.Curve.HeldOut[0], first.Curve.HeldOut[len(first.Curve.HeldOut)-1], 1e-6)
	})
}

// A U-Net of 4×4 cells starts one of 8×8: all weights are taken over but the spectrum, which is measured on the larger
// images. (Inference networks have no coupling to measure, which takes pure Go a minute.)
func TestTrainingStartsFromASmallerGrid(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps, c.Batch = 2, 64
	net := nn.UNet{Rows: 4, Columns: 4, Channels: 2, Multiples: []int{1}, Embedding: 2}
	wide := net
	wide.Rows, wide.Columns = 8, 8
	c.Net = net
	small := learntest.TrainInference(t, cellsOf(16), poisson, c)
	c.Net = wide
	large := learntest.TrainInference(t, cellsOf(64), poisson, still(c, small))
	fresh := learntest.TrainInference(t, cellsOf(64), poisson, still(c, nil))
	from, to, measured := weightsOf(t, small, net, 16), weightsOf(t, large, wide, 64), weightsOf(t, fresh, wide, 64)
	for name := range from {
		want := from[name]
		if name == "spectrum" {
			want = measured[name]
		}
		must.Be(t, equalWeights(to[name], want), "%s begins with other values", name)
	}
	must.Be(t, !equalWeights(to["spectrum"], from["spectrum"]), "the spectrum is that of the small images")
	must.Be(t, len(large.Scale.Mean) == 64 && large.Scale.Mean[0] == fresh.Scale.Mean[0],
		"scale of %d cells, mean %g; want that of a training from random weights, %g", len(large.Scale.Mean),
		large.Scale.Mean[0], fresh.Scale.Mean[0])
}

// A U-Net without adaptation starts one with it: their parameters are the same, and those of the adaptation begin as
// they do from random weights.
func TestTrainingStartsAnAdaptiveNetwork(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps, c.Batch = 2, 64
	fixed := nn.UNet{Rows: 4, Columns: 4, Channels: 2, Multiples: []int{1}, Embedding: 2}
	adaptive := fixed
	adaptive.Adaptive = true
	c.Net = fixed
	first := learntest.TrainInference(t, cellsOf(16), poisson, c)
	c.Net = adaptive
	next := learntest.TrainInference(t, cellsOf(16), poisson, still(c, first))
	fresh := learntest.TrainInference(t, cellsOf(16), poisson, still(c, nil))
	from, to, random := weightsOf(t, first, fixed, 16), weightsOf(t, next, adaptive, 16),
		weightsOf(t, fresh, adaptive, 16)
	for name := range to {
		want, had := from[name]
		if !had {
			want = random[name]
		}
		must.Be(t, equalWeights(to[name], want), "%s begins with other values", name)
	}
	near(t, "held-out loss", next.Curve.HeldOut[0], first.Curve.HeldOut[len(first.Curve.HeldOut)-1], 1e-6)
	t.Run("and not the reverse", func(t *testing.T) {
		c := still(c, next)
		c.Net = fixed
		must.Refuse(learn.TrainInference(cellsOf(16), poisson, c))(t, "other parameters")
	})
}

func TestTrainingFromANetworkResumes(t *testing.T) {
	c := learntest.Tiny(t)
	c.From = learntest.Train(t, few, c)
	whole := learntest.Train(t, few, c)
	t.Setenv("EXPFAM_STORE", t.TempDir())
	c.Fresh = false
	stop(t, c, 40)
	other := c
	other.From = nil
	must.Be(t, !same(learntest.Train(t, few, other), whole), "random weights give the same network")
	p, first := resume(t, c)
	must.Be(t, same(p, whole), "resumed %v, whole %v", p, whole)
	must.Be(t, first >= 40, "it began again at step %d", first)
}

func TestTrainingRefusesAStart(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 1
	prior, inference := learntest.Train(t, few, c), learntest.TrainInference(t, few, poisson, c)
	normed := nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}
	e := enginetest.Open(t, "go")
	for name, c := range map[string]struct {
		sim  Simulator
		net  nn.Network
		from learn.Trained
		want string
	}{
		"an inference network": {few, c.Net, inference, "From is an inference network, and the training is of a prior"},
		"nothing":              {few, c.Net, (*learn.Prior)(nil), "From is a nil network"},
		"another architecture": {few, nn.MLP{Width: 8}, prior, "which has other parameters"},
		"another width": {few, nn.Experts{Experts: 2, Blocks: 1, Width: 8, Embedding: 16}, prior,
			"which has other parameters"},
		"other cells": {cellsOf(7), c.Net, prior, "on 7 cells, and From is"},
		"other channels": {cellsOf(16), nn.UNet{Rows: 4, Columns: 4, Channels: 8, Multiples: []int{1, 2},
			Embedding: 8}, learntest.Untrained(t, normed, 16), "which has other parameters"},
	} {
		t.Run(name, func(t *testing.T) {
			must.Refuse(learn.Train(c.sim, learn.Training{Net: c.net, From: c.from, Steps: 1, Batch: 2, Engine: e,
				Fresh: true}))(t, c.want)
		})
	}
	must.Refuse(learn.TrainInference(few, poisson, still(c, prior)))(t,
		"From is a prior, and the training is of an inference network")
}

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

// A U-Net of 4×4 cells starts one of 8×8, and one without adaptation starts one with it. All weights are taken over but
// the spectrum, which is measured on the larger images; what the first network lacks begins as it does from random
// weights. (Inference networks have no coupling to measure, which takes pure Go a minute.)
func TestTrainingStartsFromAnotherUNet(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps, c.Batch = 2, 64
	small := nn.UNet{Rows: 4, Columns: 4, Channels: 2, Multiples: []int{1}, Embedding: 2}
	wide, adaptive := small, small
	wide.Rows, wide.Columns = 8, 8
	adaptive.Adaptive = true
	c.Net = small
	first := learntest.TrainInference(t, cellsOf(16), poisson, c)
	from := weightsOf(t, first, small, 16)
	for _, net := range []nn.UNet{wide, adaptive} {
		cells := net.Rows * net.Columns
		c.Net = net
		next := learntest.TrainInference(t, cellsOf(cells), poisson, still(c, first))
		fresh := learntest.TrainInference(t, cellsOf(cells), poisson, still(c, nil))
		to, random := weightsOf(t, next, net, cells), weightsOf(t, fresh, net, cells)
		for name := range to {
			want, had := from[name]
			if !had || name == "spectrum" {
				want = random[name]
			}
			must.Be(t, equalWeights(to[name], want), "%v: %s begins with other values", net, name)
		}
		must.Be(t, equalWeights(to["spectrum"], from["spectrum"]) == (cells == 16),
			"%v: the spectrum is that of other images", net)
		must.Equal(t, next.Scale, fresh.Scale, "scale")
		if cells == 16 {
			near(t, "held-out loss", next.Curve.HeldOut[0], first.Curve.HeldOut[len(first.Curve.HeldOut)-1], 1e-6)
			c.Net = small
			must.Refuse(learn.TrainInference(cellsOf(16), poisson, still(c, next)))(t, "other parameters")
		}
	}
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

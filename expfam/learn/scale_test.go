package learn_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

func TestScaleOfFarCells(t *testing.T) {
	s := must.Get(learn.ScaleOf(odd{"far", func(rng *rand.Rand) float64 { return 1e9 + rng.NormFloat64() }}, 10000,
		Stream(1, "scale")))(t)
	// 5 standard errors, 1/√n and 1/√2n.
	must.Be(t, math.Abs(s.Mean[2]-1e9) <= 0.05 && math.Abs(s.SD[2]-1) <= 0.036, "mean %.9g, sd %g", s.Mean[2], s.SD[2])
}

// waves is a field of 4×4 cells, the same in every cell but for its phase.
type waves struct{ stationary bool }

func (waves) String() string { return "waves" }
func (waves) Dim() int       { return 16 }

func (w waves) Stationary() bool { return w.stationary }

func (waves) Draw(rng *rand.Rand, x []float64) {
	phase, height := 2*math.Pi*rng.Float64(), rng.NormFloat64()
	for j := range x {
		x[j] = 3 + height*math.Sin(phase+float64(j%4)+0.5*float64(j/4))
	}
}

func TestScaleOfStationary(t *testing.T) {
	s := must.Get(learn.ScaleOf(waves{true}, 4000, Stream(1, "scale")))(t)
	each := must.Get(learn.ScaleOf(waves{}, 4000, Stream(1, "scale")))(t)
	// The law of total variance over the cells of the same draws.
	var mean, square float64
	for j := range each.Mean {
		mean += each.Mean[j] / 16
		square += (each.SD[j]*each.SD[j] + each.Mean[j]*each.Mean[j]) / 16
	}
	for j := range s.Mean {
		if math.Abs(s.Mean[j]-mean) > 1e-12 || math.Abs(s.SD[j]-math.Sqrt(square-mean*mean)) > 1e-12 {
			t.Errorf("cell %d: mean %g, sd %g; want %g and %g", j, s.Mean[j], s.SD[j], mean,
				math.Sqrt(square-mean*mean))
		}
	}
}

func TestResize(t *testing.T) {
	small := nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}
	large := small
	large.Rows, large.Columns = 8, 12
	prior := learntest.Untrained(t, small, 16) // of one scale in all cells
	t.Run("the same grid", func(t *testing.T) {
		must.Equal(t, must.Get(prior.Resize(small, 16))(t).String(), prior.String(), prior)
	})
	t.Run("a larger grid", func(t *testing.T) {
		resized := must.Get(prior.Resize(large, 96))(t)
		must.Be(t, resized.Dim() == 96 && resized.String() != prior.String(), "%d cells, %v", resized.Dim(), resized)
		like := Likelihood{Family: Poisson{}, Link: ExpLink}
		c := must.Get(diffusion.Compile(resized, like, diffusion.Sampler{Draws: 2, Engine: enginetest.Fast(t)}))(t)
		defer c.Close()
		obs := make(Observations, 96)
		for j := range obs {
			obs[j] = Term{Stat: 20, Size: 1}
		}
		if _, err := c.Sample(context.Background(), obs, 1); err != nil {
			t.Error(err)
		}
	})
	plain := *prior
	plain.Scale.Mean = slices.Clone(prior.Scale.Mean)
	plain.Scale.Mean[3] = 1
	for name, c := range map[string]struct {
		prior *learn.Prior
		net   nn.Network
		cells int
		want  string
	}{
		"a scale for each cell": {&plain, large, 96, "Stationary"},
		"other parameters": {prior, nn.UNet{Rows: 8, Columns: 12, Channels: 8, Multiples: []int{1, 2},
			Embedding: 8}, 96, "other parameters"},
		"other cells": {prior, large, 95, "8×12 cells and a prior of 95"},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(c.prior.Resize(c.net, c.cells))(t, c.want) })
	}
	t.Run("training on other cells", func(t *testing.T) {
		config := learntest.Tiny(t)
		config.Net = large
		must.Refuse(learn.Train(waves{}, config))(t, "train: a U-Net for 8×12 cells and a prior of 16")
	})
}

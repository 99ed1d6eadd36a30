package learn_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/simulate"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// levels is a curve of six cells around a level, with a law of the level.
func levels(l law.Law) simulate.Model {
	return simulate.Model{Name: "levels", Cells: 6, Unknown: []law.Parameter{{Name: "level", Unit: "mm", Law: l}},
		Field: func(rng *rand.Rand, values, x []float64) {
			for j := range x {
				x[j] = values[0] + 0.5*rng.NormFloat64()
			}
		}}
}

// TestParametersRideAlong: a prior that was trained on a simulator with a parameter has it, also after it was saved,
// and data look at the field alone, through operators too. The level is normal and every cell a noisy observation of
// it, so its posterior is known in closed form.
func TestParametersRideAlong(t *testing.T) {
	c := learntest.Tiny(t)
	c.Net, c.Steps, c.Batch, c.Rate, c.Average = nn.Modes{Blocks: 1, Width: 24, Embedding: 8}, 300, 128, 0.01, 0.98
	prior := learntest.Train(t, levels(law.Normal{Mean: 1, SD: 1}), c)
	must.Equal(t, prior.Dim(), 7, "cells")
	path := filepath.Join(t.TempDir(), "prior")
	must.Do(t, prior.Save(path))
	loaded := must.Get(learn.Load(path))(t)
	like := Likelihood{Family: Normal{SD: 0.5}}
	y, fast := []float64{2, 2.5, 1.8, 2.2, 2.6, 2}, enginetest.Fast(t)
	draw := func(draws int, prior Prior, like Likelihood, y ...float64) *Posterior {
		obs := must.Get(like.Observe1(y...))(t)
		return must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: draws, Seed: 1, Engine: fast,
			Fresh: true}))(t)
	}
	post := draw(200, prior, like, y...)
	_, cells := post.Dims()
	must.Equal(t, cells, 6, "cells of the posterior")
	level := must.Get(post.Parameter("level"))(t)
	must.Equal(t, level.Label(), "level (mm)", "label")
	// Six data of variance 0.5² + 0.5² around the level, whose prior has the variance 1.
	precision := 1 + 6/0.5
	mean, sd := (1+(2+2.5+1.8+2.2+2.6+2)/0.5)/precision, math.Sqrt(1/precision)
	t.Logf("level %.3f, exact %.3f; sd %.3f, exact %.3f", level.Mean(), mean, level.SD(), sd)
	// A training of three seconds: half of a posterior sd; a level that ignored the data would be four off.
	off := (level.Mean() - mean) / sd
	must.Be(t, off <= 0.5 && off >= -0.5, "the level is %.2f posterior sd off", off)
	again := must.Get(draw(8, loaded, like, y...).Parameter("level"))(t)
	must.Be(t, again.Draws[7] == level.Draws[7] && again.Law == level.Law && again.Unit == "mm",
		"a loaded prior gives %v, and the trained one %v", again, level)
	like.Operator = &operator.Select{Cells: 6, Keep: []int{0, 1, 2, 3, 4, 5}}
	seen := must.Get(draw(90, prior, like, y...).Parameter("level"))(t)
	if off := (seen.Mean() - level.Mean()) / sd; off > 0.4 || off < -0.4 {
		t.Errorf("through an operator the level is %.2f posterior sd from that without it", off)
	}
	obs := must.Get(like.Observe1(1, 2, 3))(t)
	must.Refuse(diffusion.Sample(prior, Likelihood{Family: Normal{SD: 1}}, obs, diffusion.Sampler{}))(t,
		"3 cells observed and 6 in the field of the prior")
	must.Refuse(diffusion.Compile(prior, Likelihood{Family: Normal{SD: 1}}, diffusion.Sampler{}))(t,
		"unknown parameters")
	prior0 := must.Get(diffusion.Draw(prior, diffusion.Sampler{Draws: 200, Engine: fast, Fresh: true}))(t)
	own := must.Get(prior0.Parameter("level"))(t)
	if own.Mean() < 0.6 || own.Mean() > 1.4 { // a parameter without data has its prior
		t.Errorf("draws without data have the level %v", own)
	}
}

// TestParametersAreRefused: parameters that no posterior has are refused before the training.
func TestParametersAreRefused(t *testing.T) {
	c := learntest.Tiny(t)
	c.Net = nil
	twice := levels(law.Normal{SD: 1})
	twice.Unknown = append(twice.Unknown, twice.Unknown[0])
	none := levels(law.Normal{SD: 1})
	none.Unknown = nil
	for want, sim := range map[string]Simulator{
		"is the constant 3":               levels(distuv.Uniform{Min: 3, Max: 3}),
		"there is no law":                 levels(nil),
		`two parameters have the name "l`: twice,
		"no Unknown parameters":           none,
		"must be positive and finite":     levels(law.LogNormal{Median: 1}),
	} {
		must.Refuse(learn.Train(sim, c))(t, want)
	}
	c.Net = nn.UNet{Rows: 2, Columns: 3}
	must.Refuse(learn.Train(levels(law.Normal{SD: 1}), c))(t, "must be divisible by 8")
}

// TestImagesHaveParameters: a U-Net for images with a parameter is trained, and posteriors have the image and the
// parameter.
func TestImagesHaveParameters(t *testing.T) {
	c := learntest.Tiny(t)
	c.Net, c.Steps, c.Batch = nn.UNet{Rows: 2, Columns: 3, Channels: 2, Multiples: []int{1}, Embedding: 4}, 2, 4
	var snapshot Prior
	c.Snapshot = func(_ int, p Prior) { snapshot = p }
	model := levels(law.Normal{Mean: 1, SD: 1})
	prior := learntest.Train(t, model, c)
	must.Equal(t, model.Unknown[0].Law, law.Law(law.Normal{Mean: 1, SD: 1}), "the law of the model after the training")
	like := Likelihood{Family: Normal{SD: 0.5}}
	obs := must.Get(like.Observe1(2, 2.5, 1.8, 2.2, 2.6, 2))(t)
	for _, p := range []Prior{prior, snapshot} {
		post := must.Get(diffusion.Sample(p, like, obs, diffusion.Sampler{Draws: 4, Engine: c.Engine, Fresh: true,
			Method: diffusion.Multistep{N: 2}}))(t)
		_, cells := post.Dims()
		must.Equal(t, cells, 6, "cells of the posterior")
		must.Equal(t, len(must.Get(post.Parameter("level"))(t).Draws), 4, "draws of the level")
	}
	rows, cols := prior.Lattice() // the image is not all of the cells
	must.Equal(t, rows*cols, 7, "cells of the lattice")
}

// TestCellsAhead: cells ahead of the data are predicted, also by a prior that was saved. The level has the posterior
// given the data alone, and a cell ahead has the mean of the level and the variance of both.
func TestCellsAhead(t *testing.T) {
	c := learntest.Tiny(t)
	c.Net, c.Steps, c.Batch, c.Rate, c.Average = nn.Modes{Blocks: 1, Width: 24, Embedding: 8}, 300, 128, 0.01, 0.98
	c.Ahead = 2
	prior := learntest.Train(t, levels(law.Normal{Mean: 1, SD: 1}), c)
	path := filepath.Join(t.TempDir(), "prior")
	must.Do(t, prior.Save(path))
	loaded := must.Get(learn.Load(path))(t)
	must.Equal(t, loaded.String(), prior.String(), "loaded prior")
	nan := math.NaN()
	for i, v := range []float64{nan, 0, math.Inf(1), -1} { // means and standard deviations in turn
		f := must.Get(store.Read(path))(t)
		forged, _ := f.Tensor("ahead")
		forged.Data.([]float64)[i] = v
		file := filepath.Join(t.TempDir(), "forged")
		must.Do(t, store.Write(file, f))
		must.Refuse(learn.Load(file))(t, "cells ahead of the data; train the network anew")
	}
	like := Likelihood{Family: Normal{SD: 0.5}}
	sampler := diffusion.Sampler{Draws: 200, Seed: 1, Engine: enginetest.Fast(t), Fresh: true}
	obs := must.Get(like.Observe1(2, 2.5, 1.8, 2.2, nan, nan))(t)
	post := must.Get(diffusion.Sample(loaded, like, obs, sampler))(t)
	// Four data of variance 0.5² + 0.5² around the level, whose prior has the variance 1.
	precision := 1 + 4/0.5
	mean, variance := (1+(2+2.5+1.8+2.2)/0.5)/precision, 1/precision
	level, last := must.Get(post.Parameter("level"))(t), mat.Col(nil, 5, post.X)
	m, sd := stat.MeanStdDev(last, nil)
	t.Logf("level %.3f ± %.3f, exact %.3f ± %.3f; last cell %.3f ± %.3f, exact %.3f ± %.3f", level.Mean(), level.SD(),
		mean, math.Sqrt(variance), m, sd, mean, math.Sqrt(variance+0.25))
	// A training of three seconds; see TestParametersRideAlong.
	must.Be(t, math.Abs(level.Mean()-mean) <= 0.5*math.Sqrt(variance) && math.Abs(m-mean) <= 0.3 &&
		math.Abs(sd/math.Sqrt(variance+0.25)-1) <= 0.3, "the level is %v, and the last cell %.3f ± %.3f", level, m, sd)
	like.Operator = &operator.Select{Cells: 4, Keep: []int{0, 1, 2, 3}}
	seen := must.Get(like.Observe1(2, 2.5, 1.8, 2.2))(t)
	through := must.Get(must.Get(diffusion.Sample(prior, like, seen, sampler))(t).Parameter("level"))(t)
	must.Be(t, math.Abs(through.Mean()-level.Mean()) <= 0.4*math.Sqrt(variance), "through an operator the level is %v",
		through)
	like.Operator = &operator.Select{Cells: 6, Keep: []int{0, 1, 2, 3}}
	must.Refuse(diffusion.Sample(prior, like, seen, sampler))(t, "looks at 6 cells, and 4 cells of the prior's field")
	like.Operator = nil
	must.Refuse(diffusion.Sample(prior, like, must.Get(like.Observe1(2, 2, 2, 2, nan, 2))(t), sampler))(t,
		"cell 5 has a datum, and the prior was trained with its last 2 cells ahead")
	c.Ahead = 6
	must.Refuse(learn.Train(levels(law.Normal{SD: 1}), c))(t, "Ahead is 6 of 6 cells")
	c.Ahead = 1
	must.Refuse(learn.Train(gp.RBF{Cells: 6, Length: 0.2}, c))(t, "has no parameters; leave Ahead out")
}

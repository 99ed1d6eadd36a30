package learn_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// small is a U-Net of few numbers for 32×32 cells.
var small = nn.UNet{Rows: 32, Columns: 32, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}

// measured is an untrained prior of a small network that knows images of several scales.
func measured(t *testing.T) *learn.Prior {
	t.Helper()
	return must.Get(learntest.Untrained(t, small, 32*32).Measure(torus{n: 32, exponent: 2}))(t)
}

// On grids of any sides each noise level has the moments of its own level, and these are finite.
func TestPyramid(t *testing.T) {
	prior := measured(t)
	path := filepath.Join(t.TempDir(), "measured.safetensors")
	must.Do(t, prior.Save(path))
	loaded := must.Get(learn.Load(path, small))(t)
	for _, side := range [][2]int{{33, 45}, {9, 30}} {
		rows, cols := side[0], side[1]
		p := must.Get(prior.Grid(rows, cols))(t).(*learn.Pyramid)
		must.Equal(t, p.String(), must.Get(loaded.Grid(rows, cols))(t).String(), side, "after a file")
		if r, c := p.Lattice(); r != rows || c != cols || p.Dim() != rows*cols {
			t.Errorf("%v: a lattice of %d×%d, %d cells", side, r, c, p.Dim())
		}
		sigmas := []float64{0.1, 30}
		x, rng := make([]float32, p.Dim()), Stream(1, "pyramid")
		for j := range x {
			x[j] = float32(rng.NormFloat64())
		}
		enginetest.On(t, func(t *testing.T, e *engine.Engine) {
			grades := map[int]bool{}
			for _, sigma := range sigmas {
				l, grade := level.At(sigma), p.Grade(sigma)
				grades[grade] = true
				moments := func(of Prior) (mean, variance []float32) {
					exec := MustNewExec(e.Backend, func(x, root, v *Node) []*Node {
						m, s := of.Moments(x, level.Nodes{SqrtAlpha: root, V: v})
						return []*Node{m, s}
					})
					defer exec.Finalize()
					out := exec.MustCall(tensors.FromFlatDataAndDimensions(x, 1, len(x)),
						[][]float32{{float32(l.SqrtAlpha)}}, [][]float32{{float32(l.V)}})
					return must.Get(tensors.CopyFlatData[float32](out[0]))(t),
						must.Get(tensors.CopyFlatData[float32](out[1]))(t)
				}
				mean, variance := moments(p)
				one, own := moments(p.Graded(grade))
				for j := range mean {
					// Both are sums of the same numbers, in Float32.
					must.Need(t, math.Abs(float64(mean[j]-one[j])) < 1e-4 && variance[j] > 0 &&
						math.Abs(float64(variance[j]/own[j]-1)) < 1e-4, "%v at sigma %g, cell %d: %g, variance %g; "+
						"by its level %g, %g", side, sigma, j, mean[j], variance[j], one[j], own[j])
				}
			}
			must.Be(t, len(grades) == 1 == (rows == 9), "%v: %d levels", side, len(grades))
		})
	}
}

// Images whose coarse levels have less than half the amplitude of the next finer ones, as noise of short waves has, are
// evaluated by one level at each noise level, also by the graph that has all levels.
func TestPyramidOfShortWaves(t *testing.T) {
	s := learn.Scales{Training: 1, Larger: []float64{1, 0.16, 0.0256}}
	p := must.Get(learn.PyramidOf(32, 32, 8, 1, s, func(rows, _ int) (Prior, error) {
		return torus{n: rows, exponent: 2}, nil
	}))(t)
	x := make([]float64, p.Dim())
	for j := range x {
		x[j] = math.Sin(float64(j))
	}
	for _, sigma := range []float64{2, 2.6, 2.9, 3.5} { // 3 is the highest of the finest level, and 2.4 of the next
		mean := func(of Prior) []float64 {
			l := level.At(sigma)
			exec := must.Get(NewExec(enginetest.Open(t, "go").Backend, func(x *Node) *Node {
				one := func(v float64) *Node { return Const(x.Graph(), [][]float64{{v}}) }
				m, _ := of.Moments(x, level.Nodes{SqrtAlpha: one(l.SqrtAlpha), V: one(l.V)})
				return m
			}))(t)
			defer exec.Finalize()
			return must.Get(tensors.CopyFlatData[float64](must.Get(exec.Call([][]float64{x}))(t)[0]))(t)
		}
		must.Equal(t, mean(p), mean(p.Graded(p.Grade(sigma))), "noise of", sigma)
	}
}

// The posterior of an image of another size has draws of its grid, by one call and where the data have the shape of
// the prior.
func TestPyramidSamples(t *testing.T) {
	prior, like := measured(t), Likelihood{Family: Poisson{}, Link: ExpLink}
	s := diffusion.Sampler{Draws: 2, Engine: enginetest.Fast(t), Method: diffusion.Multistep{N: 4}, Fresh: true}
	obs := slices.Repeat(Observations{{Stat: 20, Size: 10}}, 48*48)
	obs[7] = Term{} // a cell without data
	post := must.Get(diffusion.Sample(prior, like, obs, s))(t)
	rows, cols := post.Shape()
	must.Be(t, rows == 48 && cols == 48, "%d×%d", rows, cols)
	strip := must.Get(prior.Grid(12, 70))(t)
	c := must.Get(diffusion.Compile(strip, like, s))(t)
	defer c.Close()
	post = must.Get(c.Sample(context.Background(), obs[:12*70], 1))(t)
	must.Do(t, post.Check())
	must.Refuse(diffusion.Sample(prior, like, obs[:40*50], s))(t, "data of 2000 cells and a prior of 32×32")
}

func TestGridRefuses(t *testing.T) {
	prior := measured(t)
	one := *prior
	one.Scale.Mean = slices.Clone(prior.Scale.Mean)
	one.Scale.Mean[3] = 1
	attentive := small
	attentive.Attention = 32
	for name, c := range map[string]struct {
		prior      *learn.Prior
		rows, cols int
		want       string
	}{
		"a scale for each cell": {&one, 64, 64, "Stationary"},
		"a short side":          {prior, 7, 64, "at least 8 rows and columns"},
		"too many cells":        {prior, 1 << 13, 1 << 13, "at most 16777216 cells"},
		"a network of cells":    {learntest.Untrained(t, nn.Experts{}, 30), 64, 64, "stays on its cells"},
		"scales not known":      {learntest.Untrained(t, small, 32*32), 64, 64, "give its Measure a simulator"},
		"attention":             {learntest.Untrained(t, attentive, 32*32), 64, 64, "attention, group norms"},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(c.prior.Grid(c.rows, c.cols))(t, c.want) })
	}
	must.Refuse(prior.Measure(nil))(t, "give a simulator that is Resizable")
	same := must.Get(prior.Grid(32, 32))(t)
	must.Equal(t, same.String(), prior.String(), "its own grid")
	t.Run("training on other cells", func(t *testing.T) {
		config := learntest.Tiny(t)
		config.Net = small
		must.Refuse(learn.Train(waves{}, config))(t, "a U-Net for 32×32 cells and 0 parameters, and a prior of 16")
	})
}

// Images that look alike at all scales are told from those that do not, and their amplitudes are found.
func TestScales(t *testing.T) {
	for _, exponent := range []float64{2, 3} {
		s := must.Get(learn.ScalesOf(torus{n: 32, exponent: exponent}, 32, 32))(t)
		want := math.Exp2(exponent - 2)
		for k := 1; k < 4; k++ {
			// 100 draws have hundreds of details at the coarsest level each: some percent. The finest waves of a field
			// of cells are those of its cells, where a mean of four cells has parts of finer ones.
			got, off := s.Larger[k]/s.Larger[k-1], 0.1
			if k == 1 {
				off = 0.2
			}
			must.Be(t, math.Abs(got/want-1) < off, "1/f^%g, level %d: %g times the details of the one before, want %g",
				exponent, k, got, want)
		}
	}
	must.Refuse(learn.ScalesOf(torus{n: 32, exponent: 2, short: 0.1}, 32, 32))(t, "does not look alike at all scales")
}

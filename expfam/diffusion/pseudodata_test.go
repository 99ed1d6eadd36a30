package diffusion_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// lengths is the exact prior of a curve and of its length scale, 0.15 exp(0.6 t). It is a mixture over scores t, and
// its last cell is 0.1 t. Cells ahead of the data are a tenth of the curve.
type lengths struct {
	*gp.Mixture
	ahead int
}

const scale, width = 0.1, 0.01 // of the score's cell, and its standard deviation in a part

func (p lengths) Augmented() ([]law.Parameter, []law.Normal, float64) {
	return []law.Parameter{{Name: "length scale", Law: law.LogNormal{Median: 0.15, SD: 0.6}}},
		slices.Repeat([]law.Normal{{SD: 1}}, p.ahead), scale
}

// newLengths returns the prior with parts of these scores, and the processes of the parts.
func newLengths(t *testing.T, cells, ahead int, scores []float64) (prior lengths, curves []*gp.Gaussian) {
	prior = lengths{&gp.Mixture{}, ahead}
	unit := slices.Concat(slices.Repeat([]float64{1}, cells-ahead), slices.Repeat([]float64{scale}, ahead))
	for _, u := range scores {
		curve := gp.RBF{Cells: cells, Length: 0.15 * math.Exp(0.6*u)}.Gaussian()
		cov := mat.NewSymDense(cells+1, nil)
		for i := range cells {
			for j := range i + 1 {
				cov.SetSym(i, j, unit[i]*unit[j]*curve.Cov().At(i, j))
			}
		}
		cov.SetSym(cells, cells, width*width)
		mean := make([]float64, cells+1)
		mean[cells] = scale * u
		prior.Parts = append(prior.Parts, must.Get(gp.New(mean, cov))(t))
		prior.Weights = append(prior.Weights, math.Exp(-u*u/2))
		curves = append(curves, curve)
	}
	return prior, curves
}

// scoresOf returns the draws of the length scale as scores.
func scoresOf(post *Posterior) []float64 {
	got := slices.Clone(post.Parameters[0].Draws)
	for i, v := range got {
		got[i] = law.Score(law.LogNormal{Median: 0.15, SD: 0.6}, v)
	}
	return got
}

// normalise replaces logarithms of weights by the weights, whose sum is 1.
func normalise(logs []float64) {
	total := floats.LogSumExp(logs)
	for k, l := range logs {
		logs[k] = math.Exp(l - total)
	}
}

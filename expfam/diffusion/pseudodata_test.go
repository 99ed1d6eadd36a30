package diffusion_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	. "github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
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

// TestPseudodata: the score of the length scale of rough curves has the exact posterior, which weighs the parts by
// their evidence. Guidance by the moments of x₀ | x_t alone makes rough curves too smooth.
func TestPseudodata(t *testing.T) {
	const cells, noise = 20, 0.5
	scores := floats.Span(make([]float64, 10), -2.5, 2)
	prior, curves := newLengths(t, cells, 0, scores)
	like := Likelihood{Family: Normal{SD: noise}}
	var off, ratio float64
	const sets = 3
	for s := range sets {
		x := make([]float64, cells)
		rng := Stream(uint64(s), "rough")
		curves[1].Draw(rng, x) // of score −2
		obs := make(Observations, cells)
		variance := make([]float64, cells)
		for j := range x { // odd cells have the mean of four data
			n := float64(1 + 3*(j%2))
			variance[j] = noise * noise / n
			x[j] += math.Sqrt(variance[j]) * rng.NormFloat64()
			obs[j] = must.Get(like.Observe1(x[j]))(t)[0]
			obs[j].Stat, obs[j].Size = n*obs[j].Stat, n*obs[j].Size
		}
		logs := make([]float64, len(scores))
		for k, curve := range curves {
			sum := mat.NewSymDense(cells, nil)
			for i := range cells {
				for j := range i + 1 {
					sum.SetSym(i, j, curve.Cov().At(i, j))
				}
				sum.SetSym(i, i, curve.Cov().At(i, i)+variance[i])
			}
			density, ok := distmv.NewNormal(make([]float64, cells), sum, nil)
			must.Need(t, ok, "the covariance of the data of score %g is not positive definite", scores[k])
			logs[k] = density.LogProb(x) + math.Log(prior.Weights[k])
		}
		floats.AddConst(-floats.Max(logs), logs)
		weights := make([]float64, len(logs))
		for k := range logs {
			weights[k] = math.Exp(logs[k])
		}
		m0, v0 := stat.PopMeanVariance(scores, weights)
		s0 := math.Sqrt(v0 + width*width/scale/scale)

		post := must.Get(Sample(prior, like, obs, Sampler{Draws: 300, Seed: 1, Fresh: true}))(t)
		got := post.Parameters[0].Draws
		for i := range got {
			got[i] = law.Score(law.LogNormal{Median: 0.15, SD: 0.6}, got[i])
		}
		m1, s1 := stat.MeanStdDev(got, nil)
		t.Logf("set %d: exact %.3f (%.3f), drawn %.3f (%.3f)", s, m0, s0, m1, s1)
		off, ratio = off+math.Abs(m1-m0)/s0/sets, ratio+s1/s0/sets
	}
	// 300 draws have means 0.05 sd off; the largest mean of three sets was 0.07, and the widths 0.98 to 1.03.
	if off > 0.1 || math.Abs(ratio-1) > 0.06 {
		t.Errorf("means are %.3f sd off, and widths %.3f of the exact", off, ratio)
	}
}

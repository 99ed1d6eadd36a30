package diffusion_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	. "github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestAhead: where the last cells lie ahead of the data, the score of the length scale and these cells have the exact
// posterior, a mixture over the parts of the prior.
func TestAhead(t *testing.T) {
	const cells, noise, sets = 20, 0.5, 2
	like := Likelihood{Family: Normal{SD: noise}}
	scores := floats.Span(make([]float64, 10), -2.5, 2)
	for _, ahead := range []int{15, 10} {
		if ahead == 10 && !*fulltest.Full {
			continue
		}
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			seen := cells - ahead
			prior, curves := newLengths(t, cells, ahead, scores)
			var off, ratio [2]float64 // of the score, and of the cells ahead
			for s := range sets {
				x, values := make([]float64, cells), make([]float64, cells)
				rng := Stream(uint64(s), "rough")
				curves[1].Draw(rng, x) // of score −2
				for j := range values {
					if values[j] = math.NaN(); j < seen {
						values[j] = x[j] + noise*rng.NormFloat64()
					}
				}
				weights := append([]float64{}, prior.Weights...)
				means, variances := momentsAhead(t, curves, noise, values[:seen], weights)
				obs := must.Get(like.Observe1(values...))(t)
				post := must.Get(Sample(prior, like, obs, Sampler{Draws: 512, Seed: 1, Fresh: true}))(t)
				must.Equal(t, post.Alarm(), "", "alarm")
				must.Equal(t, post.X.RawMatrix().Cols, cells, "cells")
				count := func(which int, share, mean, variance float64, drawn []float64) {
					m, sd := stat.MeanStdDev(drawn, nil)
					off[which] += math.Abs(m-mean) / math.Sqrt(variance) * share / sets
					ratio[which] += sd / math.Sqrt(variance) * share / sets
				}
				got := post.Parameters[0].Draws
				for i := range got {
					got[i] = law.Score(law.LogNormal{Median: 0.15, SD: 0.6}, got[i])
				}
				m, v := stat.PopMeanVariance(scores, weights)
				count(0, 1, m, v+width*width/scale/scale, got)
				for a := range ahead {
					m, v := stat.PopMeanVariance(means[a], weights)
					count(1, 1/float64(ahead), m, v+floats.Dot(weights, variances[a]), mat.Col(nil, seen+a, post.X))
				}
			}
			t.Logf("means %.3f sd off, widths %.3f", off, ratio)
			// 512 draws have means .035 sd off on average, and widths .03 off in a set.
			for i, name := range []string{"the score", "the cells"} {
				must.Be(t, off[i] <= 0.12 && math.Abs(ratio[i]-1) <= 0.08, "%s: means are %.3f sd off, and widths "+
					"%.3f of the exact", name, off[i], ratio[i])
			}
		})
	}
}

// momentsAhead returns the moments of each cell after the first ones, whose data are y with normal noise, under each
// process. It replaces prior weights of the processes by those given the data.
func momentsAhead(t *testing.T, curves []*gp.Gaussian, noise float64, y, weights []float64) (means,
	variances [][]float64) {
	seen, ahead := len(y), curves[0].Dim()-len(y)
	means, variances = make([][]float64, ahead), make([][]float64, ahead)
	data := mat.NewVecDense(seen, y)
	for k, curve := range curves {
		var chol mat.Cholesky
		var solved, gain mat.VecDense
		cov := curve.Cov()
		sum := mat.NewSymDense(seen, nil)
		for i := range seen {
			for j := range i + 1 {
				sum.SetSym(i, j, cov.At(i, j))
			}
			sum.SetSym(i, i, cov.At(i, i)+noise*noise)
		}
		must.Need(t, chol.Factorize(sum), "process %d has no positive definite covariance", k)
		must.Do(t, chol.SolveVecTo(&solved, data))
		weights[k] = math.Log(weights[k]) - chol.LogDet()/2 - mat.Dot(data, &solved)/2
		for a := range ahead {
			row := mat.NewVecDense(seen, nil)
			for j := range seen {
				row.SetVec(j, cov.At(seen+a, j))
			}
			must.Do(t, chol.SolveVecTo(&gain, row))
			means[a] = append(means[a], mat.Dot(row, &solved))
			variances[a] = append(variances[a], cov.At(seen+a, seen+a)-mat.Dot(row, &gain))
		}
	}
	total := floats.LogSumExp(weights)
	for k, w := range weights {
		weights[k] = math.Exp(w - total)
	}
	return means, variances
}

package diffusion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	. "github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestAhead: where the last cells lie ahead of the data, the score of the length scale and these cells have the exact
// posterior, a mixture over the parts of the prior.
func TestAhead(t *testing.T) {
	const cells, noise = 20, 0.5
	sets := fulltest.N(1, 2)
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
				obs := must.Get(like.Observe1(values...))(t)
				exact, weights := make([]*gp.Conditional, len(curves)), make([]float64, len(curves))
				for k, curve := range curves {
					exact[k] = must.Get(gp.Exact(curve, like, obs))(t)
					weights[k] = math.Log(prior.Weights[k]) + exact[k].LogEvidence
				}
				normalise(weights)
				post := must.Get(Sample(prior, like, obs, Sampler{Draws: 512, Seed: 1, Fresh: true}))(t)
				must.Equal(t, post.Alarm(), "", "alarm")
				must.Equal(t, post.X.RawMatrix().Cols, cells, "cells")
				count := func(which int, share, mean, variance float64, drawn []float64) {
					m, sd := stat.MeanStdDev(drawn, nil)
					off[which] += math.Abs(m-mean) / math.Sqrt(variance) * share / float64(sets)
					ratio[which] += sd / math.Sqrt(variance) * share / float64(sets)
				}
				m, v := stat.PopMeanVariance(scores, weights)
				count(0, 1, m, v+width*width/scale/scale, scoresOf(post))
				for j := seen; j < cells; j++ {
					means, variance := make([]float64, len(curves)), 0.0
					for k, e := range exact {
						means[k], variance = e.Mean[j], variance+weights[k]*e.Cov.At(j, j)
					}
					m, v := stat.PopMeanVariance(means, weights)
					count(1, 1/float64(ahead), m, v+variance, mat.Col(nil, j, post.X))
				}
			}
			t.Logf("means %.3f sd off, widths %.3f", off, ratio)
			// 512 draws have means .035 sd off on average, and widths .03 off in a set.
			most := []float64{0.16, 0.12}[sets-1]
			for i, name := range []string{"the score", "the cells"} {
				must.Be(t, off[i] <= most && math.Abs(ratio[i]-1) <= 0.08, "%s: means are %.3f sd off, and widths "+
					"%.3f of the exact", name, off[i], ratio[i])
			}
		})
	}
}

// forecast is a Gaussian prior without parameters, whose last cell lies ahead of the data.
type forecast struct{ *gp.Gaussian }

func (forecast) Augmented() ([]law.Parameter, []law.Normal, float64) {
	return nil, []law.Normal{{Mean: 5, SD: 2}}, scale
}

// TestAheadAlone: a cell ahead of the data has its own unit also under a prior without parameters.
func TestAheadAlone(t *testing.T) {
	prior := forecast{must.Get(gp.New(nil, mat.NewDiagDense(3, []float64{1, 1, scale * scale})))(t)}
	obs := Observations{{Stat: 2, Size: 1}, {}, {}}
	post := must.Get(Sample(prior, Likelihood{Family: Normal{SD: 1}}, obs, Sampler{Fresh: true}))(t)
	mean, sd := post.Latent().Mean()[2], post.Latent().SD()[2]
	// 500 draws: four standard errors.
	must.Be(t, math.Abs(mean-5) <= 0.36 && math.Abs(sd/2-1) <= 0.13, "%.2f ± %.2f, want 5 ± 2", mean, sd)
	must.Refuse(Compile(prior, Likelihood{Family: Normal{SD: 1}}, Sampler{}))(t, "unknown parameters")
}

// startled is a prior with a parameter whose moments are wrong where x_t has nearly no power, which noise never has:
// a network that sees the power of x_t was not trained there.
type startled struct{ lengths }

func (s startled) Moments(x *graph.Node, l level.Nodes) (mean, variance *graph.Node) {
	mean, variance = s.lengths.Moments(x, l)
	power := graph.MulScalar(graph.ReduceAndKeep(graph.Square(x), graph.ReduceSum, -1), 10)
	return graph.Add(mean, graph.MulScalar(graph.Exp(graph.Neg(power)), 1e3)), variance
}

// TestPureNoise: the moments of a prior with parameters are taken where x_t is noise, not where it is 0.
func TestPureNoise(t *testing.T) {
	prior, curves := newLengths(t, 20, 0, floats.Span(make([]float64, 5), -1, 1))
	x := make([]float64, 20)
	curves[0].Draw(Stream(1, "startled"), x)
	like := Likelihood{Family: Normal{SD: 0.5}}
	obs := must.Get(like.Observe1(x...))(t)
	sampler := Sampler{Draws: 100, Seed: 1, Fresh: true}
	want := must.Get(Sample(prior, like, obs, sampler))(t).Latent().Mean()
	got := must.Get(Sample(startled{prior}, like, obs, sampler))(t).Latent().Mean()
	// exp(−10 |x_t|²) of 21 cells is practically 0 at every noise level.
	must.Be(t, floats.Distance(got, want, math.Inf(1)) < 1e-3, "means are %v, want %v", got, want)
}

package graph_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// triangles is a planar graph of rows × cols areas, most of which have six neighbours.
func triangles(t testing.TB, rows, cols int) *graph.Neighbours {
	var pairs [][2]int
	for r := range rows {
		for c := range cols {
			i := r*cols + c
			if c > 0 {
				pairs = append(pairs, [2]int{i - 1, i})
			}
			if r > 0 {
				pairs = append(pairs, [2]int{i - cols, i})
			}
			if r > 0 && c > 0 {
				pairs = append(pairs, [2]int{i - cols - 1, i})
			}
		}
	}
	return must.Get(graph.Edges(rows*cols, pairs))(t)
}

// counted returns counts in rows × cols areas at some times, with expected numbers from 1 to 10.
func counted(t testing.TB, rows, cols, times int) (expfam.Likelihood, expfam.Observations) {
	rng := expfam.Stream(1, "sizes")
	y, e := make([]float64, rows*cols*times), make([]float64, rows*cols*times)
	for i := range y {
		a, w := i%(rows*cols), float64(i/(rows*cols))
		r, c := float64(a/cols)/float64(rows), float64(a%cols)/float64(cols)
		e[i] = math.Exp(2.3 * rng.Float64())
		x := 0.4*math.Sin(6*r)*math.Cos(5*c) + 0.3*math.Sin(w/6) + 0.25*rng.NormFloat64()
		y[i] = expfam.Poisson{}.Rand(math.Exp(x), expfam.Given(e[i]), rng)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	return like, must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{e}}))(t)
}

// TestSizes: BYM2 posteriors with unknown sd and mixing pass their certificates at any number of areas.
func TestSizes(t *testing.T) {
	for _, side := range [][]int{{10}, {10, 15, 21, 32, 56, 100}}[fulltest.N(0, 1)] {
		t.Run(fmt.Sprint(side*side), func(t *testing.T) {
			like, obs := counted(t, side, side, 1)
			post := must.Get(diffusion.Sample(gp.Unknown{Of: graph.BYM2{Neighbours: triangles(t, side, side),
				LevelSD: 3}}, like, obs, diffusion.Sampler{Seed: 1, Fresh: true}))(t)
			t.Logf("%.2f s; %v", post.Info.Seconds, post.Info.Certificate)
			must.Be(t, post.Info.Certificate != nil && post.Info.Certificate.P > 1e-4, "%v", post.Info.Certificate)
		})
	}
}

// TestInteractionAgreesWithChains: unknown numbers of a field of space and time, and its cells, are those of chains
// under the dense covariance.
func TestInteractionAgreesWithChains(t *testing.T) {
	draws := fulltest.N(300, 4000)
	for name, kind := range map[string]graph.Type{"II": graph.TypeII, "IV": graph.TypeIV} {
		t.Run(name, func(t *testing.T) {
			if kind == graph.TypeII && !*fulltest.Full {
				t.Skip("its chains need a longer warm-up; with -full")
			}
			like, obs := counted(t, 2, 3, 4)
			prior := gp.Unknown{Of: graph.SpaceTime{Time: graph.Walk{Cells: 4, SD: 0.5}, Area: graph.BYM2{
				Neighbours: triangles(t, 2, 3), Mixing: 0.7}, LevelSD: 3, Interaction: kind}}
			post := must.Get(diffusion.Sample(prior, like, obs,
				diffusion.Sampler{Draws: draws, Seed: 1, Fresh: true}))(t)
			chains := must.Get(hmc.Joint(prior, like, obs, hmc.Options{Draws: fulltest.N(600, 4000),
				Warmup: fulltest.N(300, 1500), Seed: 2}))(t)
			// Four standard errors of independent draws, and the chains' own.
			bound := 4/math.Sqrt(float64(draws)) + 0.1
			compare := func(what string, got, want []float64) {
				mean, sd := stat.MeanStdDev(want, nil)
				off, own := stat.MeanStdDev(got, nil)
				must.Be(t, math.Abs(off-mean) < bound*sd, "%s: %.3f, and %.3f ± %.3f by chains", what, off, mean, sd)
				must.Be(t, math.Abs(own/sd-1) < bound, "%s: sd %.3f, and %.3f by chains", what, own, sd)
			}
			for k, p := range post.Parameters {
				compare(p.Name, logs(p.Draws), logs(chains.Parameters[k].Draws))
			}
			_, cells := post.Dims()
			for j := range cells {
				compare(fmt.Sprint("cell ", j), mat.Col(nil, j, post.X), mat.Col(nil, j, chains.X))
			}
		})
	}
}

func logs(v []float64) (out []float64) {
	for _, x := range v {
		out = append(out, math.Log(x))
	}
	return out
}

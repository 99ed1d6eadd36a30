package graph_test

import (
	"flag"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/internal/must"
)

var sizes = flag.String("size", "", "rows,cols of the areas")

// triangles is a planar graph of rows × cols areas with six neighbours each.
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

func TestSizes(t *testing.T) {
	if *sizes == "" {
		t.Skip()
	}
	var rows, cols int
	must.Get(fmt.Sscanf(*sizes, "%d,%d", &rows, &cols))(t)
	n := triangles(t, rows, cols)
	rng := expfam.Stream(1, "sizes")
	y, e := make([]float64, n.Len()), make([]float64, n.Len())
	for i := range y {
		r, c := float64(i/cols)/float64(rows), float64(i%cols)/float64(cols)
		e[i] = math.Exp(2.3 * rng.Float64())
		x := 0.4*math.Sin(6*r)*math.Cos(5*c) + 0.25*rng.NormFloat64()
		y[i] = expfam.Poisson{}.Rand(math.Exp(x), expfam.Given(e[i]), rng)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{e}}))(t)
	began := time.Now()
	post := must.Get(diffusion.Sample(gp.Unknown{Of: graph.BYM2{Neighbours: n, LevelSD: 3}}, like, obs,
		diffusion.Sampler{Seed: 1, Fresh: true}))(t)
	t.Logf("%d areas: %.2f s, info %.2f s; %v", n.Len(), time.Since(began).Seconds(), post.Info.Seconds,
		post.Info.Diagnostics)
	for _, p := range post.Parameters {
		t.Logf("%s: median %.3f", p.Name, p.Median())
	}
	t.Log(post.Info.Certificate)
}

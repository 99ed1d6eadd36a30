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

var stsizes = flag.String("st", "", "rows,cols,times,type")

func TestSpaceTimeSizes(t *testing.T) {
	if *stsizes == "" {
		t.Skip()
	}
	var rows, cols, times, kind int
	must.Get(fmt.Sscanf(*stsizes, "%d,%d,%d,%d", &rows, &cols, &times, &kind))(t)
	n := triangles(t, rows, cols)
	rng := expfam.Stream(1, "sizes")
	areas := n.Len()
	y, e := make([]float64, areas*times), make([]float64, areas*times)
	for i := range y {
		a, w := i%areas, float64(i/areas)
		r, c := float64(a/cols)/float64(rows), float64(a%cols)/float64(cols)
		e[i] = math.Exp(2.3 * rng.Float64())
		x := 0.4*math.Sin(6*r)*math.Cos(5*c) + 0.3*math.Sin(w/6) + 0.15*math.Sin(w/4+4*r) + 0.1*rng.NormFloat64()
		y[i] = expfam.Poisson{}.Rand(math.Exp(x), expfam.Given(e[i]), rng)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{e}}))(t)
	began := time.Now()
	prior := graph.SpaceTime{Time: graph.Walk{Cells: times}, Area: graph.BYM2{Neighbours: n}, LevelSD: 3,
		Interaction: graph.Type(kind)}
	post := must.Get(diffusion.Sample(gp.Unknown{Of: prior}, like, obs, diffusion.Sampler{Seed: 1, Fresh: true}))(t)
	t.Logf("%d areas, %d times, type %d: %.2f s, info %.2f s; %v", areas, times, kind, time.Since(began).Seconds(),
		post.Info.Seconds, post.Info.Diagnostics)
	for _, p := range post.Parameters {
		t.Logf("%s: median %.3f", p.Name, p.Median())
	}
	t.Log(post.Info.Certificate)
}

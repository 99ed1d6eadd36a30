package mesh_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/mesh"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestCoverage: on simulated coasts, whose field goes around a spit of land, intervals of 95% of the field with the
// barrier hold the truth as often as they say, also near the spit, because range and sd are drawn from their laws.
// Without the barrier the field reaches across the spit, where the intervals hold it less often and means are farther
// off. There are counts at 60 places.
func TestCoverage(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("100 coasts: run with -full")
	}
	const draws, sets = 199, 100
	hits, number := map[string]float64{}, map[string]float64{}
	squares := map[string]float64{}
	var share []float64 // of each coast, with the barrier
	laws := law.Laws{"range": law.LogNormal{Median: 5, SD: 0.4}, "sd": law.LogNormal{Median: 1, SD: 0.3}}
	report := func() {
		for _, name := range []string{"sea, barrier true", "sea, barrier false", "spit, barrier true",
			"spit, barrier false"} {
			t.Logf("%s: coverage %.3f, root mean squared error %.3f", name, hits[name]/number[name],
				math.Sqrt(squares[name]/number[name]))
		}
	}
	for s := range sets {
		rng := expfam.Stream(31, fmt.Sprint("coverage/", s))
		ring := coast(s)
		m := must.Get(mesh.Outline{Rings: [][][2]float64{ring}, Edge: 1, Margin: 1}.Mesh())(t)
		known := mesh.Matern{On: m, Barrier: true, Range: law.At(laws["range"], rng.NormFloat64()),
			SD: law.At(laws["sd"], rng.NormFloat64())}
		field := make([]float64, m.Dim())
		must.Get(known.Gaussian())(t).Draw(rng, field)
		var x, y []float64
		for len(x) < 60 {
			p := [2]float64{12*rng.Float64() - 6, 12*rng.Float64() - 6}
			if _, err := m.At(p[:1], p[1:], 0); err == nil {
				x, y = append(x, p[0]), append(y, p[1])
			}
		}
		at := must.Get(m.At(x, y, 0))(t)
		values := make([]float64, len(x))
		for k := range x {
			eta := 1.0
			at.Row(k, func(i int, w float64) { eta += w * field[i] })
			values[k] = distuv.Poisson{Lambda: math.Exp(eta), Src: rng}.Rand()
		}
		like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)"), Operator: at}
		obs := must.Get(like.Observe1(values...))(t)
		// The nodes of the sea, and those within 1 of the spit: opposite to each other beyond it.
		sea, near := map[int]bool{}, map[int]bool{}
		tip := ring[len(ring)-2:]
		for k, tri := range m.Triangles {
			if m.Outside[k] {
				continue
			}
			for _, i := range tri {
				sea[i] = true
				for u := 0.0; u <= 1; u += 0.1 { // both sides of the spit, from its tip to the rim
					for side, end := range [][2]float64{ring[len(ring)-3], ring[0]} {
						p := tip[side]
						q := [2]float64{p[0] + u*(end[0]-p[0]), p[1] + u*(end[1]-p[1])}
						near[i] = near[i] || math.Hypot(m.Nodes[i][0]-q[0], m.Nodes[i][1]-q[1]) < 1
					}
				}
			}
		}
		for _, barrier := range []bool{true, false} {
			prior := gp.Unknown{Of: mesh.Matern{On: m, Barrier: barrier}, Laws: laws}
			post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
			if s == 0 {
				t.Logf("%d nodes, %.2f s", m.Dim(), post.Info.Seconds)
			}
			low, high := post.Latent().EqualTailed(0.95)
			mean := post.Latent().Mean()
			var own, count float64
			for i := range sea {
				for _, where := range []string{"sea", "spit"} {
					if where == "spit" && !near[i] {
						continue
					}
					name := fmt.Sprint(where, ", barrier ", barrier)
					number[name]++
					squares[name] += (mean[i] - field[i]) * (mean[i] - field[i])
					if low[i] <= field[i] && field[i] <= high[i] {
						hits[name]++
						if where == "sea" {
							own++
						}
					}
				}
				count++
			}
			if barrier {
				share = append(share, own/count)
			}
		}
		if s%20 == 19 {
			t.Log("coasts so far:", s+1)
			report()
		}
	}
	report()
	slices.Sort(share)
	t.Logf("coverage of single coasts with the barrier: %.3f to %.3f, median %.3f", share[0], share[len(share)-1],
		share[len(share)/2])
	// The nodes of a coast are as some six independent ones. Four standard errors.
	off := math.Abs(hits["sea, barrier true"]/number["sea, barrier true"] - 0.95)
	must.Be(t, off < 4*math.Sqrt(0.05*0.95/(6*sets)), "coverage with the barrier is %.3f off", off)
	must.Be(t, squares["spit, barrier true"] < squares["spit, barrier false"], "errors near the spit: %v", squares)
}

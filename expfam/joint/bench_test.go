package joint_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkDraws makes 500 independent draws of 30 Poisson cells with unknown length scale and sd, from start to
// finish. The model and the data are those of testdata/reference.py.
func BenchmarkDraws(b *testing.B) {
	var all map[string]reference
	must.Do(b, json.Unmarshal(must.Get(os.ReadFile("testdata/reference.json"))(b), &all))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := must.Get(like.Observe1(all["poisson"].Y...))(b)
	for b.Loop() {
		must.Get(joint.Sample(unknown, like, obs, joint.Options{Fresh: true}))(b)
	}
}

// BenchmarkDense makes 500 draws of fields with dense covariances: places under a rough kernel and lines under a smooth
// one, of unknown length scale and sd, and known lines of counts with an unknown dispersion.
func BenchmarkDense(b *testing.B) {
	counts := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	spread := expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.ExpLink, Unknown: law.Laws{"dispersion": nil}}
	for _, cells := range []int{300, 400, 600, 1000, 3000} {
		rng := expfam.Stream(1, "dense")
		places := make([][]float64, cells)
		for i := range places {
			places[i] = []float64{10 * rng.Float64(), 10 * rng.Float64()}
		}
		rough := gp.Process{Kernel: gp.Matern{Smoothness: 1.5}, Places: places, LevelSD: 3}
		for _, c := range []struct {
			name  string
			prior expfam.Prior
			like  expfam.Likelihood
			most  int
		}{
			{"places", gp.Unknown{Of: rough}, counts, 1000},
			{"line", gp.Unknown{Of: gp.Process{Cells: cells, LevelSD: 3}}, counts, 1000},
			{"dispersion", gp.RBF{Cells: cells}, spread, 3000},
		} {
			if cells > c.most { // which Sample refuses
				continue
			}
			y, known := make([]float64, cells), make([]float64, cells)
			for i := range y {
				at := 20 * float64(i) / float64(cells)
				if c.name == "places" {
					at = 0.6 * places[i][0]
				}
				known[i] = 1 + 20*rng.Float64()
				y[i] = expfam.NB2{Dispersion: 0.1}.Rand(math.Exp(math.Sin(at)), expfam.Given(known[i]), rng)
			}
			obs := must.Get(c.like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{known}}))(b)
			b.Run(fmt.Sprintf("%s/%d", c.name, cells), func(b *testing.B) {
				for b.Loop() {
					post := must.Get(joint.Sample(c.prior, c.like, obs, joint.Options{Fresh: true}))(b)
					b.ReportMetric(post.Info.Certificate.P, "p")
				}
			})
		}
	}
}

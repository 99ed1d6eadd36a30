package joint_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestSBC: the ranks of the true parameters and cells among the draws are uniform (Talts et al. 2018), for counts whose
// dispersion is unknown too. Few data sets find less than the closed forms of [TestNormal] and the references of PyMC.
func TestSBC(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("500 data sets: run with -full")
	}
	const cells, draws, sets = 10, 63, 500
	prior := gp.Unknown{Of: gp.RBF{Cells: cells}, Laws: law.Laws{
		"length scale": law.LogNormal{Median: 0.2, SD: 0.5}, "sd": law.LogNormal{Median: 1, SD: 0.4}}}
	like := expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.MustLink("exp(1+x)"),
		Unknown: law.Laws{"dispersion": law.LogNormal{Median: 0.3, SD: 0.7}}}
	all := append(prior.Parameters(), must.Get(like.Unknowns())(t)...)
	ranks := map[string][]float64{}
	for s := range sets {
		rng := expfam.Stream(11, fmt.Sprintf("sbc/%d", s))
		truth := law.Draw(rng, all)
		known := gp.RBF{Cells: cells, Length: truth[0], Variance: truth[1] * truth[1]}
		x, y := make([]float64, cells), make([]float64, cells)
		known.Draw(rng, x)
		for j := range y {
			y[j] = expfam.NB2{Dispersion: truth[2]}.Rand(math.Exp(1+x[j]), expfam.Known{}, rng)
		}
		obs := must.Get(like.Observe1(y...))(t)
		post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: uint64(s), Fresh: true}))(t)
		rank := func(name string, truth float64, values []float64) {
			below := rng.Float64() // a rank in [0, draws+1) that is uniform
			for _, v := range values {
				if v < truth {
					below++
				}
			}
			ranks[name] = append(ranks[name], below/(draws+1))
		}
		for k, p := range post.Parameters {
			rank(p.Name, truth[k], p.Draws)
		}
		rank("first cell", x[0], mat.Col(nil, 0, post.X))
		rank("middle cell", x[cells/2], mat.Col(nil, cells/2, post.X))
	}
	uniform := law.Grid(distuv.Uniform{Max: 1}, 10000)
	for name, r := range ranks {
		slices.Sort(r)
		// Kolmogorov and Smirnov at 0.1%, for five quantities
		d := stat.KolmogorovSmirnov(r, nil, uniform, nil)
		t.Logf("%s: distance %.3f of the limit of 5%%, %.3f", name, d, 1.36/math.Sqrt(sets))
		must.Be(t, d <= 1.95/math.Sqrt(sets), "%s: the ranks are %.3f from uniform", name, d)
	}
}

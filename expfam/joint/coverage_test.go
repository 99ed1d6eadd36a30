package joint_test

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
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestCoverage: intervals of 95% of held-out cells hold the truth as often as they say if the parameters are integrated
// out, whatever the number of data. The log has the same with the parameters at the mode of their posterior, and with
// length scales that are wrong.
func TestCoverage(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("60 sets of each size: run with -full")
	}
	const cells, draws, sets = 24, 199, 60
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	prior := gp.Unknown{Of: gp.RBF{Cells: cells}, Laws: law.Laws{
		"length scale": law.LogNormal{Median: 0.15, SD: 0.6}, "sd": law.LogNormal{Median: 1, SD: 0.4}}}
	all := prior.Parameters()
	for _, data := range []int{1, 3, 10, 30, 300} {
		held, hits, width := 0.0, map[string]float64{}, map[string]float64{}
		for s := range sets {
			rng := expfam.Stream(21, fmt.Sprintf("coverage/%d/%d", data, s))
			scores := []float64{rng.NormFloat64(), rng.NormFloat64()}
			length, sd := law.At(all[0].Law, scores[0]), law.At(all[1].Law, scores[1])
			x := make([]float64, cells)
			gp.RBF{Cells: cells, Length: length, Variance: sd * sd}.Draw(rng, x)
			places := rng.Perm(cells)[:min(data, cells/2)]
			y := make([][]float64, (data+cells/2-1)/(cells/2))
			for i := range y {
				y[i] = make([]float64, cells)
				for j := range y[i] {
					y[i][j] = math.NaN()
				}
			}
			for i := range data {
				j := places[i%len(places)]
				y[i/len(places)][j] = x[j] + 0.5*rng.NormFloat64()
			}
			obs := must.Get(like.Observe(expfam.Data{Y: y}))(t)
			post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
			low, high := post.Latent().EqualTailed(0.95)
			count := func(name string, low, high []float64) {
				for j := range x {
					if slices.Contains(places, j) {
						continue
					}
					if low[j] <= x[j] && x[j] <= high[j] {
						hits[name]++
					}
					width[name] += high[j] - low[j]
				}
			}
			held += float64(cells - len(places))
			count("integrated", low, high)
			exact := func(length, sd float64) (low, high []float64, evidence float64) {
				g := gp.RBF{Cells: cells, Length: length, Variance: sd * sd}
				c := must.Get(gp.Exact(g, like, obs))(t)
				for j, m := range c.Mean {
					h := distuv.UnitNormal.Quantile(0.975) * math.Sqrt(c.Cov.At(j, j))
					low, high = append(low, m-h), append(high, m+h)
				}
				return low, high, c.LogEvidence
			}
			best, at := math.Inf(-1), [2]float64{}
			for a := -2.5; a <= 2.5; a += 0.5 {
				for b := -2.5; b <= 2.5; b += 0.5 {
					u := [2]float64{law.At(all[0].Law, a), law.At(all[1].Law, b)}
					if _, _, e := exact(u[0], u[1]); e-(a*a+b*b)/2 > best {
						best, at = e-(a*a+b*b)/2, u
					}
				}
			}
			low, high, _ = exact(at[0], at[1])
			count("mode", low, high)
			for name, factor := range map[string]float64{"true": 1, "a third": 1. / 3, "three times": 3} {
				low, high, _ = exact(length*factor, sd)
				count(name, low, high)
			}
		}
		for _, name := range []string{"integrated", "mode", "true", "a third", "three times"} {
			t.Logf("%d data, %s: coverage %.3f, mean width %.2f", data, name, hits[name]/held, width[name]/held)
		}
		// Cells of a set are correlated: as if each set had two independent cells. Four standard errors.
		if off := hits["integrated"]/held - 0.95; math.Abs(off) > 4*math.Sqrt(0.05*0.95/(2*sets)) {
			t.Errorf("%d data: coverage %.3f", data, hits["integrated"]/held)
		}
	}
}

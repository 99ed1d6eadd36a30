package graph_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// reference is a posterior in testdata/scotland_reference.json, which testdata/scotland.py has made with PyMC.
type reference struct {
	Mean, SD, ESS map[string]float64
	RiskSD        []float64   `json:"risk_sd"`
	RiskQuantiles [][]float64 `json:"risk_quantiles"`
	RiskESS       float64     `json:"risk_ess"`
}

// lipCancer returns the model of the reference: BYM2 with a covariate and unknown sd and mixing.
func lipCancer(t testing.TB, s scotland, n *graph.Neighbours) (expfam.Prior, expfam.Likelihood, expfam.Observations) {
	x := mat.NewDense(len(s.X), 1, nil)
	for i, v := range s.X {
		x.Set(i, 0, v/10)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)"), Operator: operator.Design(x)}
	beta := must.Get(gp.New(nil, mat.NewSymDense(1, []float64{1})))(t)
	prior := expfam.Product(gp.Unknown{Of: graph.BYM2{Neighbours: n, LevelSD: 3}}, beta)
	return prior, like, must.Get(like.Observe(expfam.Data{Y: [][]float64{s.Y}, Known: [][]float64{s.E}}))(t)
}

// TestScotland: the posterior of every risk, of the sd, the mixing and the coefficient is that of PyMC, on the graph as
// it is, joined, and in three components. With -full the bounds are those that the documentation states.
func TestScotland(t *testing.T) {
	var all map[string]reference
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/scotland_reference.json"))(t), &all))
	s := readScotland(t)
	draws := fulltest.N(300, 8000)
	for name, ref := range all {
		t.Run(name, func(t *testing.T) {
			n := s.graph(t, name)
			prior, like, obs := lipCancer(t, s, n)
			post := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: draws, Seed: 1,
				Fresh: true}))(t)
			// Four standard errors of both for the means. The distance of n exact draws has the mean 1.3/√n, which is
			// 0.8·∫√(F(1−F)) of a normal distribution, and the largest of 168 is up to three times as large.
			bound := math.Max(0.08, 4/math.Sqrt(float64(draws)))
			worst, area := 0.0, 0
			for i := range n.Len() {
				risk := make([]float64, draws)
				for k := range risk {
					risk[k] = math.Exp(post.X.At(k, i) + s.X[i]/10*post.X.At(k, n.Len()))
				}
				if w := wasserstein(risk, ref.RiskQuantiles[i]) / ref.RiskSD[i]; w > worst {
					worst, area = w, i
				}
			}
			t.Logf("W1/sd of risks: at most %.3f, in area %d; %.2g s", worst, area, post.Info.Seconds)
			must.Be(t, worst <= bound, "area %d: W1/sd %.3f, more than %.3f", area, worst, bound)
			parameters := map[string][]float64{"b": mat.Col(nil, n.Len(), post.X)}
			for _, p := range post.Parameters {
				parameters[p.Name] = p.Draws
			}
			for _, key := range []string{"sd", "mixing", "b"} {
				mean, sd := stat.MeanStdDev(parameters[key], nil)
				off := (mean - ref.Mean[key]) / ref.SD[key]
				t.Logf("%s: %.3f ± %.3f, %.3f sd off, width %.3f", key, mean, sd, off, sd/ref.SD[key])
				se := math.Sqrt(1/float64(draws) + 1/ref.ESS[key])
				must.Be(t, math.Abs(off) <= math.Max(0.1, 4*se), "%s: the mean is %.3f sd off", key, off)
			}
		})
	}
}

// wasserstein returns the mean distance of quantiles of draws to those of a reference at the same levels.
func wasserstein(draws, quantiles []float64) (sum float64) {
	slices.Sort(draws)
	n := float64(len(quantiles))
	for k, q := range quantiles {
		level := (float64(k) + 0.5) / n
		sum += math.Abs(stat.Quantile(level, stat.LinInterp, draws, nil)-q) / n
	}
	return sum
}

package joint_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// reference is a posterior in testdata/reference.json, which testdata/reference.py has made with PyMC.
type reference struct {
	Y         []float64
	Mean, SD  map[string]float64
	ESS       map[string]float64
	CellsMean []float64 `json:"cells_mean"`
	CellsSD   []float64 `json:"cells_sd"`
	Seconds   float64
}

// unknown is the prior of the reference.
var unknown = gp.Unknown{Of: gp.RBF{Cells: 30}, Laws: law.Laws{
	"length scale": law.LogNormal{Median: 0.15, SD: 0.6}, "sd": law.LogNormal{Median: 1, SD: 0.4}}}

// TestReferences: the posteriors are those of PyMC. The tolerances are four standard errors of both, with the effective
// draws of the reference.
func TestReferences(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/reference.json"))(t)
	var all map[string]reference
	must.Do(t, json.Unmarshal(text, &all))
	names := map[string]string{"length scale": "log_length", "sd": "log_sd", "dispersion": "log_dispersion"}
	draws := fulltest.N(1000, 8000)
	for name, like := range map[string]expfam.Likelihood{
		"poisson":  {Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")},
		"binomial": {Family: expfam.Binomial{Trials: 20}},
		"negbinomial": {Family: expfam.NB2{}, Link: expfam.MustLink("exp(1+x)"),
			Unknown: law.Laws{"dispersion": law.LogNormal{Median: 0.3, SD: 0.7}}},
	} {
		t.Run(name, func(t *testing.T) {
			ref := all[name]
			obs := expfam.Must(like.Observe1(ref.Y...))
			post := must.Get(joint.Sample(unknown, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
			least := math.Inf(1)
			for _, n := range ref.ESS {
				least = math.Min(least, n)
			}
			for _, p := range post.Parameters {
				key := names[p.Name]
				se := math.Sqrt(1/float64(draws) + 1/ref.ESS[key])
				mean, sd := stat.MeanStdDev(logs(p.Draws), nil)
				off, width := (mean-ref.Mean[key])/ref.SD[key], sd/ref.SD[key]
				t.Logf("%s: off %.3f sd, width %.3f, standard error %.3f", p.Name, off, width, se)
				must.Be(t, math.Abs(off) <= 4*se && math.Abs(width-1) <= 4*se,
					"%s: the mean is %.3f sd off, and the sd %.3f of the reference", p.Name, off, width)
			}
			mean, sd := post.Latent().Mean(), post.Latent().SD()
			var worst, width float64
			for j := range mean {
				worst = math.Max(worst, math.Abs(mean[j]-ref.CellsMean[j])/ref.CellsSD[j])
				width += sd[j] / ref.CellsSD[j] / float64(len(mean))
			}
			t.Logf("cells: at most %.3f sd off, mean width %.3f, %.2g s", worst, width, post.Info.Seconds)
			se := math.Sqrt(1/float64(draws) + 1/least)
			must.Be(t, worst <= 5*se && math.Abs(width-1) <= 4*se,
				"cells: a mean is %.3f sd off, and the mean width is %.3f", worst, width)
		})
	}
}

// logs returns the logarithms of numbers.
func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}

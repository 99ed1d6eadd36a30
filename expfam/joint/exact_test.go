package joint_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// truth is a posterior under normal data, by quadrature over the scores of the parameters.
type truth struct {
	mean, sd      []float64 // of the scores
	cells, spread []float64 // mean and sd of the cells
}

// quadrature sums the closed form of package gp over a grid of scores from −4.5 to 4.5, at steps of 0.25. The error of
// such a sum is far below a thousandth, because the posterior of the scores is smooth.
func quadrature(t *testing.T, prior gp.Unknown, like expfam.Likelihood, obs expfam.Observations) truth {
	t.Helper()
	all := prior.Parameters()
	var scores [][]float64
	var logs []float64
	var parts []*gp.Conditional
	node := make([]float64, len(all))
	var visit func(k int)
	visit = func(k int) {
		if k == len(all) {
			mean, cov := must.Get2(prior.Normal(law.Values(all, node)))(t)
			c := must.Get(gp.Exact(expfam.Must(gp.New(mean, cov)), like, obs))(t)
			scores = append(scores, append([]float64(nil), node...))
			logs = append(logs, c.LogEvidence-floats.Dot(node, node)/2)
			parts = append(parts, c)
			return
		}
		for v := -4.5; v <= 4.5; v += 0.25 {
			node[k] = v
			visit(k + 1)
		}
	}
	visit(0)
	total := floats.LogSumExp(logs)
	d := prior.Dim()
	out := truth{make([]float64, len(all)), make([]float64, len(all)), make([]float64, d), make([]float64, d)}
	for i, l := range logs {
		w := math.Exp(l - total)
		for k, v := range scores[i] {
			out.mean[k] += w * v
			out.sd[k] += w * v * v
		}
		for j, v := range parts[i].Mean {
			out.cells[j] += w * v
			out.spread[j] += w * (v*v + parts[i].Cov.At(j, j))
		}
	}
	for k, v := range out.sd {
		out.sd[k] = math.Sqrt(v - out.mean[k]*out.mean[k])
	}
	for j, v := range out.spread {
		out.spread[j] = math.Sqrt(v - out.cells[j]*out.cells[j])
	}
	return out
}

// TestNormal: under normal data the posterior of the parameters and of the field is the closed form integrated by
// quadrature. With -full every kernel is tested on 4000 draws.
func TestNormal(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	laws := law.Laws{"length scale": law.LogNormal{Median: 0.15, SD: 0.6}, "sd": law.LogNormal{Median: 1, SD: 0.4}}
	cases := map[string]gp.Unknown{
		"rbf":         {Of: gp.RBF{Cells: 30}, Laws: laws},
		"default":     {Of: gp.RBF{Cells: 30}},
		"matern 0.5":  {Of: gp.Process{Kernel: gp.Matern{Smoothness: 0.5}}},
		"matern 1.5":  {Of: gp.Process{Kernel: gp.Matern{Smoothness: 1.5}, Cells: 20, LevelSD: 2}},
		"matern 2.5":  {Of: gp.Process{Kernel: gp.Matern{Smoothness: 2.5}, SD: 1}},
		"smoothness":  {Of: gp.Process{Kernel: gp.AnyMatern{}, SD: 1}},
		"periodic":    {Of: gp.Process{Kernel: gp.Periodic{Period: 0.5}, Cells: 25}},
		"lattice":     {Of: gp.Process{Kernel: gp.Matern{}, Rows: 5, Cols: 6, SD: 1.5}},
		"only the sd": {Of: gp.RBF{Cells: 30, Length: 0.1}},
		"pool":        {Of: gp.RBF{Cells: 300, Length: 0.1}}, // of 125 values
		"pool of two": {Of: gp.RBF{Cells: 160}, Laws: laws},  // of 823
	}
	draws := fulltest.N(1500, 4000)
	for name, prior := range cases {
		if !*fulltest.Full && !slices.Contains([]string{"rbf", "matern 2.5", "lattice"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			x, rng := make([]float64, prior.Dim()), expfam.Stream(3, name)
			prior.Draw(rng, x)
			for j := range x {
				x[j] += 0.5 * rng.NormFloat64()
			}
			x[3] = math.NaN() // a missing cell
			obs := expfam.Must(like.Observe1(x...))
			post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 2, Fresh: true}))(t)
			want := quadrature(t, prior, like, obs)
			n := math.Sqrt(float64(draws))
			for k, p := range prior.Parameters() {
				score := make([]float64, draws)
				for i, v := range post.Parameters[k].Draws {
					score[i] = law.Score(p.Law, v)
				}
				mean, sd := stat.MeanStdDev(score, nil)
				off, width := (mean-want.mean[k])/want.sd[k], sd/want.sd[k]
				t.Logf("%s: off %.3f sd, width %.3f", p.Name, off, width)
				// 4 standard errors of independent draws; the sd of a skewed posterior has a larger one
				n := n
				if name == "pool" { // draws share 125 values of the sd, as good as independent ones at least
					n = math.Sqrt(125)
				}
				must.Be(t, math.Abs(off) <= 4/n && math.Abs(width-1) <= 4*1.2/n/math.Sqrt2,
					"%s: the mean is %.3f sd off, and the sd %.3f of the exact one", p.Name, off, width)
			}
			mean, sd := post.Latent().Mean(), post.Latent().SD()
			for j := range mean {
				// 5 standard errors, for the worst of 30 cells
				if off := math.Abs(mean[j]-want.cells[j]) / want.spread[j]; off > 5/n {
					t.Errorf("cell %d: the mean is %.3f sd off", j, off)
				}
				if width := sd[j] / want.spread[j]; math.Abs(width-1) > 5*1.2/n/math.Sqrt2 {
					t.Errorf("cell %d: the sd is %.3f of the exact one", j, width)
				}
			}
			t.Log(post.Info.Diagnostics, fmt.Sprintf("%.2g s", post.Info.Seconds))
		})
	}
}

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

package joint_test

import (
	"math"
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

// TestNoise: the standard deviation of normal data, under a known prior, is that of the closed form by quadrature.
func TestNoise(t *testing.T) {
	prior := gp.RBF{Cells: 20, Length: 0.2}
	like := expfam.Likelihood{Family: expfam.Normal{}, Unknown: law.Laws{"noise sd": nil}}
	x, rng := make([]float64, 20), expfam.Stream(5, "noise")
	prior.Draw(rng, x)
	y := [][]float64{make([]float64, 20), make([]float64, 20)} // two replicates
	for j := range x {
		y[0][j], y[1][j] = x[j]+0.4*rng.NormFloat64(), x[j]+0.4*rng.NormFloat64()
	}
	y[1][7] = math.NaN()
	obs := expfam.Must(like.Observe(expfam.Data{Y: y}))
	p := expfam.Must(like.Unknowns())[0]
	var logs, at []float64
	for v := -1.5; v <= 0.5; v += 0.01 { // the noise lies between 0.1 and 2.1
		known := expfam.Likelihood{Family: expfam.Normal{SD: law.At(p.Law, v)}}
		c := must.Get(gp.Exact(prior, known, expfam.Must(known.Observe(expfam.Data{Y: y}))))(t)
		logs, at = append(logs, c.LogEvidence-v*v/2), append(at, v)
	}
	weights, total := make([]float64, len(at)), floats.LogSumExp(logs)
	for i, l := range logs {
		weights[i] = math.Exp(l-total) * 1e6 // StdDev divides by the sum of weights less 1
	}
	wantMean, wantSD := stat.MeanStdDev(at, weights)
	draws := fulltest.N(1500, 20000)
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 3, Fresh: true}))(t)
	mean, sd := stat.MeanStdDev(scores(t, post, p), nil)
	n := math.Sqrt(float64(draws))
	t.Logf("%.3f sd off, width %.3f, %v", (mean-wantMean)/wantSD, sd/wantSD, post.Info.Diagnostics)
	if math.Abs(mean-wantMean)/wantSD > 4/n || math.Abs(sd/wantSD-1) > 4*1.2/n/math.Sqrt2 { // four standard errors
		t.Errorf("mean %.4f and sd %.4f, want %.4f and %.4f", mean, sd, wantMean, wantSD)
	}
}

// TestConstants: unknown constants of families and of links, with an unknown length scale beside them, against chains
// of package hmc. Without -full one family is tested.
func TestConstants(t *testing.T) {
	prior := gp.Unknown{Of: gp.RBF{Cells: 16, Variance: 1},
		Laws: law.Laws{"length scale": law.LogNormal{Median: 0.2, SD: 0.5}}}
	for name, c := range map[string]struct {
		truth expfam.Family // from which the data are drawn
		like  expfam.Likelihood
		known float64
	}{
		"dispersion": {expfam.NB2{Dispersion: 0.5}, expfam.Likelihood{Family: expfam.NB2{},
			Unknown: law.Laws{"dispersion": nil}}, 8},
		"correlation": {expfam.BetaBinomial{Correlation: 0.1}, expfam.Likelihood{Family: expfam.BetaBinomial{},
			Unknown: law.Laws{"correlation": nil}}, 40},
		"log-normal": {expfam.LogNormal{SD: 0.3}, expfam.Likelihood{Family: expfam.LogNormal{},
			Unknown: law.Laws{"noise sd": nil}}, 0},
		"gamma": {expfam.Gamma{Shape: 4}, expfam.Likelihood{Family: expfam.Gamma{}, Link: expfam.MustLink("4*exp(-x)"),
			Unknown: law.Laws{"shape": nil}}, 0},
		"weibull": {expfam.Weibull{Shape: 1.5}, expfam.Likelihood{Family: expfam.Weibull{},
			Unknown: law.Laws{"shape": nil}}, 0},
		"link": {expfam.Binomial{}, expfam.Likelihood{Family: expfam.Binomial{},
			Link:    expfam.MustLink("sigmoid(s*x)", expfam.Constants{"s": 1}),
			Unknown: law.Laws{"s": law.LogNormal{Median: 1, SD: 0.5}}}, 30},
	} {
		if name != "dispersion" && !*fulltest.Full {
			continue
		}
		t.Run(name, func(t *testing.T) {
			x := make([]float64, 16)
			gp.RBF{Cells: 16, Length: 0.2}.Draw(expfam.Stream(1, "constants/"+name), x)
			theta := must.Get(expfam.Likelihood{Family: c.truth}.Theta(x))(t)
			var known []float64
			if c.known > 0 {
				for range x {
					known = append(known, c.known)
				}
			}
			data := expfam.Must(expfam.Likelihood{Family: c.truth}.Simulate(theta, known, 1, 4))
			obs := expfam.Must(c.like.Observe(data))
			againstChains(t, prior, c.like, obs, fulltest.N(1000, 4000), fulltest.N(300, 2000))
		})
	}
}

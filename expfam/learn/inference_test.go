package learn_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// emitted are location and log concentration of a network at rows of x_t.
func emitted(t *testing.T, n diffusion.Inferrer, x [][]float64, sigma float64) (loc, conc []float64) {
	t.Helper()
	l := level.At(sigma)
	out := enginetest.Call(t, enginetest.Open(t, "go"), func(x, a, v *node) []*node {
		loc, conc := n.Infer(x, level.Nodes{SqrtAlpha: a, V: v})
		both := x.Shape().Dimensions
		return []*node{graph.BroadcastToDims(loc, both...), graph.BroadcastToDims(conc, both...)}
	}, x, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
	return out[0], out[1]
}

// diffused are draws of x_t.
func diffused(sim Simulator, sigma float64, n int) [][]float64 {
	l, rng, x := level.At(sigma), Stream(9, "test"), make([][]float64, n)
	for k := range x {
		x[k] = make([]float64, sim.Dim())
		sim.Draw(rng, x[k])
		for j := range x[k] {
			x[k][j] = l.SqrtAlpha * (x[k][j] + sigma*rng.NormFloat64())
		}
	}
	return x
}

// A short training comes close to the projection of the exact moments: the
// location in units of q's sd, and the concentration.
func TestInferenceLearnsTheProjection(t *testing.T) {
	const batch = 400
	c := learntest.Tiny(t)
	c.Engine, c.Steps, c.Batch, c.Rate, c.Average = enginetest.Fast(t), fulltest.N(900, 1500), 128, 0.01, 0.99
	c.Net = nn.Experts{Experts: 6, Blocks: 1, Width: 16, Embedding: 32}
	learned := learntest.TrainInference(t, few, poisson, c)
	for _, sigma := range []float64{3, 0.5, 0.1} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			l, x := level.At(sigma), diffused(few, sigma, batch)
			loc, conc := emitted(t, learned, x, sigma)
			want := enginetest.Call(t, c.Engine, func(x, a, v *node) []*node {
				mean, variance := few.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
				loc, conc := Must(poisson.Terms()).Project(mean, variance)
				return []*node{loc, conc, graph.BroadcastToDims(variance, batch, 6)}
			}, x, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
			var miss, scalar, ratio float64
			n := float64(6 * batch)
			for i := range loc {
				s2 := want[2][i]
				miss += math.Pow(loc[i]-want[0][i], 2) / s2 / n
				alone := l.SqrtAlpha*x[i/6][i%6] + s2/2 // a cell by itself, of variance 1
				scalar += math.Pow(alone-want[0][i], 2) / s2 / n
				ratio += math.Exp(conc[i]-want[1][i]) / n
			}
			miss, scalar = math.Sqrt(miss), math.Sqrt(scalar)
			t.Logf("location %.3f s off (a cell by itself: %.3f), concentration %.3f of the exact", miss, scalar, ratio)
			// An error of 0.1 s adds 1% to the squared error of an estimate, and is twice what this training leaves; a
			// location without the neighbours errs by several times that, so that passing takes learning. A
			// concentration that is 5% off changes the pull of the data by less than that.
			must.Be(t, miss < 0.1 && miss < scalar/3, "the location is %.3f s off; a cell by itself %.3f", miss, scalar)
			must.Absolute(t, "the concentration", ratio, 1, 0.05)
		})
	}
	n := len(learned.Curve.Step)
	must.Be(t, n >= 40 && learned.Curve.HeldOut[n-1] < learned.Curve.HeldOut[0], "curve %v", learned.Curve)
	t.Run("posterior", func(t *testing.T) {
		obs := observe(t, poisson, 2, 0, 1, 1, 4, 3)
		s := diffusion.Sampler{Draws: fulltest.N(400, 1000), Seed: 1, Engine: c.Engine,
			Method: diffusion.Multistep{N: 25}}
		mean := func(g diffusion.Guidance) []float64 {
			s.Guidance = g
			return sample(t, few, poisson, obs, s).Latent().Mean()
		}
		exact, got := mean(diffusion.Corrected{}), mean(diffusion.Corrected{Inference: learned})
		for j := range got {
			// The posterior's sd is 0.5; draw by draw both see the same noise.
			must.Absolute(t, fmt.Sprintf("cell %d: mean", j), got[j], exact[j], 0.05)
		}
	})
}

func TestInferenceFiles(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 5
	n := learntest.TrainInference(t, few, poisson, c)
	path := filepath.Join(t.TempDir(), "inference.safetensors")
	must.Do(t, n.Save(path))
	x := diffused(few, 0.5, 3)
	loc, conc := emitted(t, n, x, 0.5)
	t.Run("round trip", func(t *testing.T) {
		back := must.Get(learn.LoadInference(path, poisson, c.Net))(t)
		must.Be(t, back.String() == n.String() && reflect.DeepEqual(back.Scale, n.Scale) &&
			reflect.DeepEqual(back.Curve, n.Curve),
			"%v, saved %v", back, n)
		l, k := emitted(t, back, x, 0.5)
		must.Be(t, reflect.DeepEqual(l, loc) && reflect.DeepEqual(k, conc), "it emits something else")
	})
	// log θ moves by 5 and q with it.
	t.Run("another intercept", func(t *testing.T) {
		back := must.Get(learn.LoadInference(path, Likelihood{Family: Poisson{}, Link: MustLink("exp(5+x)")}, c.Net))(t)
		l, k := emitted(t, back, x, 0.5)
		for i := range l {
			near(t, "location", l[i], loc[i]+5, 1e-13)
			near(t, "log concentration", k[i], conc[i], 1e-13)
		}
	})
	// One conjugate and one law of θ, whatever the data.
	t.Run("another family of the same conjugate", func(t *testing.T) {
		must.Get(learn.LoadInference(path, Likelihood{Family: Exponential{}, Link: ExpLink}, c.Net))(t)
	})
	for name, like := range map[string]Likelihood{
		"slope":     {Family: Poisson{}, Link: MustLink("1/exp(x)")},
		"curve":     {Family: Poisson{}, Link: MustLink("softplus(x)")},
		"conjugate": {Family: Weibull{}, Link: ExpLink},
		"function":  {Family: Poisson{}, Link: Must(TableLink("exp", math.Exp))},
	} {
		t.Run("another "+name, func(t *testing.T) {
			_, err := learn.LoadInference(path, like, c.Net)
			if err == nil || !strings.Contains(err.Error(), `was trained for "gamma, log(theta) = c + 1 x", not for`) ||
				!strings.HasSuffix(err.Error(), "train one with TrainInference") {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("no family", func(t *testing.T) {
		must.Refuse(learn.LoadInference(path, Likelihood{}, c.Net))(t, "there is no family")
	})
	t.Run("another architecture", func(t *testing.T) {
		must.Refuse(learn.LoadInference(path, poisson, nn.MLP{}))(t, "give the network that was trained")
	})
	t.Run("as a prior", func(t *testing.T) {
		must.Refuse(learn.Load(path, c.Net))(t, "holds an inference network; give it to LoadInference")
	})
	t.Run("a prior as inference", func(t *testing.T) {
		score := filepath.Join(t.TempDir(), "prior.safetensors")
		must.Do(t, learntest.Train(t, few, c).Save(score))
		must.Refuse(learn.LoadInference(score, poisson, c.Net))(t,
			"holds no inference network; give a score network to Load")
	})
}

// exp(x) and exp(5+x) find each other's stored network; other targets, and the
// score network of the same configuration, do not.
func TestInferenceIsStored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("EXPFAM_STORE", dir)
	c := learntest.Tiny(t)
	c.Fresh, c.Steps = false, 5
	var reports int
	c.Progress = func(int, int, float64) { reports++ }
	trains := func(t *testing.T, like Likelihood, want bool) *learn.Inference {
		t.Helper()
		reports = 0
		n := learntest.TrainInference(t, few, like, c)
		must.Equal(t, reports > 0, want, like, reports, "reports of training, trained anew should be")
		return n
	}
	first := trains(t, poisson, true)
	must.Equal(t, trains(t, poisson, false).String(), first.String(), "stored", first)
	trains(t, Likelihood{Family: Poisson{}, Link: MustLink("exp(5+x)")}, false)
	trains(t, Likelihood{Family: Poisson{}, Link: MustLink("1/exp(x)")}, true)
	trains(t, Likelihood{Family: Weibull{}, Link: ExpLink}, true)
	reports = 0
	if learntest.Train(t, few, c); reports == 0 {
		t.Error("a score network was loaded from an inference network")
	}
	// A Go function is known by its values.
	for i, rate := range []float64{1, 1, 2} {
		growth := Must(TableLink("growth", func(x float64) float64 { return math.Exp(rate * x) }))
		trains(t, Likelihood{Family: Poisson{}, Link: growth}, i != 1)
	}
}

func TestTrainInferenceRefuses(t *testing.T) {
	for want, like := range map[string]Likelihood{
		"there is no family": {},
		"poisson":            {Family: Poisson{}, Link: IdentityLink},
	} {
		t.Run(want, func(t *testing.T) { must.Refuse(learn.TrainInference(few, like, learntest.Tiny(t)))(t, want) })
	}
}

// unset is a simulator that lacks what it draws from, as the zero scenes.Crop does.
type unset struct{ Simulator }

func (unset) Check() error { return errors.New("nothing to draw from") }

func TestTrainInferenceChecksTheSimulator(t *testing.T) {
	_, err := learn.TrainInference(unset{}, poisson, learntest.Tiny(t))
	must.Be(t, err != nil && err.Error() == "train: nothing to draw from", "error %v", err)
}

// A network serves the number of cells that it was trained on. On one cell its numbers would be repeated without an
// error.
func TestInferenceNeedsItsCells(t *testing.T) {
	config := learntest.Tiny(t)
	config.Steps = 1
	n := learntest.TrainInference(t, few, poisson, config)
	for _, cells := range []int{1, 4} {
		obs := observe(t, poisson, make([]float64, cells)...)
		_, err := diffusion.Sample(gp.RBF{Cells: cells}, poisson, obs,
			diffusion.Sampler{Draws: 2, Engine: config.Engine, Guidance: diffusion.Evidence{Inference: n}, Fresh: true})
		want := fmt.Sprintf("was trained on 6 cells, and the prior has %d; train one", cells)
		must.Be(t, err != nil && strings.Contains(err.Error(), want),
			"%d cells: error %v, want %q in it", cells, err, want)
	}
}

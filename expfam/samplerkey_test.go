package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
)

// Below are pairs of configurations that a notebook makes when one edits a cell and runs
// it again: same name, other code. Types of one test cannot have one name, so that what
// tells the first pairs apart must be the code alone: edited is a field that no text
// shows.

// tampered is a family whose formulas, terms and draws change with edited.
type tampered struct {
	Poisson
	edited int
}

func (f tampered) Natural() Natural {
	n := f.Poisson.Natural()
	if f.edited == 1 {
		n.Partition = formula.MustParse("theta+0.001")
	}
	if f.edited == 2 {
		n.Low = -1
	}
	return n
}

func (f tampered) Reduce(y, known float64) (Term, error) {
	t, err := f.Poisson.Reduce(y, known)
	if f.edited == 3 {
		t.Stat /= 2
	}
	return t, err
}

func (f tampered) Conjugate() Conjugate {
	if f.edited == 4 {
		return GammaPrior{Times: true}
	}
	return f.Poisson.Conjugate()
}

// heir is a Poisson but for its formulas, and has its name.
type heir struct{ Poisson }

func (heir) Natural() Natural { return Exponential{}.Natural() }

// bent is a general family whose functions change with edited.
type bent struct {
	BetaBinomial
	edited int
}

func (f bent) At(u float64, t Term) (value, slope, curvature float64) {
	value, slope, curvature = f.BetaBinomial.At(u, t)
	if f.edited == 1 {
		slope *= 1 + 1e-9
	}
	return value, slope, curvature
}

func (f bent) Graph(u, stat, size *g.Node) (value, slope, curvature *g.Node) {
	value, slope, curvature = f.BetaBinomial.Graph(u, stat, size)
	if f.edited == 2 {
		slope = g.MulScalar(slope, 1.5)
	}
	return value, slope, curvature
}

// shrunk is a prior, simulator and guidance whose code changes with edited.
type shrunk struct{ edited float64 }

func (shrunk) String() string { return "shrunk" }
func (shrunk) Dim() int       { return 4 }
func (p shrunk) Moments(x *g.Node, l LevelNodes) (mean, variance *g.Node) {
	return g.Add(g.Mul(x, l.SqrtAlpha), g.Const(x.Graph(), [][]float32{{0, 0, float32(p.edited), 0}})), g.Mul(l.V, g.OnesLike(x))
}
func (p shrunk) Shift(at *Point) *g.Node { return g.MulScalar(Quadrature{}.Shift(at), 1-p.edited) }
func (p shrunk) Draw(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64() + p.edited
	}
}
func (p shrunk) Coupling(sigma float64) float64 { return 1 + p.edited*sigma }

// hurried is a method with a text that hides a number.
type hurried struct{ edited float64 }

func (hurried) String() string { return "hurried" }
func (m hurried) Steps() []Step {
	steps := Multistep{N: 4}.Steps()
	steps[1].S += m.edited
	return steps
}

// coupled knows more of its cells when it is edited.
type coupled struct {
	shrunk
	edited float64
}

func (p coupled) Coupling(sigma float64) float64 { return 1 + p.edited }

func keyOf(t testing.TB, prior Prior, like Likelihood, s Sampler) string {
	t.Helper()
	s, err := s.orDefault(prior)
	if err != nil {
		t.Fatal(err)
	}
	key, err := Must(prepare(prior, Must(like.Terms()), s)).run(make(Observations, prior.Dim()))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestKeysOfEditedCode(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		s, like, prior := Sampler{Engine: e}, Likelihood{Family: Poisson{}, Link: ExpLink}, shrunk{}
		family := func(f Family) string { return keyOf(t, prior, Likelihood{Family: f}, s) }
		with := func(g Guidance, m Method) string {
			s := s
			s.Guidance, s.Method = g, m
			return keyOf(t, prior, like, s)
		}
		for name, pair := range map[string]func(edited int) string{
			"partition":     func(i int) string { return family(tampered{edited: i}) },
			"bound":         func(i int) string { return family(tampered{edited: 2 * i}) },
			"reduction":     func(i int) string { return family(tampered{edited: 3 * i}) },
			"conjugate":     func(i int) string { return family(tampered{edited: 4 * i}) },
			"embedded":      func(i int) string { return family([]Family{Poisson{}, heir{}}[i]) },
			"general/host":  func(i int) string { return family(bent{BetaBinomial{Correlation: 0.1}, i}) },
			"general/graph": func(i int) string { return family(bent{BetaBinomial{Correlation: 0.1}, 2 * i}) },
			"moments":       func(i int) string { return keyOf(t, shrunk{1e-3 * float64(i)}, like, s) },
			"guidance":      func(i int) string { return with(shrunk{1e-3 * float64(i)}, nil) },
			"method":        func(i int) string { return with(nil, hurried{1e-3 * float64(i)}) },
			"coupling": func(i int) string {
				return keyOf(t, coupled{edited: float64(i)}, like, Sampler{Engine: e, Guidance: Tempered{}})
			},
			"corrector":      func(i int) string { return keyOf(t, prior, like, Sampler{Engine: e, Method: Paper, Batch: 10 + i}) },
			"default method": func(i int) string { return with(nil, []Method{nil, Multistep{}}[i]) },
		} {
			t.Run(name, func(t *testing.T) {
				if before, again := pair(0), pair(0); before != again {
					t.Error("unchanged code has two keys")
				}
				if pair(0) == pair(1) {
					t.Error("edited code has the key that it had before")
				}
			})
		}
		t.Run("written out", func(t *testing.T) {
			if with(nil, nil) != with(Quadrature{Steps: 3}, Restarts{First: 10}) {
				t.Error("defaults that are written out have another key")
			}
			if keyOf(t, prior, like, Sampler{Engine: e, Batch: 7, Draws: 20}) != with(nil, nil) {
				t.Error("a batch or a number of draws changes the draws")
			}
		})
	})
}

// A network's graph is made from a map of weights, in another order each time.
func TestKeysAreStable(t *testing.T) {
	vector, err := LoadPrior("../notebooks/weights/gp-experts-score.safetensors", nil)
	if err != nil {
		t.Fatal(err)
	}
	network, err := LoadInference("../notebooks/weights/gp-experts-poisson.safetensors", Likelihood{Family: Poisson{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		seen := map[string]bool{}
		for range 8 {
			seen[keyOf(t, vector, Likelihood{Family: Poisson{}}, Sampler{Engine: e, Guidance: Corrected{Inference: network}})] = true
		}
		if len(seen) != 1 {
			t.Errorf("%d keys of one configuration", len(seen))
		}
		altered := *vector
		altered.weights = append([]float32(nil), vector.weights...)
		altered.weights[len(altered.weights)/2] *= 1 + 1e-6
		if seen[keyOf(t, &altered, Likelihood{Family: Poisson{}}, Sampler{Engine: e, Guidance: Corrected{Inference: network}})] {
			t.Error("one weight of 270 thousand has no part in the key")
		}
	})
}

func TestTrainingKeysOfEditedCode(t *testing.T) {
	e := enginetest.Open(t, "go")
	key := func(t *testing.T, sim Simulator, purpose string, c Training) string {
		t.Helper()
		c.Engine = e
		c, err := c.orDefault()
		if err != nil {
			t.Fatal(err)
		}
		key, err := c.key(sim, purpose, scoreObjective)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	for name, pair := range map[string]func(i int) string{
		"draws":   func(i int) string { return key(t, shrunk{1e-9 * float64(i)}, "score", Training{}) },
		"purpose": func(i int) string { return key(t, shrunk{}, fmt.Sprint(i), Training{}) },
		"network": func(i int) string {
			return key(t, shrunk{}, "score", Training{Net: scaled{nn.MLP{Width: 8}, 1 + float64(i)}})
		},
		"bounds":  func(i int) string { return key(t, []Simulator{shrunk{}, fenced{shrunk{}, 3}}[i], "score", Training{}) },
		"bound":   func(i int) string { return key(t, fenced{shrunk{}, 3 + float64(i)}, "score", Training{}) },
		"devices": func(i int) string { return key(t, shrunk{}, "score", Training{Devices: 1 + i}) },
		"half":    func(i int) string { return key(t, shrunk{}, "score", Training{Half: i == 1}) },
		"wrapped": func(i int) string { return key(t, []Simulator{shrunk{}, fenced{shrunk{}, 0}}[i], "score", Training{}) },
		"measuring": func(i int) string {
			return key(t, shrunk{}, "score", Training{Net: scaled{nn.MLP{Width: 8}, -float64(i)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if first, again := pair(0), pair(0); first != again {
				t.Error("unchanged code has two keys")
			}
			if pair(0) == pair(1) {
				t.Error("edited code has the key that it had before")
			}
		})
	}
	t.Run("a draw that fails", func(t *testing.T) {
		c, _ := Training{Engine: e}.orDefault()
		if _, err := c.key(fenced{shrunk{}, math.NaN()}, "score", scoreObjective); err == nil {
			t.Error("no error")
		}
	})
}

// scaled is a network whose code changes with factor, and what it measures with its
// sign.
type scaled struct {
	nn.Network
	factor float64
}

func (n scaled) Apply(w nn.Weights, in nn.Input, heads int) []*g.Node {
	out := n.Network.Apply(w, in, heads)
	out[0] = g.MulScalar(out[0], max(n.factor, 1))
	return out
}

func (n scaled) Measure(_, _ int, draw func(x []float64)) (map[string][]float32, error) {
	return map[string][]float32{"layer0.b": {float32(min(n.factor, 0))}}, nil
}

// fenced has bounds, and no draws where they are none.
type fenced struct {
	shrunk
	bound float64
}

func (s fenced) Bounds() (low, high float64) { return -s.bound, s.bound }
func (s fenced) Draw(rng *rand.Rand, x []float64) {
	if math.IsNaN(s.bound) {
		panic("no draws")
	}
	s.shrunk.Draw(rng, x)
}

// BenchmarkKey is what a call of Sample that loads its result spends on finding it.
func BenchmarkKey(b *testing.B) {
	vector, err := LoadPrior("../notebooks/weights/gp-experts-score.safetensors", nil)
	if err != nil {
		b.Fatal(err)
	}
	image, err := LoadPrior("../notebooks/weights/images-score.safetensors", nn.UNet{Rows: 64, Columns: 64})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.Default()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		prior Prior
		f     Family
	}{{"vector/poisson", vector, Poisson{}}, {"vector/betabinomial", vector, BetaBinomial{Trials: 30, Correlation: 0.1}}, {"image/poisson", image, Poisson{}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				keyOf(b, c.prior, Likelihood{Family: c.f}, Sampler{Engine: e})
			}
		})
	}
}

// PosteriorKey is the key under which Sample stores its result, or why there is none.
func PosteriorKey(prior Prior, like Likelihood, s Sampler) (string, error) {
	s, err := s.orDefault(prior)
	if err != nil {
		return "", err
	}
	terms, err := like.Terms()
	if err != nil {
		return "", err
	}
	c, err := prepare(prior, terms, s)
	if err != nil {
		return "", err
	}
	run, err := c.run(make(Observations, prior.Dim()))
	if err != nil {
		return "", err
	}
	_, key := c.entry(run)
	return key, nil
}

// NetworkKey is the key under which Train stores its result, or why there is none.
func NetworkKey(sim Simulator, t Training) (string, error) {
	t, err := t.orDefault()
	if err != nil {
		return "", err
	}
	return t.key(sim, "score", scoreObjective)
}

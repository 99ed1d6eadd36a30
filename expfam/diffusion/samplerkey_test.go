package diffusion

import (
	"context"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// Below are pairs of configurations that a notebook makes when one edits a cell and runs it again: same name, other
// code. Types of one test cannot have one name, so that what tells the first pairs apart must be the code alone: edited
// is a field that no text shows.

// tampered is a family whose formulas, terms and draws change with edited.
type tampered struct {
	expfam.Poisson
	edited int
}

func (f tampered) Natural() expfam.Natural {
	n := f.Poisson.Natural()
	if f.edited == 1 {
		n.Partition = formula.MustParse("theta+0.001")
	}
	if f.edited == 2 {
		n.Low = -1
	}
	return n
}

func (f tampered) Reduce(y float64, known expfam.Known) (expfam.Term, error) {
	t, err := f.Poisson.Reduce(y, known)
	if f.edited == 3 {
		t.Stat /= 2
	}
	return t, err
}

func (f tampered) Conjugate() expfam.Conjugate {
	if f.edited == 4 {
		return expfam.GammaPrior{Times: true}
	}
	return f.Poisson.Conjugate()
}

// heir is a Poisson but for its formulas, and has its name.
type heir struct{ expfam.Poisson }

func (heir) Natural() expfam.Natural { return expfam.Exponential{}.Natural() }

// bent is a general family whose functions change with edited.
type bent struct {
	expfam.BetaBinomial
	edited int
}

func (f bent) At(u float64, t expfam.Term) (value, slope, information float64) {
	value, slope, information = f.BetaBinomial.At(u, t)
	if f.edited == 1 {
		slope *= 1 + 1e-9
	}
	return value, slope, information
}

func (f bent) Graph(u, stat, size *g.Node) (value, slope, information *g.Node) {
	value, slope, information = f.BetaBinomial.Graph(u, stat, size)
	if f.edited == 2 {
		slope = g.MulScalar(slope, 1.5)
	}
	return value, slope, information
}

// shrunk is a prior and guidance whose code changes with edited.
type shrunk struct{ edited float64 }

func (shrunk) String() string { return "shrunk" }
func (shrunk) Dim() int       { return 4 }
func (p shrunk) Moments(x *g.Node, l level.Nodes) (mean, variance *g.Node) {
	return g.Add(g.Mul(x, l.SqrtAlpha), g.Const(x.Graph(), [][]float32{{0, 0, float32(p.edited), 0}})),
		g.Mul(l.V, g.OnesLike(x))
}
func (p shrunk) Shift(at *Point) *g.Node        { return g.MulScalar(Quadrature{}.Shift(at), 1-p.edited) }
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

func keyOf(t testing.TB, prior expfam.Prior, like expfam.Likelihood, s Sampler) string {
	t.Helper()
	_, run, err := runKey(prior, like, s)
	must.Do(t, err)
	return run
}

func TestKeysOfEditedCode(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		s, like, prior := Sampler{Engine: e}, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
			shrunk{}
		family := func(f expfam.Family) string { return keyOf(t, prior, expfam.Likelihood{Family: f}, s) }
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
			"embedded":      func(i int) string { return family([]expfam.Family{expfam.Poisson{}, heir{}}[i]) },
			"general/host":  func(i int) string { return family(bent{expfam.BetaBinomial{Correlation: 0.1}, i}) },
			"general/graph": func(i int) string { return family(bent{expfam.BetaBinomial{Correlation: 0.1}, 2 * i}) },
			"moments":       func(i int) string { return keyOf(t, shrunk{1e-3 * float64(i)}, like, s) },
			"guidance":      func(i int) string { return with(shrunk{1e-3 * float64(i)}, nil) },
			"method":        func(i int) string { return with(nil, hurried{1e-3 * float64(i)}) },
			"coupling": func(i int) string {
				return keyOf(t, coupled{edited: float64(i)}, like, Sampler{Engine: e, Guidance: Tempered{}})
			},
			"corrector": func(i int) string {
				return keyOf(t, prior, like,
					Sampler{Engine: e, Method: Paper, Batch: 10 + i})
			},
			"default method": func(i int) string { return with(nil, []Method{nil, Multistep{}}[i]) },
		} {
			t.Run(name, func(t *testing.T) {
				before, again := pair(0), pair(0)
				must.Be(t, before == again, "unchanged code has two keys")
				must.Be(t, pair(0) != pair(1), "edited code has the key that it had before")
			})
		}
		t.Run("written out", func(t *testing.T) {
			must.Be(t, with(nil, nil) == with(Quadrature{Nodes: 7}, CovarianceSteps{N: 8}),
				"defaults that are written out have another key")
			must.Be(t, keyOf(t, prior, like, Sampler{Engine: e, Batch: 7, Draws: 20}) == with(nil, nil),
				"a batch or a number of draws changes the draws")
		})
	})
}

// PosteriorKey is the key under which Sample stores its result, or why there is none.
func PosteriorKey(prior expfam.Prior, like expfam.Likelihood, s Sampler) (string, error) {
	c, run, err := runKey(prior, like, s)
	if err != nil {
		return "", err
	}
	return c.posteriorKey(run), nil
}

// runKey is the key of the draws but for their numbers.
func runKey(prior expfam.Prior, like expfam.Likelihood, s Sampler) (c *Compiled, run string, err error) {
	if c, err = s.prepare(context.Background(), prior, like); err != nil {
		return nil, "", err
	}
	run, err = c.compiler.key(make(expfam.Observations, prior.Dim()))
	return c, run, err
}

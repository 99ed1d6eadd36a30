package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// Below are pairs of configurations that a notebook makes when one edits a cell and runs
// it again: same name, other code. Types of one test cannot have one name, so that what
// tells the pairs apart must be the code alone: edited is a field that no text shows.

// shrunk is a simulator whose code changes with edited.
type shrunk struct{ edited float64 }

func (shrunk) String() string { return "shrunk" }
func (shrunk) Dim() int       { return 4 }
func (p shrunk) Draw(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64() + p.edited
	}
}

func TestTrainingKeysOfEditedCode(t *testing.T) {
	e := enginetest.Open(t, "go")
	key := func(t *testing.T, sim expfam.Simulator, purpose string, c Training) string {
		t.Helper()
		c.Engine = e
		c = must.Get(c.orDefault())(t)
		return must.Get(c.key(sim, purpose, Training{}.scoreObjective))(t)
	}
	for name, pair := range map[string]func(i int) string{
		"draws":   func(i int) string { return key(t, shrunk{1e-9 * float64(i)}, "score", Training{}) },
		"purpose": func(i int) string { return key(t, shrunk{}, fmt.Sprint(i), Training{}) },
		"network": func(i int) string {
			return key(t, shrunk{}, "score", Training{Net: scaled{nn.MLP{Width: 8}, 1 + float64(i)}})
		},
		"bounds": func(i int) string {
			return key(t, []expfam.Simulator{shrunk{}, fenced{shrunk{}, 3}}[i], "score", Training{})
		},
		"bound":   func(i int) string { return key(t, fenced{shrunk{}, 3 + float64(i)}, "score", Training{}) },
		"devices": func(i int) string { return key(t, shrunk{}, "score", Training{Devices: 1 + i}) },
		"optimizer": func(i int) string {
			return key(t, shrunk{}, "score", Training{Optimizer: []Optimizer{Adam{}, Muon{}}[i]})
		},
		"optimizer's numbers": func(i int) string {
			return key(t, shrunk{}, "score", Training{Optimizer: Muon{Scale: 1 + 1e-9*float64(i)}})
		},
		"wrapped": func(i int) string {
			return key(t, []expfam.Simulator{shrunk{}, fenced{shrunk{}, 0}}[i], "score", Training{})
		},
		"measuring": func(i int) string {
			return key(t, shrunk{}, "score", Training{Net: scaled{nn.MLP{Width: 8}, -float64(i)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, pair(0), pair(0), "unchanged code has two keys")
			must.Be(t, pair(0) != pair(1), "edited code has the key that it had before")
		})
	}
	t.Run("a draw that fails", func(t *testing.T) {
		c, _ := Training{Engine: e}.orDefault()
		must.Refuse(c.key(fenced{shrunk{}, math.NaN()}, "score", Training{}.scoreObjective))(t)
	})
}

// scaled is a network whose code changes with factor, and what it measures with its sign.
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

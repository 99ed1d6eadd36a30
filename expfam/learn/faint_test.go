package learn

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// sure is a network that keeps the mean of the best scalar denoiser and multiplies its variance by exp(log).
type sure struct{ log float64 }

func (sure) String() string                     { return "sure" }
func (sure) Params(cells, heads int) []nn.Param { return nil }
func (s sure) Apply(_ nn.Weights, in nn.Input, heads int) []*Node {
	zero := ZerosLike(in.Estimate)
	return []*Node{zero, AddScalar(zero, s.log)}
}

// The weight (s₀²/s²)ᵇ, at most 30, multiplies the squared error and not the term of the variance. x₀ = 1 has the
// squared error 1/4 at x = 1, σ = 1 under a standard normal prior, whose best scalar denoiser is x/2 with s₀² = ½.
func TestFaintWeights(t *testing.T) {
	e := enginetest.Open(t, "go")
	for _, c := range []struct{ log, power, weight float64 }{
		{0, 0.5, 1}, {-2, 0, 1}, {-2, 0.5, math.E}, {-2, 1, math.Exp(2)}, {2, 0.5, 1 / math.E}, {-10, 0.5, 30},
	} {
		loss := Training{Faint: c.power}.scoreObjective(sure{c.log}, Scale{Mean: []float64{0}, SD: []float64{1}})
		l := level.At(1)
		got := enginetest.Call(t, e, func(x0, x, a, v *Node) []*Node {
			return []*Node{loss(nil, x0, x, level.Nodes{SqrtAlpha: a, V: v})}
		}, [][]float64{{1}}, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})[0][0]
		want := c.weight*0.5 + (c.log+0.5*math.Exp(-c.log))/30
		must.Absolute(t, fmt.Sprintf("log s²/s₀² = %g, power %g: loss", c.log, c.power), got, want, 1e-9*want)
	}
}

// Faint that is no power is refused.
func TestFaintIsRefused(t *testing.T) {
	for _, power := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := (Training{Faint: power}).orDefault()
		must.Be(t, err != nil, "Faint %g: no error", power)
	}
}

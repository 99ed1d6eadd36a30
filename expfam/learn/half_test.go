package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// TestHalfWeighs: with Half the errors have the weights that the network gives them in float32.
func TestHalfWeighs(t *testing.T) {
	const cells, batch = 6, 8
	c := Training{Net: nn.Modes{Blocks: 1, Width: 8, Embedding: 6}}
	scale := Scale{Mean: make([]float64, cells), SD: []float64{1, 2, 1, 0.5, 1, 1}}
	params := c.Net.Params(cells, heads)
	rng := rand.New(rand.NewPCG(1, 2))
	weights := nn.Initial(params, rng)
	at := 0
	for _, p := range params { // the first component is large, and the last is tiny
		for k := range p.Size() {
			switch p.Name {
			case "basis":
				weights[at+k] = float32(1 - min(1, (k%cells-k/cells)*(k%cells-k/cells)))
			case "logvalues", "typical":
				weights[at+k] = float32(-k)
			}
		}
		at += p.Size()
	}
	x0 := make([][]float32, batch)
	for i := range x0 {
		for range cells {
			x0[i] = append(x0[i], float32(rng.NormFloat64()))
		}
	}
	loss := func(c Training) float64 {
		of := c.scoreObjective(c.compute(), scale)
		return enginetest.Call(t, enginetest.Open(t, "go"), func(flat, x, a, v *Node) []*Node {
			return []*Node{of(nn.Unpack(flat, params), x, MulScalar(x, 0.5), expfam.LevelNodes{SqrtAlpha: a, V: v})}
		}, weights, x0, [][]float32{{float32(math.Sqrt(0.9))}}, [][]float32{{0.1}})[0][0]
	}
	want := loss(c)
	c.Half = true
	// bfloat16 has 8 bits of significand.
	got := loss(c)
	must.Be(t, math.Abs(got/want-1) <= 0.05, "the loss is %g, and %g in float32", got, want)
}

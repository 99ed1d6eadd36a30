// Package level has the noise levels of a diffusion: x_t = √α·x₀ + √v·z with z ~ N(0, I). [Level] is a noise level as
// numbers, [Nodes] is one on a graph, and [VP] gives the level of each time t.
package level

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// Level is a noise level of a diffusion: x_t = SqrtAlpha·x₀ + √V·z.
type Level struct {
	SqrtAlpha, V float64
}

// Sigma returns the noise level in units of x₀: the standard deviation of x_t/√α_t given x₀.
func (l Level) Sigma() float64 { return math.Sqrt(l.V) / l.SqrtAlpha }

// At returns the noise level whose [Level.Sigma] is sigma.
func At(sigma float64) Level {
	return Level{SqrtAlpha: 1 / math.Hypot(1, sigma), V: sigma * sigma / (1 + sigma*sigma)}
}

// Nodes is a [Level] on the graph: x_t = SqrtAlpha·x₀ + √V·z. Both nodes have shape (1, 1) if the batch has one
// noise level, and else (batch, 1).
type Nodes struct {
	SqrtAlpha, V *graph.Node
}

// Sigma returns the noise level in units of x₀, √(v/α).
func (l Nodes) Sigma() *graph.Node { return graph.Div(graph.Sqrt(l.V), l.SqrtAlpha) }

// Between returns n+1 numbers from a to b, equally spaced in the logarithm, such as the values of [Level.Sigma] of a
// schedule. The first is a and the last is b exactly.
func Between(a, b float64, n int) []float64 {
	grid := make([]float64, n+1)
	for i := range grid {
		w := float64(i) / float64(n)
		grid[i] = math.Exp((1-w)*math.Log(a) + w*math.Log(b))
	}
	grid[0], grid[n] = a, b
	return grid
}

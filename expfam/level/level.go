// Package level has the noise levels of a diffusion: x_t = √α·x₀ + √v·z with z ~ N(0, I). [Level] is a noise level as
// numbers, [Nodes] is one on a graph, and [VP] gives the level of each time t.
package level

import (
	"cmp"
	"fmt"
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

// VP is the variance-preserving diffusion of Song et al. 2021,
//
//	dx = −½ β(t) x dt + √β(t) dw,  β(t) = β₀ + t (β₁ − β₀),  t ∈ [0, 1],
//
// with x_t | x₀ ~ N(√α_t x₀, v_t), α_t = exp(−∫₀ᵗ β), v_t = 1 − α_t. The zero value has
// the paper's settings (App. E): β from 0.001 to 20, stopped at ε = 0.001.
type VP struct {
	Beta0 float64 // default 0.001
	Beta1 float64 // default 20
	// Epsilon is the time at which the reverse diffusion stops. Default 0.001.
	Epsilon float64
}

// Defaults returns the diffusion with the paper's settings in the fields that are 0.
func (s VP) Defaults() VP {
	s.Beta0 = cmp.Or(s.Beta0, 0.001)
	s.Beta1 = cmp.Or(s.Beta1, 20)
	s.Epsilon = cmp.Or(s.Epsilon, 1e-3)
	return s
}

// Check implements [expfam.Checker].
func (s VP) Check() error {
	d := s.Defaults()
	if !(d.Beta0 > 0 && d.Beta1 > 0 && d.Epsilon > 0 && d.Epsilon < 1) || math.IsInf(d.Beta0+d.Beta1, 1) {
		return fmt.Errorf("sample: %v: β must be positive and finite, and ε between 0 and 1", d)
	}
	return nil
}

// Beta returns β(t).
func (s VP) Beta(t float64) float64 {
	s = s.Defaults()
	return s.Beta0 + t*(s.Beta1-s.Beta0)
}

// Level returns the noise level at time t. V is computed without the cancellation of 1 − α at small t.
func (s VP) Level(t float64) Level {
	s = s.Defaults()
	integral := t*s.Beta0 + t*t*(s.Beta1-s.Beta0)/2
	return Level{SqrtAlpha: math.Exp(-integral / 2), V: -math.Expm1(-integral)}
}

// Time returns the t at which the noise level is sigma. It is the inverse of Level(t).Sigma().
func (s VP) Time(sigma float64) float64 {
	s = s.Defaults()
	// ∫β = −log α = log(1+σ²), a quadratic in t with a positive root.
	c, slope := math.Log1p(sigma*sigma), s.Beta1-s.Beta0
	if slope == 0 {
		return c / s.Beta0
	}
	return 2 * c / (s.Beta0 + math.Sqrt(s.Beta0*s.Beta0+2*slope*c))
}

// Sigmas returns a grid of n+1 noise levels from σ at time 1 down to σ at time ε, equally spaced in log-SNR = −2 log σ.
func (s VP) Sigmas(n int) []float64 {
	s = s.Defaults()
	return Between(s.Level(1).Sigma(), s.Level(s.Epsilon).Sigma(), n)
}

func (s VP) String() string {
	s = s.Defaults()
	return fmt.Sprintf("VP(β %g…%g, ε %g)", s.Beta0, s.Beta1, s.Epsilon)
}

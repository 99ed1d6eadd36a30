package learn

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/special"
)

// TestImportance: of draws from the proposal the weights have the mean 1 given x_t, and weighted draws have the mean
// and the variance of the prior's posterior. Two parameters t ~ N(0, 1) are seen through noise, and
// t | x_t ~ N(x_t/(1 + v), v/(1 + v)) for each are the network's moments. The integrals are quadratures.
func TestImportance(t *testing.T) {
	const unit, n = 0.1, 40 // scale of the cells of scores; nodes
	z, w := special.GaussHermite(n)
	scale := Scale{Mean: make([]float64, 3), SD: []float64{2, unit, unit}}
	for _, v := range []float64{0.01, 0.5, 30} {
		for _, x := range [][2]float64{{0, 0}, {0.5, -1}, {-2, 2.5}} {
			// Under the proposal t | x_t is normal too.
			spread := v * proposalSD * proposalSD / (proposalSD*proposalSD + v)
			moments := func(scores [2]float64, of func(float64) float64) []float32 {
				return []float32{7, float32(of(scores[0])), float32(of(scores[1]))}
			}
			var x0, mean, variance [][]float32
			var drawn [][2]float64
			for _, a := range z {
				for _, b := range z {
					at := [2]float64{x[0]/v*spread + a*math.Sqrt(spread), x[1]/v*spread + b*math.Sqrt(spread)}
					drawn = append(drawn, at)
					x0 = append(x0, moments(at, func(t float64) float64 { return unit * t }))
					mean = append(mean, moments(x, func(x float64) float64 { return unit * x / (1 + v) }))
					variance = append(variance, moments(x, func(float64) float64 { return unit * unit * v / (1 + v) }))
				}
			}
			weights := enginetest.Call(t, enginetest.Open(t, "go"), func(x0, mean, variance *Node) *Node {
				return Training{scores: 2}.importance(scale, x0, mean, variance)
			}, x0, mean, variance)
			var total, first, second float64
			for i, at := range drawn {
				share := w[i/n] * w[i%n] * float64(weights[0][i])
				total += share
				first += share * at[0]
				second += share * (at[0] - x[0]/(1+v)) * (at[0] - x[0]/(1+v))
			}
			// Float32.
			if math.Abs(total-1) > 1e-4 || math.Abs(first-x[0]/(1+v)) > 1e-4 || math.Abs(second-v/(1+v)) > 1e-4 {
				t.Errorf("v = %g, x = %g: mass %.6f, mean %.6f, variance %.6f, want 1, %.6f, %.6f", v, x, total, first,
					second, x[0]/(1+v), v/(1+v))
			}
		}
	}
}

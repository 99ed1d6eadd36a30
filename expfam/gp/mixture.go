package gp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Mixture is the prior Σₖ wₖ N(μₖ, Kₖ), whose moments are known in closed form at every noise level. It is a prior that
// is not Gaussian and has exact moments, so it tests samplers and learned priors. Given x_t, component k has the weight
//
//	rₖ ∝ wₖ N(x_t; √α μₖ, αKₖ + vI),
//
// E[x₀ | x_t] is the mean of the components' means mₖ under these weights, and the variance of a cell is the mean of
// their variances and of mₖ², less the square of the mean.
type Mixture struct {
	Weights []float64 // positive; they need not have the sum 1
	Parts   []*Gaussian
}

// Check refuses weights that are not positive, and parts of different numbers of cells.
func (m *Mixture) Check() error {
	if len(m.Parts) == 0 || len(m.Weights) != len(m.Parts) {
		return fmt.Errorf("gp: a mixture of %d parts with %d weights; give one weight for each part", len(m.Parts),
			len(m.Weights))
	}
	for k, p := range m.Parts {
		if p == nil {
			return fmt.Errorf("gp: part %d of a mixture is nil; make it by gp.New", k)
		}
		if w := m.Weights[k]; !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("gp: part %d of a mixture has the weight %g; it must be positive and finite", k, w)
		}
		if p.Dim() != m.Parts[0].Dim() {
			return fmt.Errorf("gp: part %d of a mixture has %d cells, and part 0 has %d; all must have as many", k,
				p.Dim(), m.Parts[0].Dim())
		}
	}
	return nil
}

// String names the mixture by its weights and parts.
func (m *Mixture) String() string { return fmt.Sprintf("mixture(%v, %v)", m.Weights, m.Parts) }

// Dim returns the number of cells.
func (m *Mixture) Dim() int { return m.Parts[0].Dim() }

// Draw fills x with a draw of a part that is drawn by its weight.
func (m *Mixture) Draw(rng *rand.Rand, x []float64) {
	var total float64
	for _, w := range m.Weights {
		total += w
	}
	u := rng.Float64() * total
	for k, w := range m.Weights {
		if u -= w; u < 0 || k == len(m.Parts)-1 {
			m.Parts[k].Draw(rng, x)
			return
		}
	}
}

// Footprint returns the memory of the parts' matrices.
func (m *Mixture) Footprint() expfam.Footprint {
	own := footprint(m.Dim())
	return expfam.Footprint{Fixed: own.Fixed * float64(len(m.Parts)), Draw: 4 * float64(len(m.Parts)*m.Dim())}
}

// Moments returns the exact mean and variances, both (batch, d).
func (m *Mixture) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	if len(m.Parts) == 0 {
		panic(errors.New("gp: a mixture has no parts"))
	}
	g, dtype := x.Graph(), x.DType()
	alpha := Square(l.SqrtAlpha)
	var logs, means, squares []*Node
	for k, p := range m.Parts {
		u, lambda := constant(g, dtype, p.basis), row(g, dtype, p.values)
		total := Add(Mul(alpha, lambda), l.V) // (·, d)
		coords := MatMul(Sub(x, Mul(l.SqrtAlpha, row(g, dtype, p.mean))), u)
		density := Add(Div(Square(coords), total), Log(total))
		logs = append(logs, AddScalar(MulScalar(ReduceAndKeep(density, ReduceSum, -1), -0.5), math.Log(m.Weights[k])))
		own, spread := p.Moments(x, l)
		means, squares = append(means, own), append(squares, Add(Square(own), spread))
	}
	// The softmax is written out, because not every engine has the gradient of a slice.
	largest := logs[0]
	for _, v := range logs[1:] {
		largest = Max(largest, v)
	}
	largest = StopGradient(largest)
	var sum *Node
	for k, v := range logs {
		w := Exp(Sub(v, largest))
		own, square := Mul(w, means[k]), Mul(w, squares[k])
		if k == 0 {
			sum, mean, variance = w, own, square
			continue
		}
		sum, mean, variance = Add(sum, w), Add(mean, own), Add(variance, square)
	}
	mean, variance = Div(mean, sum), Div(variance, sum)
	// Rounding may take the difference of large squares below 0.
	return mean, Max(Sub(variance, Square(mean)), MulScalar(squares[0], 1e-7))
}

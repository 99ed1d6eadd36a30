package learn

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Muon moves each matrix of weights along the orthogonal matrix that is nearest to its mean gradient (Jordan et al.
// 2024, https://kellerjordan.github.io/posts/muon). With the singular value decomposition G = U S Vᵀ of the mean
// gradient, the matrix W becomes
//
//	W ← W − η Scale √max(m, n) U Vᵀ,   W of m×n.
//
// All directions are moved equally far, while Adam moves mostly along the few that have large gradients. The root mean
// square of the entries of the move is η Scale. That of Adam is at most about η, and often a fifth of it (Liu et al.
// 2025, arXiv:2502.16982, who take a Scale of 0.2). U Vᵀ is computed by five Newton-Schulz iterations to singular
// values from 0.7 to 1.2.
//
// A convolution from p to q channels with k×k weights is a matrix of q×pk². Matrices with fewer than 16 rows or
// columns, matrices that begin at 0, such as heads and gates, and all other parameters are moved by [Adam]. Give a
// U-Net, which has no normalisation, a [Training].Rate of 0.001; the default of 0.003 is for the network of the
// one-dimensional benchmark.
type Muon struct {
	// Scale is how far a matrix moves. Default 0.6. At a rate of 0.001 the default U-Net diverged with 2 after 400
	// steps, and with 1 in one of two long trainings.
	Scale float64
}

// muonDecay is the decay of the mean gradient, and muonLeast the least number of rows and columns of a matrix.
const (
	muonDecay = 0.95
	muonLeast = 16
)

func (m Muon) orDefault() Muon {
	m.Scale = cmp.Or(m.Scale, 0.6)
	return m
}

func (m Muon) String() string { return fmt.Sprintf("muon(scale=%g)", m.orDefault().Scale) }

// Check returns an error if Scale is negative or not finite.
func (m Muon) Check() error {
	if m.Scale < 0 || math.IsNaN(m.Scale) || math.IsInf(m.Scale, 0) {
		return fmt.Errorf("muon: Scale is %g; give a positive number", m.Scale)
	}
	return nil
}

// Scalars returns those of [Adam] and the learning rate.
func (m Muon) Scalars(i int, rate float64) []float32 {
	return append(Adam{}.Scalars(i, rate), float32(rate))
}

// Move returns the step and its moments. For a matrix the first moment is the mean gradient.
func (m Muon) Move(d Descent) (move, first, second *Node) {
	scale := m.orDefault().Scale
	adam, mean, second := Adam{}.Move(d)
	var moves, firsts []*Node
	at, done := 0, 0
	// others adds the parameters from done to at, which are moved by Adam.
	others := func() {
		if at > done {
			moves = append(moves, Slice(adam, AxisRange(done, at)))
			firsts = append(firsts, Slice(mean, AxisRange(done, at)))
		}
	}
	for _, p := range d.Params {
		n := p.Size()
		rows, cols := 1, n
		if len(p.Shape) > 1 {
			rows, cols = p.Shape[0], n/max(p.Shape[0], 1)
		}
		if p.SD > 0 && min(rows, cols) >= muonLeast {
			others()
			cut := func(x *Node) *Node { return Slice(x, AxisRange(at, at+n)) }
			mix := func(a, b *Node) *Node { return Add(MulScalar(a, muonDecay), MulScalar(b, 1-muonDecay)) }
			g := cut(d.Gradient)
			own := mix(cut(d.First), g)
			ahead := mix(own, g) // Nesterov's
			turned := orthogonal(Reshape(ahead, rows, cols))
			turned = MulScalar(turned, scale*math.Sqrt(float64(max(rows, cols))))
			moves, firsts = append(moves, Mul(Reshape(turned, n), d.Scalar(2))), append(firsts, own)
			done = at + n
		}
		at += n
	}
	others()
	return Concatenate(moves, 0), Concatenate(firsts, 0), second
}

// orthogonal returns U S' Vᵀ of the matrix U S Vᵀ, (m, n), with singular values S' from about 0.7 to 1.2. Each
// iteration applies s ↦ a s + b s³ + c s⁵ to the singular values. The coefficients are those of Jordan, whose
// polynomial rises steeply from 0, so that five iterations are enough down to 0.005 of the norm of the matrix.
func orthogonal(x *Node) *Node {
	const a, b, c = 3.4445, -4.7750, 2.0315
	wide := x.Shape().Dim(0) <= x.Shape().Dim(1)
	if !wide {
		x = Transpose(x, 0, 1)
	}
	x = Div(x, AddScalar(Sqrt(ReduceAllSum(Square(x))), 1e-7))
	for range 5 {
		gram := MatMul(x, Transpose(x, 0, 1))
		x = Add(MulScalar(x, a), MatMul(Add(MulScalar(gram, b), MulScalar(MatMul(gram, gram), c)), x))
	}
	if !wide {
		x = Transpose(x, 0, 1)
	}
	return x
}

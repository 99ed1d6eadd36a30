package increments

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Mixture is a prior of independent increments whose moments have a closed form. Increments are in units of
// [Law.Spread]. Every law of the benchmark is a mixture of normal distributions N(0, τ). With τ on a grid, the mean and
// the variance of an increment given its noisy value are sums over the grid. [NewMixture] has the exact weights, and
// [Fit] learns them from draws.
type Mixture struct {
	Law Law
	// Weights and Variances belong to the points of the grid. A variance of 0 is an atom.
	Weights, Variances []float64
	// Draws is the number of draws that [Fit] learned from, and Seed their seed. Draws is 0 if the weights are exact.
	Draws int
	Seed  uint64
}

// mixtureStep is the distance between the grid's points in log τ. Sums over the grid converge exponentially: with 0.5
// the density is exact to 1e-6.
const mixtureStep = 0.5

// NewMixture returns the prior of a law of the benchmark.
func NewMixture(law Law) (*Mixture, error) {
	m := &Mixture{Law: law}
	scale := law.Spread() * law.Spread()
	// grid adds points for τ between two bounds. Their weights follow a density of τ and have the sum mass.
	grid := func(mass, low, high float64, logDensity func(tau float64) float64) {
		first := len(m.Weights)
		var sum float64
		for at := math.Log(low); at <= math.Log(high); at += mixtureStep {
			w := math.Exp(logDensity(math.Exp(at)) + at)
			sum += w
			m.Weights, m.Variances = append(m.Weights, w), append(m.Variances, math.Exp(at)/scale)
		}
		for k := first; k < len(m.Weights); k++ {
			m.Weights[k] *= mass / sum
		}
	}
	exponential := func(mass float64, l Laplace) {
		mean := 2 * l.scale() * l.scale()
		grid(mass, 1e-7*mean, 25*mean, func(tau float64) float64 { return -tau / mean })
	}
	switch l := law.(type) {
	case Gauss:
		m.Weights, m.Variances = []float64{1}, []float64{1}
	case Laplace:
		exponential(1, l)
	case BernoulliLaplace:
		m.Weights, m.Variances = []float64{1 - l.p()}, []float64{0}
		exponential(l.p(), l.slab())
	case Student:
		n := l.degrees()
		precision := distuv.Gamma{Alpha: n / 2, Beta: n / 2}
		low, high := 1/precision.Quantile(1-1e-9), 1/precision.Quantile(1e-6)
		grid(1, low, high, func(tau float64) float64 { return precision.LogProb(1/tau) - 2*math.Log(tau) })
	default:
		return nil, fmt.Errorf("increments: %v is no mixture that is known; make a Mixture of its weights and "+
			"variances", law)
	}
	return m, nil
}

func (m *Mixture) String() string {
	if m.Draws > 0 {
		return fmt.Sprintf("independent %v increments, %d normals learned from %d draws of seed %d", m.Law,
			len(m.Weights), m.Draws, m.Seed)
	}
	return fmt.Sprintf("independent %v increments, %d normals", m.Law, len(m.Weights))
}

// Dim returns the number of increments.
func (*Mixture) Dim() int { return Cells }

// Moments implements [expfam.Prior]: with u = x_t/√α, weights r_k ∝ w_k N(u; 0, τ_k + σ²) and gains
// g_k = τ_k/(τ_k + σ²),
//
//	m = ḡ u,  s² = ḡ σ² + u² Σ r_k (g_k − ḡ)²,  ḡ = Σ r_k g_k.
//
// Each cell may have a noise level of its own, (batch, d).
func (m *Mixture) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	row := func(v []float64) *Node {
		return ConvertDType(Const(x.Graph(), tensors.FromFlatDataAndDimensions(v, 1, 1, len(v))), x.DType())
	}
	logs := make([]float64, len(m.Weights))
	for k, w := range m.Weights {
		logs[k] = math.Log(w)
	}
	noise := InsertAxes(Div(l.V, Square(l.SqrtAlpha)), -1) // (1 or batch, 1 or d, 1)
	u := InsertAxes(Div(x, l.SqrtAlpha), -1)
	tau := row(m.Variances)
	total := Add(tau, noise)
	gain := Div(tau, total)
	fit := Sub(Sub(row(logs), MulScalar(Log(total), 0.5)), MulScalar(Div(Square(u), total), 0.5))
	share := Exp(Sub(fit, StopGradient(ReduceAndKeep(fit, ReduceMax, -1))))
	share = Div(share, ReduceAndKeep(share, ReduceSum, -1))
	average := ReduceAndKeep(Mul(share, gain), ReduceSum, -1)
	spread := ReduceAndKeep(Mul(share, Square(Sub(gain, average))), ReduceSum, -1)
	mean = Mul(average, u)
	variance = Add(Mul(average, noise), Mul(Square(u), spread))
	return Squeeze(mean, -1), Squeeze(variance, -1)
}

// Footprint counts six numbers for each increment and each normal distribution, among them its gain, its fit and its
// share.
func (m *Mixture) Footprint() expfam.Footprint {
	return expfam.Footprint{Draw: float64(6 * Cells * len(m.Weights))}
}

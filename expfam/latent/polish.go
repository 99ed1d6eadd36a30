package latent

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// resolved is the variance of a mode of the prior, as a share of the largest, from which draws in float32 have it.
const resolved = 1e-9

// Mover moves draws by the transitions of a [Pilot]. One goroutine at a time may use it.
type Mover struct {
	*Pilot
	walker  *Walker
	u       []float64
	Far     int     // draws that were far off and started anew
	Taken   int     // transitions of all draws
	Accepts float64 // sum of the acceptance probabilities of all transitions
}

// Mover returns a mover.
func (p *Pilot) Mover() *Mover {
	return &Mover{Pilot: p, walker: p.walker(nil), u: make([]float64, p.Target.Rank())}
}

// Move makes n transitions from the draw x, and writes where they end to x. A draw that is far off starts from a point
// of the pilot's chains.
func (m *Mover) Move(x []float64, n int, rng *rand.Rand) {
	m.Target.Coordinates(x, m.u, rng)
	m.from(x, n, rng)
}

// from makes n transitions from m.u.
func (m *Mover) from(x []float64, n int, rng *rand.Rand) {
	other := m.points[rng.IntN(len(m.points))]
	m.walker.Start(m.u, rng)
	if !(m.walker.LogP >= m.low && m.walker.steepness() <= m.steepest) {
		m.Far++
		n *= farMoves
		m.walker.Start(other, rng)
	}
	for range n {
		m.Accepts += m.walker.Move(m.Step, pilotLength)
	}
	m.Taken += n
	m.Target.Place(m.walker.U, x)
}

// Draw writes a draw to x: a point of the Laplace approximation after n transitions.
func (m *Mover) Draw(x []float64, n int, rng *rand.Rand) {
	for k := range m.u {
		m.u[k] = rng.NormFloat64()
	}
	m.from(x, n, rng)
}

// Coordinates writes u of x₀ = x̂ + A u to u. Modes whose prior variance is too small to be seen in x get a random z.
func (t *Target) Coordinates(x, u []float64, rng *rand.Rand) {
	rank := t.Rank()
	centred, z := make([]float64, t.Cells()), make([]float64, rank)
	floats.SubTo(centred, x, t.mean)
	blas64.Gemv(blas.Trans, 1, t.root, vector(centred), 0, vector(z))
	largest := floats.Max(t.values)
	for k, v := range t.values {
		if z[k] /= v; v < resolved*largest {
			z[k] = rng.NormFloat64()
		}
		z[k] -= t.mode[k]
	}
	// M = R⁻¹, so u = R (z − ẑ).
	var out mat.VecDense
	out.MulVec(t.hessian, mat.NewVecDense(rank, z))
	copy(u, out.RawVector().Data)
}

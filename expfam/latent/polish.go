package latent

import (
	"context"
	"math/rand/v2"
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// resolved is the variance of a mode of the prior, as a share of the largest, from which draws in float32 have it.
const resolved = 1e-9

// Moved counts what became of draws.
type Moved struct {
	Far     int     // draws that were far off and started anew
	Taken   int     // transitions of all draws
	Accepts float64 // sum of their acceptance probabilities
}

// Moves are transitions of draws, as a [Pilot] found them.
type Moves struct {
	*Pilot
	N       int                    // transitions of a draw, and farMoves times as many of one that is far off
	Laplace bool                   // draws start from the Laplace approximation, not from where they are
	Random  func(k int) *rand.Rand // random numbers of draw k
	Done    func(k int)            // called by many goroutines, or nil
}

// Apply moves the draws in the rows x, in blocks on all cores. A draw that is far off starts from a point of the
// pilot's chains. It ends early, with the error of ctx, when ctx is done.
func (m Moves) Apply(ctx context.Context, x *mat.Dense) (Moved, error) {
	draws, _ := x.Dims()
	workers := runtime.GOMAXPROCS(0)
	size := max(1, min(Width, draws/workers))
	walkers, all := make([]*Walker, workers), make([]Moved, workers)
	err := parallel.Each(workers, (draws+size-1)/size, func(w, block int) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if walkers[w] == nil {
			walkers[w] = m.walker()
		}
		from := block * size
		m.block(walkers[w], &all[w], x.Slice(from, min(draws, from+size), 0, m.Target.Cells()).(*mat.Dense), from)
		return nil
	})
	var sum Moved
	for _, one := range all {
		sum.Far, sum.Taken, sum.Accepts = sum.Far+one.Far, sum.Taken+one.Taken, sum.Accepts+one.Accepts
	}
	return sum, err
}

// block moves the draws x, the first of which is draw number from.
func (m Moves) block(w *Walker, moved *Moved, x *mat.Dense, from int) {
	n, _ := x.Dims()
	chains, rows := make([]*Chain, n), make([][]float64, n)
	for k := range chains {
		c := NewChain(m.Target.Rank(), m.Step, m.Random(from+k))
		if chains[k], rows[k] = c, x.RawRowView(k); m.Laplace {
			for i := range c.U {
				c.U[i] = m.centre[i] + c.Random.NormFloat64()
			}
		} else {
			m.Target.Coordinates(rows[k], c.U, c.Random)
		}
	}
	w.Start(chains...)
	var near, far []*Chain
	for _, c := range chains {
		other := m.points[c.Random.IntN(len(m.points))]
		if c.LogP >= m.low && c.steepness() <= m.steepest {
			near = append(near, c)
			continue
		}
		copy(c.U, other)
		far = append(far, c)
	}
	w.Start(far...)
	move := func(chains []*Chain, n int) {
		for range n {
			w.Move(pilotLength, chains...)
			for _, c := range chains {
				moved.Accepts += c.Accept
			}
		}
		moved.Taken += n * len(chains)
	}
	move(near, m.N)
	move(far, m.N*farMoves)
	moved.Far += len(far)
	m.Target.Place(Columns(chains), rows...)
	for k := range chains {
		if m.Done != nil {
			m.Done(from + k)
		}
	}
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

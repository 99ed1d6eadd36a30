package increments

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// leaps is the chain for counts under scale mixtures. It draws the precisions w given the increments u, as [scales]
// does. It then moves the increments given the precisions by a transition of Hamiltonian Monte Carlo, in coordinates q
// = T u with TᵀT = BᵀVB + diag w. V is the information of the data at the mode under normal increments. V and w do not
// change in a transition, so the transition is reversible.
type leaps struct {
	law   Mixed
	like  expfam.Likelihood
	terms *expfam.Terms
	obs   expfam.Observations
	jumps *mat.Dense // B, from increments to z

	u, slope    []float64
	information []float64 // BᵀVB
	p           blas64.Symmetric
	step        float64
	settled     bool // the step is no longer adapted
}

const (
	// leapSteps is the number of leapfrog steps in a transition.
	leapSteps = 8
	// leapAccept is the acceptance probability at which the adaptation of the step aims.
	leapAccept = 0.85
	// leapNewton is the number of Newton steps to the mode under normal increments.
	leapNewton = 8
)

func newLeaps(law Mixed, p *Problem) (*leaps, error) {
	_, n := p.jumps.Dims()
	terms, err := p.Counts.Likelihood.Terms()
	if err != nil {
		return nil, err
	}
	scaled := new(mat.Dense)
	scaled.Scale(1/p.power, p.jumps)
	return &leaps{law: law, like: p.Counts.Likelihood, terms: terms, jumps: scaled, u: make([]float64, n),
		slope: make([]float64, n),
		step:  0.3, p: blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}}, nil
}

// observe takes counts, and finds their information V.
func (s *leaps) observe(y []float64) error {
	var err error
	if s.obs, err = s.like.Observe1(y...); err != nil {
		return err
	}
	rows, n := s.jumps.Dims()
	w, u, v := make([]float64, n), make([]float64, n), make([]float64, rows)
	for j := range w {
		w[j] = 1 / (s.law.Spread() * s.law.Spread())
	}
	for range leapNewton {
		s.energy(u, w)
		if err := s.inform(u, v); err != nil {
			return err
		}
		copy(s.p.Data, s.information)
		for j := range w {
			s.p.Data[j*n+j] += w[j]
		}
		t, ok := lapack64.Potrf(s.p)
		if !ok {
			break // V of the last step is used
		}
		step := blas64.Vector{N: n, Inc: 1, Data: append([]float64(nil), s.slope...)}
		blas64.Trsv(blas.Trans, t, step)
		blas64.Trsv(blas.NoTrans, t, step)
		// The step is shortened to change no z by more than one, because longer steps are too long for exponential
		// links.
		var z mat.VecDense
		z.MulVec(s.jumps, mat.NewVecDense(n, step.Data))
		blas64.Axpy(-1/math.Max(1, mat.Norm(&z, math.Inf(1))), step, blas64.Vector{N: n, Inc: 1, Data: u})
	}
	return s.inform(u, v)
}

// inform sets the information BᵀVB at u. v receives the diagonal of V.
func (s *leaps) inform(u, v []float64) error {
	_, n := s.jumps.Dims()
	var z mat.VecDense
	z.MulVec(s.jumps, mat.NewVecDense(n, u))
	s.terms.Informations(z.RawVector().Data, s.obs, v)
	weighted := mat.DenseCopyOf(s.jumps)
	for k, value := range v {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("increments: datum %d has the information %g; check the data", k, value)
		}
		blas64.Scal(math.Max(value, 0), blas64.Vector{N: n, Inc: 1, Data: weighted.RawRowView(k)})
	}
	var info mat.Dense
	info.Mul(s.jumps.T(), weighted)
	s.information = info.RawMatrix().Data[:n*n]
	return nil
}

func (s *leaps) settle() { s.settled = true }

// energy returns −log p(u | w, y) up to a constant, and leaves its slope in s.slope.
func (s *leaps) energy(u, w []float64) float64 {
	var z, down mat.VecDense
	z.MulVec(s.jumps, mat.NewVecDense(len(u), u))
	slopes := make([]float64, len(s.obs))
	sum := -s.terms.LogLikSlope(z.RawVector().Data, s.obs, slopes)
	down.MulVec(s.jumps.T(), mat.NewVecDense(len(slopes), slopes))
	for j, v := range u {
		sum += w[j] * v * v / 2
		s.slope[j] = w[j]*v - down.AtVec(j)
	}
	return sum
}

func (s *leaps) sweep(rng *rand.Rand) (u, mean []float64) {
	n := len(s.u)
	copy(s.p.Data, s.information)
	w := make([]float64, n)
	for j, v := range s.u {
		w[j] = s.law.Precision(v, rng)
		s.p.Data[j*n+j] += w[j]
	}
	t, ok := lapack64.Potrf(s.p)
	if !ok {
		return s.u, s.u // another draw of w comes with the next sweep
	}
	vector := func(v []float64) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: v} }
	q := append([]float64(nil), s.u...)
	blas64.Trmv(blas.NoTrans, t, vector(q))
	next, momentum := make([]float64, n), make([]float64, n)
	// at returns the energy at q, and leaves its slope with respect to q in s.slope.
	at := func() float64 {
		copy(next, q)
		blas64.Trsv(blas.NoTrans, t, vector(next))
		e := s.energy(next, w)
		blas64.Trsv(blas.Trans, t, vector(s.slope))
		return e
	}
	start := at()
	var before, after float64
	for j := range momentum {
		momentum[j] = rng.NormFloat64()
		before += momentum[j] * momentum[j] / 2
	}
	step, end := s.step*(0.8+0.4*rng.Float64()), 0.0
	for range leapSteps {
		blas64.Axpy(-step/2, vector(s.slope), vector(momentum))
		blas64.Axpy(step, vector(momentum), vector(q))
		end = at()
		blas64.Axpy(-step/2, vector(s.slope), vector(momentum))
	}
	for _, v := range momentum {
		after += v * v / 2
	}
	accept := math.Exp(math.Min(start+before-end-after, 0))
	if math.IsNaN(accept) {
		accept = 0
	}
	if rng.Float64() < accept {
		copy(s.u, next)
	}
	if !s.settled {
		s.step = math.Min(s.step*math.Exp(0.1*(accept-leapAccept)), 0.6)
	}
	return s.u, s.u
}

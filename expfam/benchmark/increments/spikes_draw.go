package increments

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// conditional returns the Cholesky factor of the covariance T − T G T of the increments whose indicators are on. It is
// not ok if rounding errors have made the covariance indefinite.
func (s *spikes) conditional(on []int) (factor *mat.Cholesky, ok bool) {
	n, cov := len(s.on), mat.NewSymDense(len(on), nil)
	for a, i := range on {
		for b, j := range on[:a+1] {
			v := -s.tau[i] * s.big[i*n+j] * s.tau[j]
			if a == b {
				v += s.tau[i] * (1 + 1e-10) // against rounding errors where the data are informative
			}
			cov.SetSym(a, b, v)
		}
	}
	factor = new(mat.Cholesky)
	return factor, factor.Factorize(cov)
}

// increments draws the increments given the indicators and τ. Those whose indicators are on follow N(T g, T − T G T), with
// T the diagonal matrix of their τ. The others are 0.
func (s *spikes) increments(rng *rand.Rand) {
	var on []int
	for j := range s.on {
		s.u[j], s.mean[j] = 0, 0
		if s.on[j] {
			on = append(on, j)
		}
	}
	if len(on) == 0 {
		return
	}
	factor, ok := s.conditional(on)
	if !ok { // rounding errors of many flips have added up
		s.renew()
		if factor, ok = s.conditional(on); !ok {
			panic(fmt.Errorf("increments: the covariance of %d increments is not positive definite; give the data more noise", len(on)))
		}
	}
	z := make([]float64, len(on))
	for a := range z {
		z[a] = rng.NormFloat64()
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var move mat.VecDense
	move.MulVec(&lower, mat.NewVecDense(len(z), z))
	for a, j := range on {
		s.mean[j] = s.tau[j] * s.small[j]
		s.u[j] = s.mean[j] + move.AtVec(a)
	}
}

package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// triple is a problem of three increments under a mixture of three normal distributions, one of them an atom, with
// data.
type triple struct {
	a     *mat.Dense
	noise float64
	y     []float64
	prior *Mixture
}

func newTriple() triple {
	return triple{mat.NewDense(3, 3, []float64{1, 0.9, 0, 0.2, 0.5, 0.3, 0, 0, 1.5}), 0.5, []float64{1.2, 0.3, -0.4},
		&Mixture{Weights: []float64{0.6, 0.3, 0.1}, Variances: []float64{0, 0.5, 4}}}
}

func (p triple) moves(is [3]int) *moves {
	m := newMoves(p.prior, normalEvidence(p.a, p.y, p.noise))
	for j, k := range is {
		m.is[j], m.tau[j] = k, p.prior.Variances[k]
	}
	m.renew()
	return m
}

// logs returns log p(k, y) by the density of the data, and E[u | k, y].
func (p triple) logs(t *testing.T, is [3]int) (log float64, mean []float64) {
	t.Helper()
	tau := mat.NewDiagDense(3, nil)
	for j, k := range is {
		tau.SetDiag(j, p.prior.Variances[k])
		log += math.Log(p.prior.Weights[k])
	}
	var cross, square mat.Dense
	cross.Mul(tau, p.a.T())
	square.Mul(p.a, &cross)
	cov := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range i + 1 {
			cov.SetSym(i, j, square.At(i, j))
		}
		cov.SetSym(i, i, cov.At(i, i)+p.noise*p.noise)
	}
	var factor mat.Cholesky
	must.Need(t, factor.Factorize(cov), "the covariance of the data is not positive definite")
	y := mat.NewVecDense(3, p.y)
	var solved, u mat.VecDense
	must.Do(t, factor.SolveVecTo(&solved, y))
	u.MulVec(&cross, &solved)
	return log - (mat.Dot(y, &solved)+factor.LogDet())/2, u.RawVector().Data
}

// states returns all components of three increments.
func states() (all [][3]int) {
	for i := range 27 {
		all = append(all, [3]int{i % 3, i / 3 % 3, i / 9})
	}
	return all
}

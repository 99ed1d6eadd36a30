package increments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// sites holds the sites of one draw in [Propagation], and the values that the rounds need. Site j is exp(−λⱼu²/2 + ηⱼu).
type sites struct {
	x                      []float64 // x_t/√α
	precision, pull        []float64 // λ and η
	cavity, cavityVariance []float64
	draw                   []float64 // standard normal numbers, which sample turns into a draw of u
	factor                 []float64 // Cholesky factor of the precision, (cells, cells)
}

func newSites(cells int) *sites {
	s := &sites{factor: make([]float64, cells*cells)}
	for _, v := range []*[]float64{&s.x, &s.precision, &s.pull, &s.cavity, &s.cavityVariance, &s.draw} {
		*v = make([]float64, cells)
	}
	for j := range s.precision {
		s.precision[j] = 1 // a normal prior of unit variance
	}
	return s
}

const (
	// sharpest is the smallest variance of an increment, used for a point. widest is the largest variance of a cavity, used
	// for an increment that the data hardly inform.
	sharpest, widest = 1e-9, 1e8
	// The precision of a site may be negative, down to minus this share of the precision 1/σ² that x_t adds.
	mostNegative = 0.5
)

// match moves the sites towards values that give the normal distribution these means and variances. The means and
// variances are those of the prior in the cavities.
func (s *sites) match(means, variances []float32, sigma, damping float64) {
	for j, v := range s.cavityVariance {
		m, tilted := float64(means[j]), math.Max(float64(variances[j]), sharpest)
		precision := math.Max(1/tilted-1/v, -mostNegative/(sigma*sigma))
		pull := m*(precision+1/v) - s.cavity[j]/v
		s.precision[j] += damping * (precision - s.precision[j])
		s.pull[j] += damping * (pull - s.pull[j])
	}
}

// gaussian is p(u | x_t, y) with sites instead of the prior. Its precision is AᵀA/s² + diag(λ + 1/σ²).
type gaussian struct {
	information []float64 // AᵀA/s², (cells, cells)
	pull        []float64 // Aᵀy/s²
}

func newGaussian(a *mat.Dense, noise float64) *gaussian {
	var square mat.Dense
	square.Mul(a.T(), a)
	square.Scale(1/(noise*noise), &square)
	return &gaussian{information: square.RawMatrix().Data}
}

func (g *gaussian) observe(a *mat.Dense, y []float64, noise float64) {
	var pull mat.VecDense
	pull.MulVec(a.T(), mat.NewVecDense(len(y), y))
	pull.ScaleVec(1/(noise*noise), &pull)
	g.pull = pull.RawVector().Data
}

// factorise leaves the Cholesky factor U of the precision UᵀU in s.factor, and returns U and U⁻ᵀ times the pull. The pull
// is the precision times the mean.
func (g *gaussian) factorise(s *sites, sigma float64) (u blas64.Triangular, right blas64.Vector, err error) {
	n, w := len(s.x), 1/(sigma*sigma)
	copy(s.factor, g.information)
	right = blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
	for j := range n {
		s.factor[j*n+j] += s.precision[j] + w
		right.Data[j] = g.pull[j] + s.pull[j] + s.x[j]*w
	}
	u, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: s.factor})
	if !ok {
		return u, right, fmt.Errorf("increments: at σ = %.3g the precision is not positive; lower the damping of the propagation", sigma)
	}
	blas64.Trsv(blas.Trans, u, right)
	return u, right, nil
}

// marginals computes the cavities of all increments and leaves them in the sites.
func (g *gaussian) marginals(s *sites, sigma float64) error {
	u, mean, err := g.factorise(s, sigma)
	if err != nil {
		return err
	}
	blas64.Trsv(blas.NoTrans, u, mean)
	lapack64.Potri(u)
	n := len(s.x)
	for j := range n {
		variance := s.factor[j*n+j]
		s.cavityVariance[j] = 1 / math.Max(1/variance-s.precision[j], 1/widest)
		s.cavity[j] = s.cavityVariance[j] * (mean.Data[j]/variance - s.pull[j])
	}
	return nil
}

// sample turns the standard normal numbers of s.draw into a draw of u.
func (g *gaussian) sample(s *sites, sigma float64) error {
	u, right, err := g.factorise(s, sigma)
	if err != nil {
		return err
	}
	for j, v := range right.Data {
		s.draw[j] += v
	}
	blas64.Trsv(blas.NoTrans, u, blas64.Vector{N: len(s.draw), Inc: 1, Data: s.draw})
	return nil
}

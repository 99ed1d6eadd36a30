package increments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// sites are those of one draw in [Propagation], site j being exp(−λⱼu²/2 + ηⱼu), with all that the rounds need.
type sites struct {
	x                      []float64 // x_t/√α
	precision, pull        []float64 // λ and η
	cavity, cavityVariance []float64
	draw                   []float64 // standard normal, and then a draw of u
	factor                 []float64 // (cells, cells)
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
	// Variances of a point and of a cavity that its data hardly reach.
	sharpest, widest = 1e-9, 1e8
	// A site may be a negative precision, but for half of what x_t adds.
	mostNegative = 0.5
)

// match moves the sites towards those that give the normal distribution the means and variances in their cavities.
func (s *sites) match(means, variances []float32, sigma, damping float64) {
	for j, v := range s.cavityVariance {
		m, tilted := float64(means[j]), math.Max(float64(variances[j]), sharpest)
		precision := math.Max(1/tilted-1/v, -mostNegative/(sigma*sigma))
		pull := m*(precision+1/v) - s.cavity[j]/v
		s.precision[j] += damping * (precision - s.precision[j])
		s.pull[j] += damping * (pull - s.pull[j])
	}
}

// gaussian is p(u | x_t, y) with sites in the place of the prior: its precision is AᵀA/s² + diag(λ + 1/σ²).
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

// factorise leaves the Cholesky factor UᵀU of the precision in s.factor, and gives U⁻ᵀ times the pull.
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

// marginals leaves the cavities in the sites.
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

package increments

import (
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// evidence is what data, or sites in their place, say of the increments: exp(−uᵀGu/2 + hᵀu).
type evidence struct {
	information []float64 // G, (cells, cells)
	pull        []float64 // h
}

// sites holds the sites of one draw in [Propagation], and the values that the rounds need. Site j is exp(−λⱼu²/2 +
// ηⱼu).
type sites struct {
	x                      []float64 // x_t/√α
	precision, pull        []float64 // λ and η
	cavity, cavityVariance []float64
	draw                   []float64 // standard normal numbers, which sample turns into a draw of u
	factor                 []float64 // Cholesky factor of the precision, (cells, cells)
	evidence               *evidence // shared by all draws if the data are normal
	counts                 *countSites
}

func newSites(cells int, e *evidence) *sites {
	s := &sites{factor: make([]float64, cells*cells), evidence: e}
	for _, v := range []*[]float64{&s.x, &s.precision, &s.pull, &s.cavity, &s.cavityVariance, &s.draw} {
		*v = make([]float64, cells)
	}
	for j := range s.precision {
		s.precision[j] = 1 // a normal prior of unit variance
	}
	return s
}

// follow takes over the sites of another draw.
func (s *sites) follow(other *sites) {
	copy(s.precision, other.precision)
	copy(s.pull, other.pull)
	if s.counts != nil {
		s.counts.follow(other.counts)
	}
}

const (
	// sharpest is the smallest variance of an increment, used for a point. widest is the largest variance of a cavity,
	// used for an increment that the data hardly inform.
	sharpest, widest = 1e-9, 1e8
	// The precision of a site may be negative, down to minus this share of the precision 1/σ² that x_t adds.
	mostNegative = 0.5
)

// match moves the sites towards values that give the normal distribution these means and variances. The means and
// variances are those of the prior in the cavities. If hold is set and there is no x_t, sites whose precision would be
// negative do not move.
func (s *sites) match(means, variances []float32, sigma, damping float64, hold bool) {
	for j, v := range s.cavityVariance {
		m, tilted := float64(means[j]), math.Max(float64(variances[j]), sharpest)
		precision, bound := 1/tilted-1/v, -mostNegative/(sigma*sigma)
		if precision < bound {
			if hold && math.IsInf(sigma, 1) {
				continue
			}
			precision = bound
		}
		pull := m*(precision+1/v) - s.cavity[j]/v
		s.precision[j] += damping * (precision - s.precision[j])
		s.pull[j] += damping * (pull - s.pull[j])
	}
}

// normalEvidence returns the evidence of data y = A u + s z, G = AᵀA/s² and h = Aᵀy/s².
func normalEvidence(a *mat.Dense, y []float64, noise float64) *evidence {
	var square mat.Dense
	square.Mul(a.T(), a)
	square.Scale(1/(noise*noise), &square)
	var pull mat.VecDense
	pull.MulVec(a.T(), mat.NewVecDense(len(y), y))
	pull.ScaleVec(1/(noise*noise), &pull)
	return &evidence{square.RawMatrix().Data, pull.RawVector().Data}
}

// factorise leaves the Cholesky factor U of the precision UᵀU = G + diag(λ + 1/σ²) of p(u | x_t, y) in s.factor, and
// returns U and U⁻ᵀ times the pull. The pull is the precision times the mean.
func (s *sites) factorise(sigma float64) (u blas64.Triangular, right blas64.Vector, err error) {
	n, w := len(s.x), 1/(sigma*sigma)
	copy(s.factor, s.evidence.information)
	right = blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
	for j := range n {
		s.factor[j*n+j] += s.precision[j] + w
		right.Data[j] = s.evidence.pull[j] + s.pull[j] + s.x[j]*w
	}
	u, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: s.factor})
	if !ok {
		return u, right, fmt.Errorf("increments: at σ = %.3g the precision is not positive; lower the damping of "+
			"the propagation", sigma)
	}
	blas64.Trsv(blas.Trans, u, right)
	return u, right, nil
}

// marginals computes the cavities of all increments and leaves them in the sites. It moves the sites of counts.
func (s *sites) marginals(sigma, damping float64) error {
	u, mean, err := s.factorise(sigma)
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
	if s.counts != nil {
		s.counts.match(mean.Data, blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: s.factor}, damping)
	}
	return nil
}

// sample turns the standard normal numbers of s.draw into a draw of u.
func (s *sites) sample(sigma float64) error {
	u, right, err := s.factorise(sigma)
	if err != nil {
		return err
	}
	for j, v := range right.Data {
		s.draw[j] += v
	}
	blas64.Trsv(blas.NoTrans, u, blas64.Vector{N: len(s.draw), Inc: 1, Data: s.draw})
	return nil
}

// sites returns the sites of all draws at the start.
func (o *propagator) sites(y []float64) ([]*sites, error) {
	all := make([]*sites, o.draws)
	if o.problem.Counts == nil {
		e := normalEvidence(o.a, y, o.problem.Noise)
		for i := range all {
			all[i] = newSites(Cells, e)
		}
		return all, nil
	}
	like := o.problem.Counts.Likelihood
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	obs, err := like.Observe1(y...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		c := newCountSites(o.a, terms, obs)
		all[i] = newSites(Cells, c.says)
		all[i].counts = c
	}
	return all, nil
}

// each calls do for the sites of all draws, on all processors.
func each(all []*sites, do func(i int, s *sites) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range all {
		g.Go(func() error { return do(i, s) })
	}
	return g.Wait()
}

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

// Gibbs samples the exact posterior of a problem's increments. The chain is [scales] for normal data and a law that is
// [Mixed], [spikes] for normal data and [BernoulliLaplace], and [leaps] for counts.
type Gibbs struct {
	Burn   int    // sweeps before the first that counts. Default 1000
	Sweeps int    // sweeps that count. Default 5000
	Keep   int    // draws that are kept, equally spaced. Default 500
	Seed   uint64 // seed of the chain
}

func (g Gibbs) orDefault() Gibbs {
	if g.Burn == 0 {
		g.Burn = 1000
	}
	if g.Sweeps == 0 {
		g.Sweeps = 5000
	}
	if g.Keep == 0 {
		g.Keep = 500
	}
	g.Keep = min(g.Keep, g.Sweeps)
	return g
}

// Truth is the exact posterior of a signal.
type Truth struct {
	// Mean is the average over sweeps of the means given scales or indicators. Its error is smaller than the error of
	// the mean of the draws.
	Mean  []float64
	Draws *mat.Dense // draws of the signal, (kept, cells)
}

// chain is a Markov chain of increments given data.
type chain interface {
	// observe sets the data, and keeps the present increments and the other random variables.
	observe(y []float64) error
	// settle ends the adaptation of the chain to its data.
	settle()
	// sweep moves all random variables. It returns the increments, and their mean given all other variables. The next
	// sweep overwrites both.
	sweep(rng *rand.Rand) (u, mean []float64)
}

// Sample runs the chain of a problem on data.
func (g Gibbs) Sample(p *Problem, y []float64) (*Truth, error) {
	g = g.orDefault()
	if data, _ := p.Operator.Dims(); len(y) != data {
		return nil, fmt.Errorf("increments: %d data, and the operator has %d", len(y), data)
	}
	rng := expfam.Stream(g.Seed, "increments/gibbs")
	c, err := p.chain(rng)
	if err != nil {
		return nil, err
	}
	if err := c.observe(y); err != nil {
		return nil, err
	}
	for range g.Burn {
		c.sweep(rng)
	}
	c.settle()
	_, cells := p.jumps.Dims()
	t := &Truth{Mean: make([]float64, cells), Draws: mat.NewDense(g.Keep, cells, nil)}
	kept := 0
	for i := range g.Sweeps {
		u, mean := c.sweep(rng)
		var at float64
		for j, v := range mean {
			at += v
			t.Mean[j] += at / float64(g.Sweeps)
		}
		if (i+1)*g.Keep/g.Sweeps > kept {
			row, at := t.Draws.RawRowView(kept), 0.0
			for j, v := range u {
				at += v
				row[j] = at
			}
			kept++
		}
	}
	for j, v := range t.Mean {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("increments: %v: the exact posterior mean of cell %d is %g; check the data", p, j, v)
		}
	}
	return t, nil
}

// chain returns a chain that fits the law and the kind of data.
func (p *Problem) chain(rng *rand.Rand) (chain, error) {
	switch law := p.Law.(type) {
	case Mixed:
		if p.Counts != nil {
			return newLeaps(law, p)
		}
		return newScales(law, p, rng), nil
	case BernoulliLaplace:
		if p.Counts == nil {
			return newSpikes(law, p), nil
		}
	}
	return nil, fmt.Errorf("increments: there is no exact sampler of %v; take normal data, or a law that is Mixed", p)
}

// information returns BᵀB/σ², row after row.
func (p *Problem) information() []float64 {
	var square mat.Dense
	square.Mul(p.jumps.T(), p.jumps)
	square.Scale(1/(p.Noise*p.Noise), &square)
	return square.RawMatrix().Data
}

// pull returns Bᵀy/σ².
func (p *Problem) pull(y []float64) []float64 {
	var v mat.VecDense
	v.MulVec(p.jumps.T(), mat.NewVecDense(len(y), y))
	v.ScaleVec(1/(p.Noise*p.Noise), &v)
	return v.RawVector().Data
}

// scales is the chain for scale mixtures. It draws the precisions w given the increments u, cell by cell, and then all
// increments given the precisions, whose distribution is Gaussian,
//
//	u | w, y ~ N(P⁻¹ Bᵀy/σ², P⁻¹),  P = BᵀB/σ² + diag w.
type scales struct {
	law         Mixed
	problem     *Problem
	information []float64 // BᵀB/σ²
	pull        []float64 // Bᵀy/σ²
	u, mean     []float64
	p           blas64.Symmetric
}

func newScales(law Mixed, p *Problem, rng *rand.Rand) *scales {
	_, n := p.jumps.Dims()
	s := &scales{law: law, problem: p, information: p.information(), u: make([]float64, n), mean: make([]float64, n),
		p: blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}}
	for j := range s.u {
		s.u[j] = law.Draw(rng)
	}
	return s
}

func (s *scales) observe(y []float64) error {
	s.pull = s.problem.pull(y)
	return nil
}

func (*scales) settle() {}

func (s *scales) sweep(rng *rand.Rand) (u, mean []float64) {
	n := len(s.u)
	copy(s.p.Data, s.information)
	for j, v := range s.u {
		s.p.Data[j*n+j] += s.law.Precision(v, rng)
	}
	t, ok := lapack64.Potrf(s.p)
	if !ok { // P is not positive definite in rounding: nothing is known of an increment
		for j := range s.u {
			s.u[j] = s.law.Draw(rng)
		}
		return s.u, s.mean
	}
	copy(s.mean, s.pull)
	x := blas64.Vector{N: n, Inc: 1, Data: s.mean}
	blas64.Trsv(blas.Trans, t, x)
	blas64.Trsv(blas.NoTrans, t, x)
	for j := range s.u {
		s.u[j] = rng.NormFloat64()
	}
	blas64.Trsv(blas.NoTrans, t, blas64.Vector{N: n, Inc: 1, Data: s.u})
	for j := range s.u {
		s.u[j] += s.mean[j]
	}
	return s.u, s.mean
}

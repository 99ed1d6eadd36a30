package increments

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
)

// DPnP is diffusion plug-and-play (Xu & Chi 2024): split Gibbs sampling in which a denoiser makes the step of the
// prior. It draws in turn
//
//	v ~ ∝ exp(−|y − A v|²/(2σ²) − |v − x|²/(2η²)),  x ~ p(x₀ | x₀ + η z = v).
//
// The distribution of v is Gaussian. x is drawn by ancestral steps of the diffusion from noise η. DPnP is exact in the
// limit of η to 0, where it does not move any more. η falls from 1 to Eta in the first half of the rounds, and then
// stays.
type DPnP struct {
	Eta    float64 // final η, in units of x₀
	Rounds int     // default 40
	Steps  int     // evaluations of the network per round. Default 25
}

func (m DPnP) orDefault() DPnP {
	m.Rounds, m.Steps = cmp.Or(m.Rounds, 40), cmp.Or(m.Steps, 25)
	return m
}

func (m DPnP) String() string {
	m = m.orDefault()
	return fmt.Sprintf("dpnp(eta=%g, %d×%d)", m.Eta, m.Rounds, m.Steps)
}

// Check refuses an Eta outside of (0, 1], and rounds of less than two steps.
func (m DPnP) Check() error {
	m = m.orDefault()
	if !(m.Eta > 0 && m.Eta <= 1) || m.Rounds < 1 || m.Steps < 2 {
		return fmt.Errorf("increments: %v; give an Eta in (0, 1], and at least one round of two steps", m)
	}
	return nil
}

// splitGibbs is a compiled DPnP for data behind a matrix.
type splitGibbs struct {
	DPnP
	denoise *Exec
	engine  *engine.Engine
	a       *mat.Dense
	noise   float64
	vectors mat.Dense // eigenvectors of AᵀA, in columns
	values  []float64 // eigenvalues of AᵀA
}

// newSplitGibbs compiles the denoiser of a prior.
func newSplitGibbs(m DPnP, prior expfam.Prior, a *mat.Dense, noise float64) (*splitGibbs, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	e, err := engine.Default()
	if err != nil {
		return nil, err
	}
	s := &splitGibbs{DPnP: m.orDefault(), engine: e, a: a, noise: noise}
	var square mat.SymDense
	square.SymOuterK(1, a.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&square, true) {
		return nil, fmt.Errorf("increments: %v: the matrix of the data has no eigenvalues; check it", m)
	}
	eigen.VectorsTo(&s.vectors)
	s.values = eigen.Values(nil)
	s.denoise, err = NewExec(e.Backend, func(x, sqrtAlpha, v *Node) *Node {
		mean, _ := prior.Moments(x, level.Nodes{SqrtAlpha: sqrtAlpha, V: v})
		return mean
	})
	return s, err
}

// sample makes draws of x₀.
func (s *splitGibbs) sample(y []float64, draws int, seed uint64) (*mat.Dense, error) {
	_, cells := s.a.Dims()
	rng := expfam.Stream(seed, "increments/dpnp")
	normal := func() *mat.Dense {
		z := mat.NewDense(draws, cells, nil)
		for i := range z.RawMatrix().Data {
			z.RawMatrix().Data[i] = rng.NormFloat64()
		}
		return z
	}
	var pull, turned mat.VecDense
	pull.MulVec(s.a.T(), mat.NewVecDense(len(y), y))
	turned.MulVec(s.vectors.T(), &pull)
	x := normal()
	etas := floats.LogSpan(make([]float64, max(s.Rounds/2, 1)+1), 1, s.Eta)
	for round := range s.Rounds {
		eta := etas[min(round, len(etas)-1)]
		// v is drawn in the coordinates of the eigenvectors of AᵀA.
		var v mat.Dense
		v.Mul(x, &s.vectors)
		z := normal()
		v.Apply(func(i, k int, old float64) float64 {
			precision := s.values[k]/(s.noise*s.noise) + 1/(eta*eta)
			return (turned.AtVec(k)/(s.noise*s.noise)+old/(eta*eta))/precision + z.At(i, k)/math.Sqrt(precision)
		}, &v)
		x = new(mat.Dense)
		x.Mul(&v, s.vectors.T())
		if err := s.reverse(x, eta, normal); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// reverse turns x = x₀ + η z into draws of x₀. The last step takes the denoised x at the noise level η/20.
func (s *splitGibbs) reverse(x *mat.Dense, eta float64, normal func() *mat.Dense) error {
	sigmas := floats.LogSpan(make([]float64, s.Steps), eta, eta/20)
	for i, sigma := range sigmas {
		d, err := s.mean(x, sigma)
		if err != nil {
			return err
		}
		if i == len(sigmas)-1 {
			x.Copy(d)
			break
		}
		kept := math.Pow(sigmas[i+1]/sigma, 2)
		z, fresh := normal(), sigmas[i+1]*math.Sqrt(1-kept)
		x.Apply(func(r, c int, v float64) float64 { return kept*v + (1-kept)*d.At(r, c) + fresh*z.At(r, c) }, x)
	}
	return nil
}

// mean returns E[x₀ | x₀ + σ z = x] for every row x.
func (s *splitGibbs) mean(x *mat.Dense, sigma float64) (*mat.Dense, error) {
	rows, cols := x.Dims()
	l := level.At(sigma)
	flat := make([]float32, rows*cols)
	for i, v := range x.RawMatrix().Data[:rows*cols] {
		flat[i] = float32(l.SqrtAlpha * v)
	}
	in := tensors.FromFlatDataAndDimensions(flat, rows, cols)
	out, err := s.engine.Call(s.denoise, in, [][]float32{{float32(l.SqrtAlpha)}}, [][]float32{{float32(l.V)}})
	if err != nil {
		return nil, fmt.Errorf("increments: %v: %w", s.DPnP, err)
	}
	values, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return nil, err
	}
	d := mat.NewDense(rows, cols, nil)
	for i, v := range values {
		d.RawMatrix().Data[i] = float64(v)
	}
	return d, engine.Release(append(out, in)...)
}

// close frees the compiled denoiser.
func (s *splitGibbs) close() { s.denoise.Finalize() }

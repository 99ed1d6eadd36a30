package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// Problem is a posterior of x ~ N(μ, K) of twenty cells with a datum in each, log p(y | x) = Σ a x − b A(x) up to a
// constant, where A is exp or log(1 + exp). With K = σ² exp(−distance/ℓ) and distances in cells it is
//
//	family       a    b      A            θ
//	poisson      y    1      exp          rate eˣ
//	gamma        3    y      exp          shape 3, rate eˣ
//	binomial     y    10     log(1+exp)   probability, of 10 trials
//	bernoulli    y    1      log(1+exp)   probability
//	negbinomial  4    4 + y  log(1+exp)   probability of a success; y failures before 4 of them
type Problem struct {
	Name, Family string
	Rows, Cols   int
	Mean         float64 // μ
	SD, Length   float64 // σ and ℓ
	Seed         uint64
	Y            []float64
}

const (
	trials    = 10
	shape     = 3
	successes = 4
)

// problems are the posteriors of the set, with data that are simulated from the prior.
func problems() []Problem {
	all := []Problem{
		{Name: "poisson-line", Family: "poisson", Rows: 1, Cols: 20, Mean: 1, SD: 0.8, Length: 4, Seed: 1},
		{Name: "poisson-lattice", Family: "poisson", Rows: 4, Cols: 5, Mean: 0, SD: 1, Length: 2, Seed: 2},
		{Name: "gamma-line", Family: "gamma", Rows: 1, Cols: 20, Mean: 0, SD: 1, Length: 6, Seed: 3},
		{Name: "binomial-line", Family: "binomial", Rows: 1, Cols: 20, Mean: -1, SD: 1, Length: 4, Seed: 4},
		{Name: "bernoulli-lattice", Family: "bernoulli", Rows: 4, Cols: 5, Mean: 0, SD: 1.5, Length: 3, Seed: 5},
		{Name: "negbinomial-lattice", Family: "negbinomial", Rows: 4, Cols: 5, Mean: 0, SD: 0.8, Length: 2, Seed: 6},
	}
	for i := range all {
		all[i].simulate()
	}
	return all
}

// simulate draws x of the prior, and the data of x.
func (p *Problem) simulate() {
	rng := rand.New(rand.NewPCG(p.Seed, 64))
	n := p.Rows * p.Cols
	var chol mat.Cholesky
	chol.Factorize(p.Cov())
	var l mat.TriDense
	chol.LTo(&l)
	z := mat.NewVecDense(n, nil)
	for i := range n {
		z.SetVec(i, rng.NormFloat64())
	}
	var x mat.VecDense
	x.MulVec(&l, z)
	p.Y = make([]float64, n)
	for i := range n {
		at := p.Mean + x.AtVec(i)
		prob := 1 / (1 + math.Exp(-at))
		switch p.Family {
		case "poisson":
			for limit, u := math.Exp(-math.Exp(at)), rng.Float64(); u > limit; u *= rng.Float64() {
				p.Y[i]++
			}
		case "gamma":
			for range shape {
				p.Y[i] += rng.ExpFloat64() / math.Exp(at)
			}
		case "binomial", "bernoulli":
			for range map[string]int{"binomial": trials, "bernoulli": 1}[p.Family] {
				if rng.Float64() < prob {
					p.Y[i]++
				}
			}
		case "negbinomial":
			for range successes {
				for rng.Float64() > prob {
					p.Y[i]++
				}
			}
		}
	}
}

// Cov returns K.
func (p *Problem) Cov() *mat.SymDense {
	n := p.Rows * p.Cols
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			d := math.Hypot(float64(i/p.Cols-j/p.Cols), float64(i%p.Cols-j%p.Cols))
			k.SetSym(i, j, p.SD*p.SD*math.Exp(-d/p.Length))
		}
	}
	return k
}

// terms returns a and b of each cell, and whether A is exp.
func (p *Problem) terms() (a, b []float64, exp bool) {
	a, b = make([]float64, len(p.Y)), make([]float64, len(p.Y))
	for i, y := range p.Y {
		switch p.Family {
		case "poisson":
			a[i], b[i] = y, 1
		case "gamma":
			a[i], b[i] = shape, y
		case "binomial":
			a[i], b[i] = y, trials
		case "bernoulli":
			a[i], b[i] = y, 1
		case "negbinomial":
			a[i], b[i] = successes, successes+y
		}
	}
	return a, b, p.Family == "poisson" || p.Family == "gamma"
}

// scores returns the gradient of the log posterior at each draw.
func (p *Problem) scores(x *mat.Dense) *mat.Dense {
	n, cells := x.Dims()
	a, b, exp := p.terms()
	var chol mat.Cholesky
	chol.Factorize(p.Cov())
	centred := mat.NewDense(cells, n, nil)
	centred.Apply(func(k, i int, _ float64) float64 { return x.At(i, k) - p.Mean }, centred)
	var pulled mat.Dense // K⁻¹(x − μ)
	_ = chol.SolveTo(&pulled, centred)
	s := mat.NewDense(n, cells, nil)
	s.Apply(func(i, k int, _ float64) float64 {
		slope := math.Exp(x.At(i, k))
		if !exp {
			slope /= 1 + slope
		}
		return a[k] - b[k]*slope - pulled.At(k, i)
	}, s)
	return s
}

// likelihood returns the problem's likelihood in this library.
func (p *Problem) likelihood() expfam.Likelihood {
	switch p.Family {
	case "poisson":
		return expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	case "gamma":
		return expfam.Likelihood{Family: expfam.Gamma{Shape: shape}, Link: expfam.MustLink("exp(x)")}
	case "binomial":
		return expfam.Likelihood{Family: expfam.Binomial{Trials: trials}, Link: expfam.SigmoidLink}
	case "bernoulli":
		return expfam.Likelihood{Family: expfam.Bernoulli{}, Link: expfam.SigmoidLink}
	}
	return expfam.Likelihood{Family: expfam.NegativeBinomial{Successes: successes}, Link: expfam.SigmoidLink}
}

// prior is N(μ, K) for expfam/hmc.
type prior struct{ *Problem }

func (p prior) Mean() []float64 {
	mean := make([]float64, p.Rows*p.Cols)
	for i := range mean {
		mean[i] = p.Problem.Mean
	}
	return mean
}

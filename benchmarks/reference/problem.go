package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
)

// Problem is a posterior of cells x ~ N(μ, K) with data yₖ ~ p(y | ηₖ), η = H x. A Sum has η = log H eˣ instead.
// scores.go has the families. Unknown numbers v have the prior log v ~ N(log Median, Spread²).
type Problem struct {
	Name, Family string
	Place        place
	Mean         float64    // μ
	SD, Length   float64    // of Place.cov
	See          *mat.Dense `json:",omitempty"` // H; nil: datum k is of cell k
	Sum          bool
	Sizes        []float64 // exposures or trials; nil: 1
	Unknown      []Unknown
	Longer       int // chains are so many times as long as others, with smaller steps; 0: 1
	Seed         uint64
	Y            []float64
}

// Unknown is "sd" or "length" of the prior, or "dispersion" of the data.
type Unknown struct {
	Name           string
	Median, Spread float64
}

// cells returns the number of cells, and data that of data.
func (p *Problem) cells() int { return p.Place.cells() }

func (p *Problem) data() int {
	if p.See == nil {
		return p.cells()
	}
	n, _ := p.See.Dims()
	return n
}

// Cov returns K for values of the unknown numbers, in their order; nil stands for the medians.
func (p *Problem) Cov(values []float64) *mat.SymDense {
	sd, length := p.SD, p.Length
	for i, u := range p.Unknown {
		v := u.Median
		if values != nil {
			v = values[i]
		}
		switch u.Name {
		case "sd":
			sd = v
		case "length":
			length = v
		}
	}
	return p.Place.cov(sd, length)
}

// simulate draws x of the prior, and the data of x.
func (p *Problem) simulate() error {
	rng := rand.New(rand.NewPCG(p.Seed, 64))
	var chol mat.Cholesky
	chol.Factorize(p.Cov(nil))
	var l mat.TriDense
	chol.LTo(&l)
	z := mat.NewVecDense(p.cells(), nil)
	for i := range p.cells() {
		z.SetVec(i, rng.NormFloat64())
	}
	var x mat.VecDense
	x.MulVec(&l, z)
	for i := range p.cells() {
		x.SetVec(i, x.AtVec(i)+p.Mean)
	}
	like := p.likelihood()
	if u := p.dispersion(); u != nil {
		like.Family, like.Unknown = expfam.NB2{Dispersion: u.Median}, nil
	}
	theta, err := like.Theta(x.RawVector().Data)
	if err != nil {
		return err
	}
	y, err := like.Simulate(theta, p.Sizes, 1, p.Seed)
	if err == nil {
		p.Y = y.Y[0]
	}
	return err
}

// dispersion returns the unknown number of the data, or nil.
func (p *Problem) dispersion() *Unknown {
	if n := len(p.Unknown); n > 0 && p.Unknown[n-1].Name == "dispersion" {
		return &p.Unknown[n-1]
	}
	return nil
}

// likelihood returns the problem's likelihood in this library.
func (p *Problem) likelihood() expfam.Likelihood {
	l := expfam.Likelihood{Link: expfam.ExpLink}
	switch p.Family {
	case "poisson":
		l.Family = expfam.Poisson{}
	case "gamma":
		l.Family = expfam.Gamma{Shape: shape}
	case "binomial":
		l.Family, l.Link = expfam.Binomial{}, expfam.SigmoidLink
	case "negbinomial":
		l.Family, l.Link = expfam.NegativeBinomial{Successes: successes}, expfam.SigmoidLink
	case "normal":
		l.Family, l.Link = expfam.Normal{SD: noise}, expfam.IdentityLink
	case "variance":
		l.Family = expfam.NormalVariance{}
	case "nb2":
		u := p.dispersion()
		l.Family, l.Unknown = expfam.NB2{}, law.Laws{u.Name: law.LogNormal{Median: u.Median, SD: u.Spread}}
	}
	if p.See != nil {
		l.Operator = &operator.Dense{Matrix: p.See}
		if p.Sum {
			l.Operator = expfam.SumOf{Operator: l.Operator}
		}
	}
	return l
}

// observations returns the data in this library.
func (p *Problem) observations() (expfam.Observations, error) {
	d := expfam.Data{Y: [][]float64{p.Y}}
	if p.Sizes != nil {
		d.Known = [][]float64{p.Sizes}
	}
	return p.likelihood().Observe(d)
}

// family is the prior with unknown numbers in this library; see [gp.Family].
type family struct{ *Problem }

func (f family) String() string { return f.Name }
func (f family) Dim() int       { return f.cells() }

func (f family) Unknown() (all []law.Parameter) {
	for _, u := range f.Problem.Unknown {
		if u.Name != "dispersion" {
			all = append(all, law.Parameter{Name: u.Name, Law: law.LogNormal{Median: u.Median, SD: u.Spread}})
		}
	}
	return all
}

func (f family) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	return f.mean(), f.Cov(append(values[:len(values):len(values)], 0)), nil
}

func (p *Problem) mean() []float64 {
	mean := make([]float64, p.cells())
	for i := range mean {
		mean[i] = p.Mean
	}
	return mean
}

// prior returns the prior in this library.
func (p *Problem) prior() (expfam.Prior, error) {
	if f := (family{p}); len(f.Unknown()) > 0 {
		return gp.Unknown{Of: f}, nil
	}
	return gp.New(p.mean(), p.Cov(nil))
}

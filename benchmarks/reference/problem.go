package main

import (
	"math"
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

// place is where cells are.
type place interface {
	// cov returns K.
	cov(sd, length float64) *mat.SymDense
	// cells returns the number of cells.
	cells() int
}

// lattice has K = σ² exp(−distance/ℓ), distances in cells. A line is a lattice of one row.
type lattice struct{ Rows, Cols int }

func (l lattice) cells() int { return l.Rows * l.Cols }

func (l lattice) cov(sd, length float64) *mat.SymDense {
	k := mat.NewSymDense(l.cells(), nil)
	for i := range l.cells() {
		for j := range i + 1 {
			k.SetSym(i, j, sd*sd*math.Exp(-l.distance(i, j)/length))
		}
	}
	return k
}

func (l lattice) distance(i, j int) float64 {
	return math.Hypot(float64(i/l.Cols-j/l.Cols), float64(i%l.Cols-j%l.Cols))
}

// districts are hexagons, each in each of some weeks: K = σ² (ρ(D − W) + (1 − ρ)I)⁻¹ ⊗ exp(−weeks apart/ℓ) with
// ρ = .9, where W joins neighbours and D has their numbers (Leroux, Lei & Breslow 2000). The week runs fastest.
type districts struct{ Rows, Cols, Weeks int }

func (d districts) cells() int { return d.Rows * d.Cols * d.Weeks }

func (d districts) cov(sd, length float64) *mat.SymDense {
	const rho = 0.9
	n := d.Rows * d.Cols
	q := mat.NewSymDense(n, nil)
	for i := range n {
		q.SetSym(i, i, q.At(i, i)+1-rho)
		for j := range i {
			if d.neighbours(i, j) {
				q.SetSym(i, j, -rho)
				q.SetSym(i, i, q.At(i, i)+rho)
				q.SetSym(j, j, q.At(j, j)+rho)
			}
		}
	}
	var chol mat.Cholesky
	chol.Factorize(q)
	var inverse mat.SymDense
	_ = chol.InverseTo(&inverse) // it returns an error for an ill-conditioned matrix, and this one is not
	k := mat.NewSymDense(d.cells(), nil)
	for i := range d.cells() {
		for j := range i + 1 {
			apart := math.Abs(float64(i%d.Weeks - j%d.Weeks))
			decay := 1.0
			if apart > 0 {
				decay = math.Exp(-apart / length)
			}
			k.SetSym(i, j, sd*sd*inverse.At(i/d.Weeks, j/d.Weeks)*decay)
		}
	}
	return k
}

// neighbours reports whether hexagons share a border. Odd rows lie half a hexagon to the right.
func (d districts) neighbours(i, j int) bool {
	at := func(k int) (row, x float64) {
		row = float64(k / d.Cols)
		return row, float64(k%d.Cols) + math.Mod(row, 2)/2
	}
	ri, xi := at(i)
	rj, xj := at(j)
	return i != j && math.Abs(ri-rj) <= 1 && math.Abs(xi-xj)+math.Abs(ri-rj)/2 <= 1
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

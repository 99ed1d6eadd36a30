package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Constants of the families.
const (
	shape     = 3
	successes = 4
	noise     = 0.5
)

// The families have log p(y | η) = a η − b A(η), up to a constant, with the size n of a datum:
//
//	family       a    b      A            distribution of y
//	poisson      y    n      exp          Poisson, rate n eᵑ
//	gamma        3    y      exp          Gamma, shape 3, rate eᵑ
//	variance     −½   y²/2   exp(−η)      normal, mean 0, variance eᵑ
//	normal       4y   4      η²/2         normal, mean η, standard deviation ½
//	binomial     y    n      log(1+exp)   of n trials, with probability p = 1/(1 + e⁻ᵑ)
//	negbinomial  4    4 + y  log(1+exp)   failures before 4 successes of probability p
//	nb2          y    k + y  log(1+exp)   mean eᵑ, variance eᵑ + κ e²ᵑ; k = 1/κ, and η − log k in place of η; with
//	                                      the dispersion κ unknown, log Γ(y + k) − log Γ(k) is added
func (p *Problem) terms(k int, dispersion float64) (a, b, shift, base float64) {
	y, n := p.Y[k], 1.0
	if p.Sizes != nil {
		n = p.Sizes[k]
	}
	switch p.Family {
	case "gamma":
		return shape, y, 0, 0
	case "variance":
		return -0.5, y * y / 2, 0, 0
	case "normal":
		return y / (noise * noise), 1 / (noise * noise), 0, 0
	case "negbinomial":
		return successes, successes + y, 0, 0
	case "nb2":
		size := 1 / dispersion
		up, _ := math.Lgamma(y + size)
		down, _ := math.Lgamma(size)
		return y, size + y, math.Log(size), up - down
	}
	return y, n, 0, 0
}

// cumulant returns A and A'.
func (p *Problem) cumulant(eta float64) (value, slope float64) {
	switch p.Family {
	case "poisson", "gamma":
		e := math.Exp(eta)
		return e, e
	case "variance":
		e := math.Exp(-eta)
		return e, -e
	case "normal":
		return eta * eta / 2, eta
	}
	return math.Log1p(math.Exp(-math.Abs(eta))) + math.Max(eta, 0), 1 / (1 + math.Exp(-eta))
}

// logLikelihood returns log p(y | x, v), and adds its slope in x to slope unless that is nil.
func (p *Problem) logLikelihood(x, values, slope []float64) (sum float64) {
	dispersion := 0.0
	if p.dispersion() != nil {
		dispersion = values[len(values)-1]
	}
	for k := range p.Y {
		a, b, shift, base := p.terms(k, dispersion)
		weights := []float64(nil)
		eta := 0.0
		switch {
		case p.See == nil:
			eta = x[k]
		case p.Sum:
			weights = p.See.RawRowView(k)
			for j, h := range weights {
				eta += h * math.Exp(x[j])
			}
			eta = math.Log(eta)
		default:
			weights = p.See.RawRowView(k)
			for j, h := range weights {
				eta += h * x[j]
			}
		}
		value, d := p.cumulant(eta - shift)
		sum += a*(eta-shift) - b*value + base
		d = a - b*d
		switch {
		case slope == nil:
		case p.See == nil:
			slope[k] += d
		default:
			for j, h := range weights {
				if p.Sum {
					h *= math.Exp(x[j] - eta)
				}
				slope[j] += h * d
			}
		}
	}
	return sum
}

// logDensity returns the log posterior at x and log v up to a constant. It writes the slope in x to slope unless that
// is nil.
func (p *Problem) logDensity(x, logs, slope []float64) float64 {
	values := make([]float64, len(logs))
	sum := 0.0
	for i, u := range p.Unknown {
		values[i] = math.Exp(logs[i])
		t := (logs[i] - math.Log(u.Median)) / u.Spread
		sum -= t * t / 2
	}
	var chol mat.Cholesky
	if !chol.Factorize(p.Cov(values)) {
		return math.Inf(-1)
	}
	centred := mat.NewVecDense(len(x), nil)
	for j, v := range x {
		centred.SetVec(j, v-p.Mean)
	}
	var pulled mat.VecDense // K⁻¹(x − μ)
	_ = chol.SolveVecTo(&pulled, centred)
	for j := range slope {
		slope[j] = -pulled.AtVec(j)
	}
	sum -= mat.Dot(centred, &pulled)/2 + chol.LogDet()/2
	return sum + p.logLikelihood(x, values, slope)
}

// scores returns the gradient of the log posterior in x and log v at each draw, the latter by central differences.
func (p *Problem) scores(draws *mat.Dense) *mat.Dense {
	const h = 1e-4
	n, m := draws.Dims()
	cells := p.cells()
	s := mat.NewDense(n, m, nil)
	for i := range n {
		x, out := draws.RawRowView(i)[:cells], s.RawRowView(i)
		logs := slices.Clone(draws.RawRowView(i)[cells:])
		p.logDensity(x, logs, out[:cells])
		for k := range logs {
			own := logs[k]
			logs[k] = own + h
			up := p.logDensity(x, logs, nil)
			logs[k] = own - h
			out[cells+k] = (up - p.logDensity(x, logs, nil)) / (2 * h)
			logs[k] = own
		}
	}
	return s
}

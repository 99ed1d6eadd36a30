package expfam

import (
	"fmt"
)

// PaperForm is a family with all that the paper's Appendix C and Table A1 list
// of it, and with a density that is computed without its exponential form.
// Known stands for the observation's own constant as in [Family].Reduce.
type PaperForm interface {
	Family
	// LogDensity is log p(y | θ); −Inf outside the support.
	LogDensity(y, theta float64, known Known) float64
	// Moments are the mean and the variance of y given θ, +Inf where they
	// diverge.
	Moments(theta float64, known Known) (mean, variance float64)
	// Form is the exponential form with its natural conjugate prior.
	Form(known Known) ExponentialForm
}

// ExponentialForm is a family as in the paper's Appendix C, for one value of the known
// constant:
//
//	p(y | θ) = h(y) exp(η(θ) T(y) − A(θ)),
//	q(θ | ν, τ) = h_θ exp(ν η(θ) − τ A(θ) − A_θ(ν, τ)).
//
// Observing y turns (ν, τ) into (ν + T(y), τ + 1).
type ExponentialForm struct {
	Statistic    func(y float64) float64     // T(y)
	LogBase      func(y float64) float64     // log h(y)
	Eta          func(theta float64) float64 // η(θ)
	LogPartition func(theta float64) float64 // A(η(θ))
	// LogPriorBase is log h_θ.
	LogPriorBase float64
	// LogNormalizer is A_θ(ν, τ).
	LogNormalizer func(nu, tau float64) float64
	// Standard maps (ν, τ) to the conjugate's standard parameters, Hyper
	// back. All standard parameters but the Normal's mean must be positive,
	// which is what Normalisable says in terms of ν and τ.
	Standard     func(nu, tau float64) (a, b float64)
	Hyper        func(a, b float64) (nu, tau float64)
	Normalisable string
}

// LogDensity is log h(y) + η(θ) T(y) − A(θ).
func (p ExponentialForm) LogDensity(y, theta float64) float64 {
	return p.LogBase(y) + p.Eta(theta)*p.Statistic(y) - p.LogPartition(theta)
}

// PriorAt is the conjugate prior at the paper's hyperparameters (ν, τ). It is
// an error if they do not give a normalisable density.
func PriorAt(f PaperForm, nu, tau float64, known Known) (Standard, error) {
	p := f.Form(known)
	s := Standard{Conjugate: f.Conjugate()}
	s.A, s.B = p.Standard(nu, tau)
	_, normal := s.Conjugate.(NormalPrior)
	if !(s.B > 0) || !(normal || s.A > 0) {
		return Standard{}, fmt.Errorf("%s: (nu, tau) = (%g, %g) gives no normalisable prior; it must satisfy %s", f, nu,
			tau, p.Normalisable)
	}
	return s, nil
}

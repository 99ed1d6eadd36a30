package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// number is a number of a prior that is unknown if it is 0.
type number struct {
	field     string
	parameter law.Parameter
	value     float64
	low, high float64 // of its values, without the bounds
}

// effect has what all priors here share: names, laws and checks of their numbers, and the level.
type effect struct {
	prior          string // the name of the prior, for errors
	label          string
	numbers        []number
	level, levelSD float64
}

// sd is the standard deviation of a prior. P(sd > 1) = 0.01 by default, as R-INLA has it for log relative risks.
func sd(value float64) number {
	return number{"SD", law.Parameter{Name: "sd", Law: law.PCSD{Above: 1, Probability: 0.01}}, value, 0, math.Inf(1)}
}

// share is a number between 0 and 1 that is uniform by default.
func share(field, name string, value float64) number {
	return number{field, law.Parameter{Name: name, Law: distuv.Uniform{Min: 0, Max: 1}}, value, 0, 1}
}

// check refuses numbers out of their bounds.
func (e effect) check() error {
	for _, n := range e.numbers {
		if n.value != 0 && !(n.value > n.low && n.value < n.high) {
			return fmt.Errorf("graph: %s has a %s of %g; it lies between %g and %g, or is 0 if it is not known",
				e.prior, n.field, n.value, n.low, n.high)
		}
	}
	if !(e.levelSD >= 0) || math.IsInf(e.levelSD, 1) || math.IsNaN(e.level) || math.IsInf(e.level, 0) {
		return fmt.Errorf("graph: %s has a level of %g with the sd %g; both must be finite and the sd not negative",
			e.prior, e.level, e.levelSD)
	}
	return nil
}

// unknown returns the parameters whose numbers are 0. A label comes before their names.
func (e effect) unknown() (all []law.Parameter) {
	for _, n := range e.numbers {
		if n.value != 0 {
			continue
		}
		p := n.parameter
		if e.label != "" {
			p.Name = e.label + " " + p.Name
		}
		all = append(all, p)
	}
	return all
}

// values returns all numbers of a prior that its Check accepts, with the unknown ones from values.
func (e effect) values(check func() error, values []float64) ([]float64, error) {
	if err := check(); err != nil {
		return nil, err
	}
	if open := len(e.unknown()); open != len(values) {
		return nil, fmt.Errorf("graph: %s has %d unknown numbers, and %d values; gp.Unknown infers them", e.prior, open,
			len(values))
	}
	return e.all(values), nil
}

// all returns all numbers of a prior, with the unknown ones from values.
func (e effect) all(values []float64) []float64 {
	all := make([]float64, len(e.numbers))
	for k, n := range e.numbers {
		if all[k] = n.value; n.value == 0 {
			all[k], values = values[0], values[1:]
		}
	}
	return all
}

// numbered is a prior here with its covariance by all its numbers, the SD first, without the level.
type numbered interface {
	Check() error
	effect() effect
	covariance(v []float64) (*mat.SymDense, error)
}

// given returns the mean and the covariance of a prior, the level included, for values of its unknown numbers.
func given(p numbered, values []float64) (mean []float64, cov *mat.SymDense, err error) {
	v, err := p.effect().values(p.Check, values)
	if err != nil {
		return nil, nil, err
	}
	if cov, err = p.covariance(v); err != nil {
		return nil, nil, err
	}
	return p.effect().with(cov)
}

// with returns the mean and the covariance, to which it adds the level.
func (e effect) with(cov *mat.SymDense) ([]float64, *mat.SymDense, error) {
	n := cov.SymmetricDim()
	mean := make([]float64, n)
	for i := range n {
		mean[i] = e.level
		for j := i; j < n; j++ {
			v := cov.At(i, j) + e.levelSD*e.levelSD
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, fmt.Errorf("graph: the covariance of %s overflows; check its numbers", e.prior)
			}
			cov.SetSym(i, j, v)
		}
	}
	return mean, cov, nil
}

// text returns the numbers for the name of a prior.
func (e effect) text() string {
	var text string
	for _, n := range e.numbers {
		text += fmt.Sprintf(", %s=%g", n.parameter.Name, n.value)
	}
	return fmt.Sprintf("%s, level=%g, %g, %q", text, e.level, e.levelSD, e.label)
}

// gaussian returns a prior whose numbers are known.
func gaussian(f gp.Family) (*gp.Gaussian, error) {
	if c, ok := f.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	for _, p := range f.Unknown() {
		return nil, fmt.Errorf("graph: the %s of %v is not known; give it, or take gp.Unknown", p.Name, f)
	}
	mean, cov, err := f.Given(nil)
	if err != nil {
		return nil, err
	}
	return gp.New(mean, cov)
}

// structureOf returns the structure of a prior for an interaction: its covariance for an SD of 1.
func structureOf(p numbered, values []float64) (*mat.SymDense, error) {
	v := p.effect().all(values)
	v[0] = 1
	if own, ok := p.(interface {
		structure(v []float64) (*mat.SymDense, error)
	}); ok {
		return own.structure(v)
	}
	return p.covariance(v)
}

package graph

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/law"
)

// Kronecker is the product of a prior of times and one of areas: Cov(x₀(t, i), x₀(u, j)) = K_time(t, u) K_area(i, j),
// with the mean Level. Both may be any gp.Family. Their means do not count, and of their standard deviations only the
// product does: give one of them as 1. Cell t·areas + i is area i at time t.
type Kronecker struct {
	Time, Area gp.Family
	Level      float64
}

// Check refuses missing or impossible factors.
func (p Kronecker) Check() error {
	if p.Time == nil || p.Area == nil {
		return errors.New("graph: Kronecker needs a Time and an Area; give both")
	}
	if err := traits.Check(p.Time); err != nil {
		return err
	}
	return traits.Check(p.Area)
}

func (p Kronecker) String() string {
	return fmt.Sprintf("kronecker(%v, %v, level=%g)", p.Time, p.Area, p.Level)
}

// Dim returns the number of cells, times × areas.
func (p Kronecker) Dim() int { return p.Time.Dim() * p.Area.Dim() }

// Unknown returns the unknown numbers of both factors, named "time …" and "area …"; see [gp.Family].
func (p Kronecker) Unknown() []law.Parameter {
	return append(prefixed("time", p.Time.Unknown()), prefixed("area", p.Area.Unknown())...)
}

// prefixed puts a word before the names of parameters.
func prefixed(word string, of []law.Parameter) []law.Parameter {
	all := append([]law.Parameter(nil), of...)
	for k := range all {
		all[k].Name = word + " " + all[k].Name
	}
	return all
}

// factors returns the covariances of both factors.
func (p Kronecker) factors(values []float64) (time, area *mat.SymDense, err error) {
	if err := p.Check(); err != nil {
		return nil, nil, err
	}
	n := len(p.Time.Unknown())
	if len(values) < n {
		return nil, nil, fmt.Errorf("graph: %v has unknown numbers; give them, or take gp.Unknown for few cells", p)
	}
	if _, time, err = p.Time.Given(values[:n]); err == nil {
		_, area, err = p.Area.Given(values[n:])
	}
	return time, area, err
}

// Given returns the mean and the covariance of all cells for given values of the unknown numbers; see [gp.Family]. It
// has (times·areas)² entries; Field needs none of them.
func (p Kronecker) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	time, area, err := p.factors(values)
	if err != nil {
		return nil, nil, err
	}
	mean, cov = slices.Repeat([]float64{p.Level}, p.Dim()), mat.NewSymDense(p.Dim(), nil)
	addKronecker(cov, 1, time, area)
	return mean, cov, nil
}

// addKronecker adds factor · time ⊗ area to cov.
func addKronecker(cov *mat.SymDense, factor float64, time, area mat.Symmetric) {
	n := area.SymmetricDim()
	for t := range time.SymmetricDim() {
		for u := t; u < time.SymmetricDim(); u++ {
			f := factor * time.At(t, u)
			for i := range n {
				for j := range n {
					if a, b := t*n+i, u*n+j; a <= b {
						cov.SetSym(a, b, cov.At(a, b)+f*area.At(i, j))
					}
				}
			}
		}
	}
}

// Field returns the prior of known numbers, with exact moments for any number of cells.
func (p Kronecker) Field() (*Separable, error) {
	time, area, err := p.factors(nil)
	if err != nil {
		return nil, err
	}
	a, along, err := eigen(time)
	if err != nil {
		return nil, err
	}
	b, cross, err := eigen(area)
	if err != nil {
		return nil, err
	}
	variances := mat.NewDense(len(a), len(b), nil)
	variances.Apply(func(t, i int, _ float64) float64 { return max(0, a[t]) * max(0, b[i]) }, variances)
	return separable(p.String(), p.Level, along, cross, variances)
}

// ones returns a matrix of ones.
func ones(n int) *mat.SymDense {
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			m.SetSym(i, j, 1)
		}
	}
	return m
}

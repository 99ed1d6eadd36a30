package expfam

import (
	"fmt"
	"slices"
)

// Tuner makes the log-likelihood of observations at values of the unknown constants of a likelihood. Many goroutines
// may use it at once.
type Tuner struct {
	like  Likelihood
	obs   Observations
	cells int
	first *Forward // at the first values
}

// Tuner binds the likelihood to a number of cells and to observations, and checks both at the given values of
// [Likelihood.Unknowns].
func (l Likelihood) Tuner(cells int, obs Observations, values []float64) (*Tuner, error) {
	u := &Tuner{like: l, obs: obs, cells: cells}
	like, tuned, err := l.With(values, obs)
	if err != nil {
		return nil, err
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	if u.first, err = terms.Forward(cells); err != nil {
		return nil, err
	}
	if len(obs) != u.first.Data() {
		return nil, fmt.Errorf("%d observations of %d data; give one term for each cell, or for each row of an "+
			"operator", len(obs), u.first.Data())
	}
	return u, u.first.Check(tuned)
}

// At returns the log-likelihood at values of the constants.
func (u *Tuner) At(values []float64) (LogLikelihood, error) {
	if len(values) == 0 {
		return u.first.LogLikelihood(u.obs), nil
	}
	like, obs, err := u.like.With(values, u.obs)
	if err != nil {
		return LogLikelihood{}, err
	}
	if f := u.reuse(like); f != nil {
		return f.LogLikelihood(obs), nil
	}
	terms, err := like.Terms()
	if err != nil {
		return LogLikelihood{}, err
	}
	f, err := terms.Forward(u.cells)
	if err != nil {
		return LogLikelihood{}, err
	}
	return f.LogLikelihood(obs), nil
}

// reuse returns the first forward model with the families of a likelihood, or nil if a link is another one. A constant
// changes neither η, nor A, nor the coordinate of a family, so the formulas of the first are those of all.
func (u *Tuner) reuse(like Likelihood) *Forward {
	f := *u.first
	f.Parts = slices.Clone(f.Parts)
	for i, part := range like.Parts() {
		old := f.Parts[i].Terms
		if f.Parts[i].Sum != nil || old.Link.String() != part.link().String() {
			return nil
		}
		t := *old
		t.Family = part.Family
		t.own, _ = part.Family.(General)
		f.Parts[i].Terms = &t
	}
	return &f
}

package expfam

import (
	"errors"
	"fmt"
	"slices"
)

// Forward describes how each datum of a likelihood depends on the d cells: p(y | x₀) = ∏_k
// p(y_k | η_k) with η = H x₀ + offset, or with the sums of a [SumOf]. Without an operator
// datum k depends on cell k alone. [Terms.Forward] makes a Forward.
type Forward struct {
	Parts       []ForwardPart // one for each data set, in their order
	terms       *Terms        // of all data sets
	cells, data int
}

// Forward binds the likelihood to a number of cells. It returns an error if an operator has another number of cells, if
// its Adjoint is not the adjoint of its Apply, or if a datum depends on no cell.
func (t *Terms) Forward(cells int) (*Forward, error) {
	f := &Forward{terms: t, cells: cells}
	parts := t.Parts()
	for i, part := range parts {
		s, err := part.bind(cells)
		if err != nil && len(parts) > 1 {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
		if err != nil {
			return nil, err
		}
		s.First = f.data
		f.data += s.Rows
		f.Parts = append(f.Parts, s)
	}
	return f, nil
}

// Forward is [Terms.Forward] of the likelihood's [Likelihood.Terms].
func (l Likelihood) Forward(cells int) (*Forward, error) {
	t, err := l.Terms()
	if err != nil {
		return nil, err
	}
	return t.Forward(cells)
}

// Terms returns the terms of the whole likelihood.
func (f *Forward) Terms() *Terms { return f.terms }

// Plain reports whether there is one likelihood and each datum looks at its own cell.
func (f *Forward) Plain() bool { return len(f.Parts) == 1 && f.Parts[0].Operator == nil }

// Separate reports whether every datum looks at a single cell, at a multiple of x₀ⱼ or of its intensity.
func (f *Forward) Separate() bool {
	for _, s := range f.Parts {
		for k := range s.Rows {
			if s.Operator != nil && s.H.Start[k+1]-s.H.Start[k] > 1 {
				return false
			}
		}
	}
	return true
}

// Linear reports whether η is linear in x₀ for all data, that is, no datum is a sum of intensities.
func (f *Forward) Linear() bool {
	return !slices.ContainsFunc(f.Parts, func(s ForwardPart) bool { return s.Sum != nil })
}

// Check is [Observations.Check] for the data of this likelihood; it names the datum. It also refuses another number of
// observations than of data, and a statistic whose size (its exposure, its trials) is 0.
func (f *Forward) Check(obs Observations) error {
	if err := obs.check(f.Place()); err != nil {
		return err
	}
	if len(obs) != f.data {
		return fmt.Errorf("%d observations of %d data; give one term for each cell, or for each row of an operator, "+
			"and the zero Term where it is missing", len(obs), f.data)
	}
	for _, s := range f.Parts {
		if err := obs[s.First:s.First+s.Rows].sized(s.Terms.Family, f.Place(), s.First); err != nil {
			return err
		}
	}
	return nil
}

// Place returns the word for the place of an observation, "cell" or "datum".
func (f *Forward) Place() string { return placeName(f.Plain()) }

// Cells returns the number of cells d.
func (f *Forward) Cells() int { return f.cells }

// Data returns the number of data.
func (f *Forward) Data() int { return f.data }

// Look returns η of every datum at x₀, or log θ for a sum of intensities.
func (f *Forward) Look(x []float64) []float64 {
	eta := make([]float64, f.data)
	for _, s := range f.Parts {
		s.Places(x, eta[s.First:s.First+s.Rows])
	}
	return eta
}

// Theta returns θ of every datum at x₀, one data set after the other.
func (l Likelihood) Theta(x []float64) ([]float64, error) {
	f, err := l.Forward(len(x))
	if err != nil {
		return nil, err
	}
	theta := f.Look(x)
	for _, s := range f.Parts {
		part := theta[s.First : s.First+s.Rows]
		for k, eta := range part {
			part[k] = s.Terms.Link.At(eta)
		}
	}
	return theta, nil
}

// Parts returns the terms of each data set: t itself, or for [Together] those of every likelihood.
func (t *Terms) Parts() []*Terms {
	if t.parts == nil {
		return []*Terms{t}
	}
	return t.parts
}

// Sets returns the number of data sets: 1, or for [Together] the number of likelihoods.
func (t *Terms) Sets() int { return max(1, len(t.parts)) }

// Cellwise returns an error unless every datum depends on its own cell. Functions that do not
// support operators call it.
func (t *Terms) Cellwise() error {
	if t.Operator != nil || t.parts != nil {
		return errors.New("this method takes data of single cells only; diffusion.Sample, hmc, gmrf and " +
			"gp.Stationary take operators, and Posterior.Seen gives what the data look at")
	}
	return nil
}

// Row calls visit with each cell of datum k and its weight H_kj.
func (f *Forward) Row(k int, visit func(cell int, weight float64)) {
	s := f.Parts[f.partOf(k)]
	s.row(k-s.First, visit)
}

// partOf returns the number of the data set of datum k.
func (f *Forward) partOf(k int) int {
	return slices.IndexFunc(f.Parts, func(s ForwardPart) bool { return k < s.First+s.Rows })
}

package expfam

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Forward says how each datum of a likelihood depends on the d cells: p(y | x₀) = ∏_k
// p(y_k | η_k) with η = H x₀ + offset, or with the sums of a [SumOf]. Without an operator
// datum k depends on cell k alone. [Terms.Forward] makes a Forward.
type Forward struct {
	cells, data int
	sights      []sight
}

// sight is how the data of one likelihood look at the cells.
type sight struct {
	// terms are those of a datum as a function of η_k, or of log θ_k for a sum.
	terms *Terms
	// sum are the terms of a cell, whose link makes the intensities; nil if the
	// operator is none of intensities.
	sum *Terms
	op  Operator // nil: datum k looks at cell k
	// H, and the squares of its weights with their transpose.
	h, squared, squaredBack *sparse.Matrix
	offset                  []float64 // nil is 0
	first, rows             int       // its data are those from first on
}

// Forward binds the likelihood to a number of cells. It is an error if an operator has
// another number of cells, if its Adjoint is not the adjoint of its Apply, or if a datum
// depends on no cell.
func (t *Terms) Forward(cells int) (*Forward, error) {
	f := &Forward{cells: cells}
	parts := t.parts
	if parts == nil {
		parts = []*Terms{t}
	}
	for i, part := range parts {
		s, err := part.sight(cells)
		if err != nil && len(parts) > 1 {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
		if err != nil {
			return nil, err
		}
		s.first = f.data
		f.data += s.rows
		f.sights = append(f.sights, s)
	}
	return f, nil
}

// plain reports whether every datum looks at its own cell, of one likelihood.
func (f *Forward) plain() bool { return len(f.sights) == 1 && f.sights[0].op == nil }

// separate reports whether every datum looks at one cell, at x₀ or at a multiple of it.
func (f *Forward) separate() bool {
	return !slices.ContainsFunc(f.sights, func(s sight) bool {
		if s.op == nil {
			return false
		}
		joins := s.sum != nil
		for k := range s.rows {
			cells := 0
			s.h.Row(k, func(int, float64) { cells++ })
			joins = joins || cells > 1
		}
		return joins
	})
}

// Linear reports whether η is linear in x₀ for all data, that is, no datum is a sum of
// intensities.
func (f *Forward) Linear() bool {
	return !slices.ContainsFunc(f.sights, func(s sight) bool { return s.sum != nil })
}

// Check is [Observations.Check] for the data of this likelihood; it names the datum. It also
// refuses a statistic whose size (its exposure, its trials) is 0.
func (f *Forward) Check(obs Observations) error {
	if err := obs.check(f.place()); err != nil || len(obs) != f.data {
		return err // callers compare the lengths
	}
	for _, s := range f.sights {
		if err := obs[s.first:s.first+s.rows].sized(s.terms.Family, f.place(), s.first); err != nil {
			return err
		}
	}
	return nil
}

// place is what an observation is called.
func (f *Forward) place() string { return placeName(f.plain()) }

// Data is the number of data.
func (f *Forward) Data() int { return f.data }

// sight binds one likelihood.
func (t *Terms) sight(cells int) (sight, error) {
	if t.Operator == nil {
		return sight{terms: t, rows: cells}, nil
	}
	op := t.Operator
	s := sight{terms: t, op: op}
	if sum, ok := op.(SumOf); ok {
		op, s.sum = sum.Operator, t
		if err := t.summable(); err != nil {
			return s, err
		}
		var err error
		if s.terms, err = (Likelihood{Family: t.Family, Link: ExpLink}).Terms(); err != nil {
			return s, err
		}
	}
	rows, cols := op.Dims()
	if cols != cells {
		return s, fmt.Errorf("the operator %v looks at %d cells, and the prior has %d", op, cols, cells)
	}
	if rows < 1 {
		return s, fmt.Errorf("the operator %v has %d data; it needs at least 1", op, rows)
	}
	var err error
	if s.h, err = matrixOf(op); err != nil {
		return s, err
	}
	if o, ok := op.(OffsetOperator); ok {
		s.offset = o.Offset()
	}
	s.rows = rows
	if err := s.check(op); err != nil {
		return s, err
	}
	if s.offset == nil && s.h.Identity() { // what it looks at is the cell, of a sum as well
		return sight{terms: t, rows: rows}, nil
	}
	s.squared = s.h.Squared()
	s.squaredBack = s.squared.Transpose()
	return s, nil
}

// summable is an error unless θ may be any positive number.
func (t *Terms) summable() error {
	if t.own != nil || t.natural.Low != 0 || !math.IsInf(t.natural.High, 1) {
		return fmt.Errorf("the theta of %v lies in %s; a sum of intensities needs a family whose theta is any positive number, such as Poisson", t.Family, interval(t.natural))
	}
	return nil
}

// check refuses weights that mean nothing.
func (s sight) check(op Operator) error {
	if len(s.offset) > 0 && len(s.offset) != s.rows {
		return fmt.Errorf("the operator %v has %d data and an offset of %d", op, s.rows, len(s.offset))
	}
	for k := range s.rows {
		if s.offset != nil {
			if o := s.offset[k]; math.IsNaN(o) || math.IsInf(o, 0) || s.sum != nil && o < 0 {
				return fmt.Errorf("datum %d of the operator %v has the offset %g; it must be finite, and not negative where intensities are summed", k, op, o)
			}
		}
		if s.h.Start[k] == s.h.Start[k+1] {
			return fmt.Errorf("datum %d of the operator %v looks at no cell; leave it out", k, op)
		}
		for i := s.h.Start[k]; i < s.h.Start[k+1]; i++ {
			if w := s.h.Weight[i]; s.sum != nil && w < 0 {
				return fmt.Errorf("datum %d of the operator %v has the weight %g at cell %d; weights must not be negative where intensities are summed", k, op, w, s.h.Cell[i])
			}
		}
	}
	return nil
}

// places puts η of every datum at x into eta, or log θ for a sum of intensities. For a sum it
// returns the slopes f′(xⱼ) of the cells' link.
func (s sight) places(x, eta []float64) (slopes []float64, err error) {
	if s.op == nil {
		copy(eta, x)
		return nil, nil
	}
	from := x
	if s.sum != nil {
		from, slopes = make([]float64, len(x)), make([]float64, len(x))
		if err := linkSlopes(s.sum.Link, x, from, slopes); err != nil {
			return nil, err
		}
	}
	s.h.MulVec(eta, from)
	for k := range eta {
		if s.offset != nil {
			eta[k] += s.offset[k]
		}
		if s.sum != nil {
			eta[k] = math.Log(eta[k])
		}
	}
	return slopes, nil
}

// pull adds the gradient in x of a function whose gradient in η is given.
func (s sight) pull(slope, gradient, eta, slopes []float64) {
	if s.op == nil {
		for j, v := range gradient {
			slope[j] += v
		}
		return
	}
	if s.sum != nil {
		gradient = slices.Clone(gradient)
		for k := range gradient {
			gradient[k] /= math.Exp(eta[k])
		}
	}
	part := make([]float64, len(slope))
	s.h.MulTransVec(part, gradient)
	for j, v := range part {
		if slopes != nil {
			v *= slopes[j]
		}
		slope[j] += v
	}
}

// Look gives η of every datum at x₀, or log θ for a sum of intensities.
func (f *Forward) Look(x []float64) ([]float64, error) {
	eta := make([]float64, f.data)
	for _, s := range f.sights {
		if _, err := s.places(x, eta[s.first:s.first+s.rows]); err != nil {
			return nil, err
		}
	}
	return eta, nil
}

// Theta is θ of every datum at x₀: the data sets one after the other.
func (l Likelihood) Theta(x []float64) ([]float64, error) {
	terms, err := l.Terms()
	if err != nil {
		return nil, err
	}
	f, err := terms.Forward(len(x))
	if err != nil {
		return nil, err
	}
	theta, err := f.Look(x)
	if err != nil {
		return nil, err
	}
	for _, s := range f.sights {
		part := theta[s.first : s.first+s.rows]
		LinkAt(s.terms.Link, part, part)
	}
	return theta, nil
}

// LogLikSlope is log p(y | x₀) and writes its slope in every cell. It panics if a link
// function cannot be evaluated.
func (f *Forward) LogLikSlope(x []float64, obs Observations, slope []float64) float64 {
	if f.plain() {
		return f.sights[0].terms.LogLikSlope(x, obs, slope)
	}
	clear(slope)
	var total float64
	for _, s := range f.sights {
		eta, gradient := make([]float64, s.rows), make([]float64, s.rows)
		slopes, err := s.places(x, eta)
		if err != nil {
			panic(err)
		}
		total += s.terms.LogLikSlope(eta, obs[s.first:s.first+s.rows], gradient)
		s.pull(slope, gradient, eta, slopes)
	}
	return total
}

// Precision gives H and w ≥ 0 at x with −∂² log p(y | x₀) ≈ Hᵀ diag(w) H. Each row of H
// belongs to a datum. The formula is exact where η is linear in x₀ and the likelihood
// log-concave. For sums of intensities it leaves out the curvature of the link
// (Gauss–Newton).
func (f *Forward) Precision(x []float64, obs Observations) (rows func(k int, visit func(cell int, weight float64)), w []float64) {
	w = make([]float64, f.data)
	weights := make([]func(k int, visit func(int, float64)), len(f.sights))
	for i, s := range f.sights {
		eta := make([]float64, s.rows)
		slopes, err := s.places(x, eta)
		if err != nil {
			panic(err)
		}
		part := w[s.first : s.first+s.rows]
		s.terms.Informations(eta, obs[s.first:s.first+s.rows], part)
		for k, c := range part {
			part[k] = math.Max(c, 0)
		}
		weights[i] = func(k int, visit func(int, float64)) {
			switch {
			case s.op == nil:
				visit(k, 1)
			case s.sum == nil:
				s.h.Row(k, visit)
			default:
				s.h.Row(k, func(j int, v float64) { visit(j, v*slopes[j]/math.Exp(eta[k])) })
			}
		}
	}
	return func(k int, visit func(int, float64)) {
		for i, s := range f.sights {
			if k < s.first+s.rows {
				weights[i](k-s.first, visit)
				return
			}
		}
	}, w
}

// Informations writes the information −∂² log p(y_k | η_k) of every datum into out. The
// derivative is with respect to η_k, or to log θ_k for a sum of intensities.
// [Forward.Look] makes eta.
func (f *Forward) Informations(eta []float64, obs Observations, out []float64) {
	for _, s := range f.sights {
		end := s.first + s.rows
		s.terms.Informations(eta[s.first:end], obs[s.first:end], out[s.first:end])
	}
}

// Bends gives f″(xⱼ)/f′(xⱼ) in every cell for datum k, where f is the intensity that the
// datum sums. It is nil for a datum that sums no intensities. It panics if a link cannot be
// evaluated near x.
func (f *Forward) Bends(x []float64) func(k int) []float64 {
	const step = 1e-4
	of := make([][]float64, len(f.sights))
	for i, s := range f.sights {
		if s.sum == nil {
			continue
		}
		at, values := make([]float64, len(x)), make([]float64, len(x))
		slopes := func(by float64) []float64 {
			for j, v := range x {
				at[j] = v + by
			}
			out := make([]float64, len(x))
			if err := linkSlopes(s.sum.Link, at, values, out); err != nil {
				panic(err)
			}
			return out
		}
		ahead, here, behind := slopes(step), slopes(0), slopes(-step)
		of[i] = make([]float64, len(x))
		for j, v := range here {
			of[i][j] = (ahead[j] - behind[j]) / (2 * step * v)
		}
	}
	return func(k int) []float64 {
		for i, s := range f.sights {
			if k < s.first+s.rows {
				return of[i]
			}
		}
		return nil
	}
}

// operatorCells is the number of cells that an operator of the likelihood looks at, 1 if
// there is none.
func (t *Terms) operatorCells() int {
	if t.Operator != nil {
		_, cells := t.Operator.Dims()
		return cells
	}
	for _, part := range t.parts {
		if part.Operator != nil {
			return part.operatorCells()
		}
	}
	return 1
}

// Sets is the number of data sets: 1, or for [Together] the number of likelihoods.
func (t *Terms) Sets() int { return max(1, len(t.parts)) }

// Cellwise is an error unless every datum depends on its own cell. Functions that do not
// support operators call it.
func (t *Terms) Cellwise() error {
	if t.Operator != nil || t.parts != nil {
		return errors.New("this method takes data of single cells only; expfam.Sample, hmc, gmrf and gp.Stationary take operators, and Posterior.Seen gives what the data look at")
	}
	return nil
}

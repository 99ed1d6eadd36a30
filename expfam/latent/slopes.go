package latent

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/columns"
)

// Nearby is a model at other values of its unknown numbers.
type Nearby struct {
	Values []float64 // of the field
	Data   Data
}

// Difference returns the differences of the log evidence E, and of the mode û, between two models on both sides of that
// of the approximation, to first order. With the log density f of the nodes,
//
//	∂E = ∂f + ½ ∂log|Q| − ½ tr P⁻¹ ∂P,  ∂û = P⁻¹ ∂f′,
//
// where ∂P follows the mode. P⁻¹ is needed in the pattern of P alone.
func (a *Around) Difference(low, high Nearby) (evidence float64, mode []float64, err error) {
	s, n := a.model, a.Rank()
	a.invert()
	x := make([]float64, len(s.field.Rows))
	slope, pull, work := make([]float64, len(x)), make([]float64, n), make([]float64, n)
	mode = make([]float64, n)
	q, c := make([]float64, len(a.prior.q)), make([]float64, len(a.prior.c)) // changes of the prior's precision
	s.field.Place(a.Mode, x)
	for side, m := range []Nearby{low, high} {
		sign := float64(2*side - 1)
		p, err := s.field.at(m.Values)
		if err != nil {
			return 0, nil, err
		}
		p.multiply(a.Mode, pull, 1)
		evidence += sign * (m.Data.LogLikSlope(x, slope) + p.logDet/2 - floats.Dot(a.Mode, pull)/2)
		s.field.Pull(work, slope)
		floats.Sub(work, pull)
		floats.AddScaled(mode, sign, work)
		floats.AddScaled(q, sign, p.q)
		floats.AddScaled(c, sign, p.c)
	}
	a.precision.solve(mode, work)
	d := make([]float64, len(s.pattern.Row)) // change of AᵀWA
	for side, m := range []Nearby{low, high} {
		sign := float64(2*side - 1)
		floats.AddScaledTo(work, a.Mode, sign/2, mode)
		s.field.Place(work, x)
		rows, w := m.Data.Precision(x)
		floats.Scale(sign, w)
		s.information(d, rows, w)
	}
	return evidence - a.trace(q, c, d)/2, mode, nil
}

// trace returns tr P⁻¹ ∂P for changes of Q, of C and of AᵀWA. It overwrites the last.
func (a *Around) trace(q, c, d []float64) (sum float64) {
	s := a.model
	for e, at := range s.from {
		d[at] += q[e]
	}
	for j := range a.Rank() {
		at := s.pattern.Start[j]
		sum += a.inverse[at] * d[at]
		for at++; at < s.pattern.Start[j+1]; at++ {
			sum += 2 * a.inverse[at] * d[at]
		}
	}
	for k, v := range c {
		sum += a.across[k] * v
	}
	return sum
}

// invert computes the entries of P⁻¹ in the pattern of P, and vᵀP⁻¹v for the columns v of the prior. With Y = L⁻ᵀW and
// M = (C⁻¹ + WᵀW)⁻¹
//
//	P⁻¹ = S⁻¹ − Y M Yᵀ,  VᵀP⁻¹V = C⁻¹ − C⁻¹ M C⁻¹.
func (a *Around) invert() {
	if a.inverse != nil {
		return
	}
	p, s := a.precision, a.model
	a.inverse = make([]float64, len(s.pattern.Row))
	p.Factor.Inverse(a.inverse)
	if p.middle == nil {
		return
	}
	n, k := p.w.Rows, p.w.Cols
	y := make([]float64, n*k)
	p.Backward(y, slices.Clone(p.w.Data), k)
	half := make([]float64, n*k)
	columns.MulAdd(1, columns.Rows(half, k), columns.Rows(y, k), columns.Rows(p.middle.RawMatrix().Data, k), n, k, k)
	for j := range n {
		row := half[j*k : (j+1)*k]
		for at := s.pattern.Start[j]; at < s.pattern.Start[j+1]; at++ {
			i := s.pattern.Row[at]
			a.inverse[at] -= floats.Dot(row, y[i*k:(i+1)*k])
		}
	}
	for c, v := range a.prior.c {
		a.across = append(a.across, 1/v-p.middle.At(c, c)/(v*v))
	}
}

package reconstruct

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// OSEM is [counts.RichardsonLucy] with ordered subsets of the data (Hudson & Larkin 1994, IEEE Trans. Med. Imaging
// 13): each iteration is a step of EM for the first subset, then one for the second, and so on. One iteration with n
// subsets progresses about as far as n iterations of EM. With one subset it is EM. With more subsets it does not
// converge to the maximum of the likelihood, but ends in a cycle.
//
// [counts.RichardsonLucy]: https://pkg.go.dev/github.com/expfam/lab/expfam/counts#RichardsonLucy
type OSEM struct {
	Iterations int // default 100
	// Subset has the subset of each datum, numbered from 0 without gaps. For a tomogram the angles can belong to the
	// subsets in turn. Default: datum k is in subset k modulo 8.
	Subset []int
}

// Estimate returns θ of every cell after the iterations.
func (o OSEM) Estimate(like expfam.Likelihood, obs expfam.Observations) ([]float64, error) {
	var last []float64
	err := o.run(like, obs, func(_ int, theta []float64) error { last = theta; return nil })
	return last, err
}

// Best returns the estimate after the number of iterations at which it is closest to the true θ, and that number. In
// practice it is not known, because it needs the truth. Best says what the method can achieve at most.
func (o OSEM) Best(like expfam.Likelihood, obs expfam.Observations, truth []float64) (theta []float64, iterations int,
	err error) {
	least := math.Inf(1)
	err = o.run(like, obs, func(i int, at []float64) error {
		sum, err := away(at, truth)
		if sum < least {
			least, iterations, theta = sum, i, append(theta[:0], at...)
		}
		return err
	})
	return theta, iterations, err
}

// run calls watch after each iteration, counted from 1, with the estimate.
func (o OSEM) run(like expfam.Likelihood, obs expfam.Observations, watch func(i int, theta []float64) error) error {
	e, err := newEvents(like, obs)
	if err != nil {
		return err
	}
	parts, err := o.parts(e)
	if err != nil {
		return err
	}
	theta, err := e.constant()
	if err != nil {
		return err
	}
	for i := range cmp.Or(o.Iterations, 100) {
		for _, part := range parts {
			part.step(theta)
		}
		if err := watch(i+1, theta); err != nil {
			return err
		}
	}
	return nil
}

// subset is a part of the data, with the memory of a step.
type subset struct {
	events
	sensitivity, ratio, expected []float64 // Hᵀe, Hᵀ(y/(Hθ + b)) and y/(Hθ + b)
}

// parts returns the subsets of the data.
func (o OSEM) parts(e *events) ([]*subset, error) {
	if o.Subset != nil && len(o.Subset) != e.h.Rows {
		return nil, fmt.Errorf("reconstruct: OSEM with %d entries of Subset for %d data; give one for each datum",
			len(o.Subset), e.h.Rows)
	}
	members := make([][]int, e.h.Rows)
	for k := range e.h.Rows {
		s := k % 8
		if o.Subset != nil {
			s = o.Subset[k]
		}
		if s < 0 || s >= e.h.Rows {
			return nil, fmt.Errorf("reconstruct: datum %d is in subset %d of OSEM; number subsets from 0", k, s)
		}
		members[s] = append(members[s], k)
	}
	var parts []*subset
	for s, data := range members {
		if len(data) == 0 {
			continue
		}
		if s > len(parts) {
			return nil, fmt.Errorf("reconstruct: subset %d of OSEM has no data; number subsets without gaps",
				len(parts))
		}
		part := &subset{sensitivity: make([]float64, e.h.Cols), ratio: make([]float64, e.h.Cols),
			expected: make([]float64, len(data))}
		part.h = newMatrix(len(data), e.h.Cols, func(i int, visit func(int, float64)) { e.h.Row(data[i], visit) })
		for _, k := range data {
			part.counts, part.exposure = append(part.counts, e.counts[k]), append(part.exposure, e.exposure[k])
			part.background = append(part.background, e.background[k])
		}
		part.h.MulTransVec(part.sensitivity, part.exposure)
		parts = append(parts, part)
	}
	return parts, nil
}

// step makes one step of EM, which changes theta.
func (p *subset) step(theta []float64) {
	p.h.MulVec(p.expected, theta)
	for k, v := range p.expected {
		// A datum without counts contributes 0, even if its expected count v is 0 as well.
		if v += p.background[k]; p.counts[k] > 0 {
			p.expected[k] = p.counts[k] / v
		} else {
			p.expected[k] = 0
		}
	}
	p.h.MulTransVec(p.ratio, p.expected)
	for j, s := range p.sensitivity {
		if s > 0 {
			theta[j] *= p.ratio[j] / s
		}
	}
}

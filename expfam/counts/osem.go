package counts

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// OSEM is [RichardsonLucy] with ordered subsets of the data (Hudson & Larkin 1994, IEEE Trans.
// Med. Imaging 13): each iteration is a step of EM for the first subset, then one for the
// second, and so on. One iteration with n subsets progresses about as far as n iterations of
// EM. With one subset it is EM. With more subsets it does not converge to the maximum of the
// likelihood, but ends in a cycle.
type OSEM struct {
	RichardsonLucy
	// Subset has the subset of each datum, numbered from 0 without gaps. For a tomogram the
	// angles can belong to the subsets in turn. Default: datum k is in subset k modulo Subsets.
	Subset []int
	// Subsets is the number of subsets if Subset is nil. Default 8.
	Subsets int
}

// Estimate returns θ of every cell after the iterations.
func (o OSEM) Estimate(like expfam.Likelihood, obs expfam.Observations) ([]float64, error) {
	m, err := newMissingData(like, obs)
	if err != nil {
		return nil, err
	}
	parts, err := o.parts(m)
	if err != nil {
		return nil, err
	}
	return o.iterate(m, func(theta []float64) {
		for _, part := range parts {
			part.step(theta)
		}
	})
}

// Best returns the estimate after the number of iterations at which it is closest to the true
// θ, and that number; see [RichardsonLucy.Best].
func (o OSEM) Best(like expfam.Likelihood, obs expfam.Observations, truth []float64) (theta []float64, iterations int,
	err error) {
	return o.best(truth, func(r RichardsonLucy) ([]float64, error) {
		o.RichardsonLucy = r
		return o.Estimate(like, obs)
	})
}

// parts returns the subsets of the data.
func (o OSEM) parts(m *missingData) ([]*missingData, error) {
	if o.Subset != nil && (len(o.Subset) != m.h.Rows || o.Subsets != 0) {
		return nil, fmt.Errorf("counts: OSEM with %d entries of Subset and %d Subsets for %d data; give one entry "+
			"for each datum and leave Subsets 0", len(o.Subset), o.Subsets, m.h.Rows)
	}
	n := o.Subsets
	if n == 0 {
		n = 8
	}
	if n < 1 || o.Subset == nil && n > m.h.Rows {
		return nil, fmt.Errorf("counts: OSEM with %d subsets of %d data; give between 1 and the number of data, or "+
			"0 for 8", n, m.h.Rows)
	}
	var members [][]int
	for k := range m.h.Rows {
		s := k % n
		if o.Subset != nil {
			s = o.Subset[k]
		}
		if s < 0 || s >= m.h.Rows {
			return nil, fmt.Errorf("counts: datum %d is in subset %d of OSEM; number subsets from 0", k, s)
		}
		for s >= len(members) {
			members = append(members, nil)
		}
		members[s] = append(members[s], k)
	}
	parts := make([]*missingData, len(members))
	for s, data := range members {
		if len(data) == 0 {
			return nil, fmt.Errorf("counts: subset %d of OSEM has no data; number subsets without gaps", s)
		}
		part := &missingData{h: sparse.New(len(data), m.h.Cols,
			func(i int, visit func(int, float64)) { m.h.Row(data[i], visit) })}
		for _, k := range data {
			part.counts = append(part.counts, m.counts[k])
			part.exposure = append(part.exposure, m.exposure[k])
			part.background = append(part.background, m.background[k])
		}
		parts[s] = part.ready()
	}
	return parts, nil
}

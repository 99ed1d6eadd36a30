package counts

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// RichardsonLucy is the classical estimate of intensities θ from Poisson counts of sums of intensities. The model has
// exposures e, an operator H ≥ 0 of [expfam.SumOf], and its offset b, the background:
//
//	y_k ~ Poisson(e_k ((H θ)_k + b_k)).
//
// It is the EM iteration towards the maximum of the likelihood (Richardson 1972, J. Opt.
// Soc. Am. 62; Lucy 1974, Astron. J. 79; Shepp & Vardi 1982, IEEE Trans. Med. Imaging 1),
//
//	θⱼ ← θⱼ / (Hᵀe)ⱼ · Σ_k H_kj y_k / ((H θ)_k + b_k),
//
// started at a constant. The likelihood never falls, and without a background the expected counts add up to the counts
// from the first iteration on. There is no prior: after some iterations the noise grows, so the number of iterations is
// the only regularisation. There are no draws. Cells on which no datum depends keep their first value.
type RichardsonLucy struct {
	// Iterations is the number of iterations. Default 100.
	Iterations int
	// Start has one positive intensity per cell, at which the iteration starts. Default: the
	// constant for which the expected counts, without the background, add up to the counts.
	Start []float64
	// Watch is called after each iteration, counted from 1, with the estimate, which it
	// must not keep. If it returns false the run ends early. Default: no calls.
	Watch func(iteration int, theta []float64) bool
}

// Estimate returns θ of every cell after the iterations.
func (r RichardsonLucy) Estimate(like expfam.Likelihood, obs expfam.Observations) ([]float64, error) {
	m, err := newMissingData(like, obs)
	if err != nil {
		return nil, err
	}
	r.Iterations = cmp.Or(r.Iterations, 100)
	if r.Iterations < 1 {
		return nil, fmt.Errorf("counts: %d iterations of Richardson-Lucy; ask for at least 1, or 0 for 100",
			r.Iterations)
	}
	theta, err := m.start(r.Start)
	if err != nil {
		return nil, err
	}
	for i := range r.Iterations {
		m.step(theta)
		if r.Watch != nil && !r.Watch(i+1, theta) {
			break
		}
	}
	return theta, nil
}

// Best returns the estimate with the least sum of squared differences from the true θ, and the
// number of iterations, up to Iterations, after which it is reached. In practice that number is
// not known, because it needs the truth. Best says what the method can achieve at most.
func (r RichardsonLucy) Best(like expfam.Likelihood, obs expfam.Observations, truth []float64) (theta []float64,
	iterations int, err error) {
	if err := checkTruth(truth); err != nil {
		return nil, 0, err
	}
	least, watch := math.Inf(1), r.Watch
	r.Watch = func(i int, at []float64) bool {
		if len(at) != len(truth) {
			err = fmt.Errorf("counts: the truth has %d cells, and the operator looks at %d", len(truth), len(at))
			return false
		}
		var sum float64
		for j, v := range at {
			sum += (v - truth[j]) * (v - truth[j])
		}
		if sum < least {
			least, iterations, theta = sum, i, append(theta[:0], at...)
		}
		return watch == nil || watch(i, at)
	}
	if _, failed := r.Estimate(like, obs); failed != nil {
		return nil, 0, failed
	}
	return theta, iterations, err
}

// checkTruth refuses a true θ that is NaN or infinite, to which no estimate is closest.
func checkTruth(truth []float64) error {
	for j, v := range truth {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("counts: the truth of cell %d is %g; give Best a finite intensity for every cell", j, v)
		}
	}
	return nil
}

// missingData has what an iteration needs. It is named after EM, for which the missing data are
// the counts that each cell contributes to each datum.
type missingData struct {
	h           *sparse.Matrix
	counts      []float64
	exposure    []float64
	background  []float64 // b, of every datum
	sensitivity []float64 // Hᵀe, of every cell
	expected    []float64 // H θ + b, and later y/(H θ + b)
	ratio       []float64 // Hᵀ(y/(H θ + b)), of every cell
}

func newMissingData(like expfam.Likelihood, obs expfam.Observations) (*missingData, error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	like = terms.Likelihood
	if _, ok := like.Family.(expfam.Poisson); !ok {
		return nil, fmt.Errorf("counts: Richardson-Lucy is for Poisson counts, the likelihood is %v", like)
	}
	sum, ok := like.Operator.(expfam.SumOf)
	if !ok {
		return nil, errors.New("counts: Richardson-Lucy is for sums of intensities; give the " +
			"likelihood the operator expfam.SumOf{…}")
	}
	op, ok := sum.Operator.(expfam.RowOperator)
	if !ok {
		return nil, fmt.Errorf("counts: Richardson-Lucy needs the rows of the operator %v; give "+
			"it the method Row of expfam.RowOperator", sum.Operator)
	}
	if c, ok := op.(expfam.Checker); ok {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("counts: %w", err)
		}
	}
	data, cells := op.Dims()
	if len(obs) != data {
		return nil, fmt.Errorf("counts: %d observations and an operator of %d data; give one term for each datum",
			len(obs), data)
	}
	if err := obs.Check(); err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	m := &missingData{h: sparse.New(data, cells, op.Row), counts: obs.Stats(), exposure: obs.Sizes(),
		background: make([]float64, data)}
	for i, w := range m.h.Weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("counts: the operator %v has the weight %g at cell %d; weights must be finite "+
				"and not negative", op, w, m.h.Cell[i])
		}
	}
	if o, ok := op.(expfam.OffsetOperator); ok {
		copy(m.background, o.Offset())
	}
	for k, b := range m.background {
		if !(b >= 0) || math.IsInf(b, 1) {
			return nil, fmt.Errorf("counts: datum %d has the background %g; it must be finite and not negative", k, b)
		}
	}
	return m.ready(), nil
}

// ready sets the sensitivity and allocates the memory of an iteration.
func (m *missingData) ready() *missingData {
	m.sensitivity, m.ratio, m.expected = make([]float64, m.h.Cols), make([]float64, m.h.Cols), make([]float64, m.h.Rows)
	m.h.MulTransVec(m.sensitivity, m.exposure)
	return m
}

// start returns a copy of the given intensities, or the default constant if none are given.
func (m *missingData) start(given []float64) ([]float64, error) {
	theta := make([]float64, len(m.sensitivity))
	if given != nil {
		if len(given) != len(theta) {
			return nil, fmt.Errorf("counts: Richardson-Lucy starts at %d cells, and the operator looks at %d",
				len(given), len(theta))
		}
		for j, v := range given {
			if !(v > 0) || math.IsInf(v, 1) {
				return nil, fmt.Errorf("counts: Richardson-Lucy starts at %g in cell %d; it must be positive and "+
					"finite", v, j)
			}
		}
		copy(theta, given)
		return theta, nil
	}
	var counts, seen float64
	for _, y := range m.counts {
		counts += y
	}
	for _, s := range m.sensitivity {
		seen += s
	}
	if !(counts > 0) || !(seen > 0) {
		return nil, errors.New("counts: every count is 0 or no datum is exposed; give data with at least one event")
	}
	for j := range theta {
		theta[j] = counts / seen
	}
	return theta, nil
}

// step makes one iteration, which changes theta.
func (m *missingData) step(theta []float64) {
	m.h.MulVec(m.expected, theta)
	for k, v := range m.expected {
		// A datum without counts contributes 0, even if its expected count v is 0 as well.
		if v += m.background[k]; m.counts[k] > 0 {
			m.expected[k] = m.counts[k] / v
		} else {
			m.expected[k] = 0
		}
	}
	m.h.MulTransVec(m.ratio, m.expected)
	for j, s := range m.sensitivity {
		if s > 0 {
			theta[j] *= m.ratio[j] / s
		}
	}
}

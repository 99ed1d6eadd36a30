package decide

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// folds is the number of parts of the draws by which a choice is valued.
const folds = 4

// savings values what a survey saves of the loss of a decision. One who chooses by the same draws by which he values
// the choice takes the luck of these draws for knowledge: the largest of noisy means is larger than the mean of the
// largest one. A choice is therefore made by three quarters of the draws and valued by the last one, in turns. With the
// weights w of the draws after the survey, a₋ₖ the choice by these weights without part k, and b₋ₖ the choice by the
// weights before the survey, the survey saves
//
//	Σₖ Σ_{s ∈ part k} wₛ (L(b₋ₖ, θₛ) − L(a₋ₖ, θₛ)).
//
// A survey that changes no choice saves 0, without noise.
type savings struct {
	problem Problem
	table   *table
	perfect float64 // the value of perfect information
	// unseen bounds what perfect information is worth by truths that none of the draws has: the most that a draw saves,
	// with the probability of the next draw.
	unseen float64
}

// decision is a [Value] that is the loss of a decision.
type decision interface {
	savings(post *expfam.Posterior) (*savings, error)
}

// savings implements decision.
func (v LossOf) savings(post *expfam.Posterior) (*savings, error) {
	x, err := targets(post, v.Through)
	if err != nil {
		return nil, err
	}
	d := &expfam.Draws{X: x}
	t, err := v.Problem.read(d)
	if err != nil {
		return nil, err
	}
	c, err := v.Problem.Choose(d)
	if err != nil {
		return nil, err
	}
	most, draws := 0.0, t.save.RawMatrix().Rows
	for i := range draws {
		most = max(most, floats.Norm(t.save.RawRowView(i), 1))
	}
	return &savings{v.Problem, t, c.Perfect, most / float64(draws+1)}, nil
}

// choices returns, for each row of weights, the choice without each part of the draws. A choice is nil if no weight is
// left.
func (s *savings) choices(weights *mat.Dense) [][folds][]bool {
	n, draws := weights.Dims()
	_, districts := s.table.save.Dims()
	out := make([][folds][]bool, n)
	parallel.For(n, draws*districts, func(m int) {
		var sums [folds][]float64
		var left [folds]float64
		for k := range sums {
			sums[k] = make([]float64, districts)
		}
		total, all := make([]float64, districts), 0.0
		for i, w := range weights.RawRowView(m) {
			if w == 0 {
				continue
			}
			row := s.table.save.RawRowView(i)
			floats.AddScaled(total, w, row)
			floats.AddScaled(sums[i%folds], w, row)
			all, left[i%folds] = all+w, left[i%folds]+w
		}
		for k := range sums {
			if rest := all - left[k]; rest > 1e-9*all {
				floats.SubTo(sums[k], total, sums[k])
				floats.Scale(1/rest, sums[k])
				out[m][k], _ = s.problem.best(sums[k], s.table.costs)
			}
		}
	})
	return out
}

// before returns a function of the weights after a survey that gives what it saves one who chose by the weights before,
// for each row, and the part of each draw in the error of the mean of the rows: for the savings Dₘₛ of draw s in row m
// of n, whose mean under the weights of the row is Dₘ, that is Σₘ wₘₛ (Dₘₛ − Dₘ)/n. The error of a mean under weights
// is the sum of such parts (Hesterberg 1995), and draws are the same in all rows.
func (s *savings) before(weights *mat.Dense) func(after *mat.Dense) (saved, parts []float64) {
	old := s.choices(weights)
	return func(after *mat.Dense) (saved, parts []float64) {
		now := s.choices(after)
		n, draws := after.Dims()
		saved, parts = make([]float64, n), make([]float64, draws)
		row := make([]float64, draws)
		for m := range now {
			clear(row)
			changed := false
			for k := range folds {
				a, b := now[m][k], old[m][k]
				for d := range a {
					if b == nil || a[d] == b[d] {
						continue
					}
					changed = true
					sign := 1.0
					if b[d] {
						sign = -1
					}
					for i := k; i < draws; i += folds {
						row[i] += sign * s.table.save.At(i, d)
					}
				}
			}
			if !changed {
				continue
			}
			w := after.RawRowView(m)
			saved[m] = floats.Dot(w, row)
			for i, v := range row {
				parts[i] += w[i] * (v - saved[m]) / float64(n)
			}
		}
		return saved, parts
	}
}

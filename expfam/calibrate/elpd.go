package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Elpd is the expected log density of new data, which leave-one-out ([LOO]), thinning
// ([Thinning]) or data held out estimate: one log density a datum, in nats. Of two models of the
// same data the one with the higher sum predicts better. [Compare] ranks them.
type Elpd struct {
	Method    string // "psis-loo", "thinning"
	Data      []int  // the numbers of the data
	Pointwise Scores // log density of every datum, given other data
	// P is the effective number of parameters: how much better the model predicts data that
	// it has seen, Σ log p(y_k | y) − log p(y_k | other data). NaN where that is unknown.
	P float64
	// K are the Pareto shapes of leave-one-out; nil of other methods. Above Limit the weights
	// of a datum are too heavy-tailed to trust.
	K     []float64
	Limit float64
	// Refitted are the data, by their place in Data, that were left out for real.
	Refitted []int
}

// Total is the sum over data with its standard error √(n Var), Var the variance over data. It takes
// data as independent of each other, and misses that a model was chosen: it is too small for
// few data.
func (e *Elpd) Total() Estimate {
	n := float64(len(e.Pointwise))
	return Estimate{Mean: floats.Sum(e.Pointwise), SE: math.Sqrt(n * stat.Variance(e.Pointwise, nil)), N: len(e.Pointwise)}
}

// High are the places in Data whose Pareto k is above the limit and that were not refitted.
func (e *Elpd) High() []int {
	var high []int
	done := make(map[int]bool)
	for _, k := range e.Refitted {
		done[k] = true
	}
	for k, v := range e.K {
		if v > e.Limit && !done[k] {
			high = append(high, k)
		}
	}
	return high
}

// Warning says what is wrong with the estimate, "" if nothing is known.
func (e *Elpd) Warning() string {
	if high := e.High(); len(high) > 0 {
		return fmt.Sprintf("%d k > %.2f", len(high), e.Limit)
	}
	return ""
}

// String is the estimate in a line.
func (e *Elpd) String() string {
	s := fmt.Sprintf("elpd %v nats (%s, %d data", e.Total(), e.Method, len(e.Pointwise))
	if !math.IsNaN(e.P) {
		s += fmt.Sprintf(", %.1f effective parameters", e.P)
	}
	if n := len(e.Refitted); n > 0 {
		s += fmt.Sprintf(", %d refitted", n)
	}
	if w := e.Warning(); w != "" {
		s += ", " + w + ": set LOO.Refit"
	}
	return s + ")"
}

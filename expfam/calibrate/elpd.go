package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Elpd is the expected log density of new data. Leave-one-out ([LOO]), thinning ([Thinning]) or
// held-out data estimate it by one log density for each datum, in nats. Of two models of the same
// data, the model with the higher sum predicts better. [Compare] ranks models.
type Elpd struct {
	Method    string // "psis-loo", "thinning"
	Data      []int  // the numbers of the data
	Pointwise Scores // log density of every datum, given other data
	// P is the effective number of parameters: Σ log p(y_k | y) − log p(y_k | other data). It
	// says how much better the model predicts data that it has seen. NaN if unknown.
	P float64
	// K has the Pareto shape of each datum for leave-one-out, and is nil for other methods. If
	// a shape is above Limit, the estimate of its datum cannot be trusted.
	K     []float64
	Limit float64
	// Refitted lists the data, by their place in Data, for which the model was fitted again without the datum.
	Refitted []int
}

// Total returns the sum over data with its standard error √(n Var), where Var is the variance over data. The standard
// error treats data as independent, and ignores that a model was chosen. It is too small for few data.
func (e *Elpd) Total() Estimate {
	n := float64(len(e.Pointwise))
	return Estimate{Mean: floats.Sum(e.Pointwise), SE: math.Sqrt(n * stat.Variance(e.Pointwise, nil)),
		N: len(e.Pointwise)}
}

// High returns the places in Data of the data whose Pareto k is above the limit and that were not refitted.
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

// Warning says what is wrong with the estimate. It is "" if no fault is known.
func (e *Elpd) Warning() string {
	if high := e.High(); len(high) > 0 {
		return fmt.Sprintf("%d k > %.2f", len(high), e.Limit)
	}
	return ""
}

// String returns the estimate in one line.
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

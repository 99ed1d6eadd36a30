// Package newton maximises log densities by damped Newton steps.
package newton

import (
	"context"
	"math"
)

// Problem is a function f to maximise. It keeps the present point, from which the steps start.
type Problem interface {
	// Direction finds the Newton step d = −(∇²f)⁻¹ ∇f at the present point. The decrement is ∇fᵀd, twice the gain of
	// the quadratic approximation at the point. done ends the climb by a criterion of the problem.
	Direction() (decrement float64, done bool, err error)
	// Try returns f at the present point plus size times the step, or −Inf where f is not finite.
	Try(size float64) float64
	// Take makes the point that was tried last the present one.
	Take()
}

// Options says when a climb ends and which steps it takes.
type Options struct {
	Steps int // largest number of steps
	// Done is the decrement below which the present point counts as the maximum.
	Done float64
	// Safe is a decrement below which a step is taken if the value there is finite. The gain is then hidden by
	// rounding, and the Newton step is right.
	Safe float64
	// Armijo is the least gain of a step, as a share of the decrement times the size.
	Armijo float64
	// Slack is the largest loss of a full step, as a share of |f|.
	Slack float64
	// Least bounds the sizes that are tried from below. Sizes start at 1 and are halved.
	Least float64
}

// Finite returns a log density, or −Inf where it is NaN or +Inf, as it is where numbers overflow.
func Finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 1) {
		return math.Inf(-1)
	}
	return v
}

// End is the reason why a climb ended.
type End int

const (
	Converged  End = iota
	NoGain         // no size of the step gains enough
	OutOfSteps     // Options.Steps steps were taken
)

// Result is where a climb ended.
type Result struct {
	Value     float64 // f at the last point
	Steps     int     // number of steps taken
	Decrement float64 // the last one
	End       End
}

// Maximise climbs from the present point, at which f is value. The error is the error of the problem's Direction, or
// of ctx.
func Maximise(ctx context.Context, p Problem, value float64, o Options) (Result, error) {
	r := Result{Value: value}
	for {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		decrement, done, err := p.Direction()
		if err != nil {
			return r, err
		}
		// A decrement that is small and no longer falls is made of rounding errors.
		rounding := r.Steps > 0 && decrement < o.Safe && decrement >= r.Decrement
		if r.Decrement = decrement; done || decrement < o.Done || rounding {
			return r, nil
		}
		if r.Steps == o.Steps {
			r.End = OutOfSteps
			return r, nil
		}
		if !r.search(p, o) {
			r.End = NoGain
			return r, nil
		}
		r.Steps++
	}
}

// search takes the step with the first size that [Options] accepts. It reports whether there is such a size.
func (r *Result) search(p Problem, o Options) bool {
	for size := 1.0; size > o.Least; size /= 2 {
		value := p.Try(size)
		switch {
		case value >= r.Value+o.Armijo*size*r.Decrement && value > math.Inf(-1):
		case r.Decrement < o.Safe && !math.IsInf(value, -1) && !math.IsNaN(value):
		case size == 1 && value > r.Value-o.Slack*math.Abs(r.Value):
		default:
			continue
		}
		p.Take()
		r.Value = value
		return true
	}
	return false
}

// Package newton climbs log densities by damped Newton steps.
package newton

import (
	"context"
	"math"
)

// Problem is a function with a present point, from which its steps go.
type Problem interface {
	// Direction finds the Newton step d = −(∇²f)⁻¹ ∇f at the present point. The decrement
	// is ∇fᵀd, twice what the quadratic at the point has to gain; done ends the climb
	// for a reason of the problem's own.
	Direction() (decrement float64, done bool, err error)
	// Try is f at the present point plus size times the step; −Inf where it is not finite.
	Try(size float64) float64
	// Take makes the point that was tried last the present one.
	Take()
}

// Options bound a climb.
type Options struct {
	Steps int // at most
	// Done is the decrement below which the present point is the maximum.
	Done float64
	// Safe is a decrement below which every finite step is taken: rounding hides what
	// there is to gain, and Newton's step is right.
	Safe float64
	// Armijo is the share of the decrement, times the size, that a step has to gain.
	Armijo float64
	// Slack is the share of |f| that a full step may lose.
	Slack float64
	// Least is the smallest size that is tried; sizes are halved.
	Least float64
}

// End is why a climb ended.
type End int

const (
	Converged  End = iota
	NoGain         // no size gains
	OutOfSteps     // after Options.Steps
)

// Result is where a climb ended.
type Result struct {
	Value     float64 // f there
	Steps     int     // that were taken
	Decrement float64 // the last one
	End       End
}

// Maximise climbs from the present point, at which f is value. The error is the problem's or
// that of ctx.
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
		if r.Decrement = decrement; done || decrement < o.Done {
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

// search takes the first size that gains enough.
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

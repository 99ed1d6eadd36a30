package expfam

import (
	"fmt"
	"math"
)

// Known is a constant of one observation that is known besides y: a standard deviation σ,
// an exposure, a number of trials, a shape. The zero value means that no constant is given,
// and that the family's own constant holds.
type Known struct {
	value float64
	given bool
}

// Given returns the known constant v.
func Given(v float64) Known { return Known{v, true} }

// Or returns the constant if one is given, and otherwise own.
func (k Known) Or(own float64) float64 {
	if k.given {
		return k.value
	}
	return own
}

// Zero reports whether a constant is given and is 0. An exposure of 0, or 0 trials, means
// that nothing was observed.
func (k Known) Zero() bool { return k.given && k.value == 0 }

// constant returns the known constant that holds: the one given with the observation, else the family's
// own, else, if that is 0, the fallback.
func constant(known Known, own, fallback float64) float64 {
	if own == 0 {
		own = fallback
	}
	return known.Or(own)
}

// Known returns the known constant with which one observation of a family has the size of the term: none, the
// size itself (exposure, trials, successes, shape), or 1/√size (σ). It is an error if no single observation
// has this size. The sum of several observations may have such a size.
func (t Term) Known(family Family, theta float64) (Known, error) {
	for _, known := range []Known{{}, Given(t.Size), Given(1 / math.Sqrt(t.Size))} {
		if got, err := sizeOf(family, theta, known); err == nil && math.Abs(got-t.Size) <= 1e-9*t.Size {
			return known, nil
		}
	}
	return Known{}, fmt.Errorf("no single observation of %v has size %g; take its replicates one by one", family,
		t.Size)
}

// sizeOf returns the size of one observation with a known constant. If the family panics, it returns an error.
func sizeOf(family Family, theta float64, known Known) (size float64, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v", reason)
		}
	}()
	t, err := family.Reduce(family.Rand(theta, known, Stream(0, "known")), known)
	return t.Size, err
}

package expfam

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

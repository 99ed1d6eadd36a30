package expfam

// Known is a constant of one observation that is known besides y: a standard deviation σ,
// an exposure, a number of trials, a shape. The zero value means that none is given; the
// family's own constant holds.
type Known struct {
	value float64
	given bool
}

// Given is a known constant.
func Given(v float64) Known { return Known{v, true} }

// Or is the constant if one is given, and else own.
func (k Known) Or(own float64) float64 {
	if k.given {
		return k.value
	}
	return own
}

// Zero reports whether a constant is given and is 0. An exposure of 0, or 0 trials, means
// that nothing was observed.
func (k Known) Zero() bool { return k.given && k.value == 0 }

// constant is the known constant that holds: the observation's, the family's or the
// default.
func constant(known Known, own, fallback float64) float64 {
	if own == 0 {
		own = fallback
	}
	return known.Or(own)
}

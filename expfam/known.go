package expfam

// Known is the constant that is known of one observation beside its y: a standard
// deviation σ, an exposure, a number of trials, a shape. The zero value is none:
// the constant of the family itself holds.
type Known struct {
	value float64
	given bool
}

// Given is a known constant.
func Given(v float64) Known { return Known{v, true} }

// Or is the constant if one is given, else the family's own.
func (k Known) Or(own float64) float64 {
	if k.given {
		return k.value
	}
	return own
}

// Zero tells that a constant is given and is 0: an exposure or a number of trials of 0,
// with which nothing is observed.
func (k Known) Zero() bool { return k.given && k.value == 0 }

// constant is the known constant that holds: the observation's, the family's or the
// default.
func constant(known Known, own, fallback float64) float64 {
	if own == 0 {
		own = fallback
	}
	return known.Or(own)
}

package expfam

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Known is a constant of one observation that is known besides y: a standard deviation σ, an exposure, a number of
// trials, a shape. The zero value means that no constant is given, and that the family's own constant holds.
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

// Zero reports whether a constant is given and is 0. An exposure of 0, or 0 trials, means that nothing was observed.
func (k Known) Zero() bool { return k.given && k.value == 0 }

// constant returns the known constant that holds: the one given with the observation, else the family's
// own, else, if that is 0, the fallback.
func constant(known Known, own, fallback float64) float64 {
	own = cmp.Or(own, fallback)
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

// knownConstant names the known constant of a family.
type knownConstant struct {
	what    string  // "the number of successes r"
	field   string  // the field of the family that sets it for all data
	own     float64 // the value of that field, 0 if it is not set
	role    role
	instead string // what to do if a shape of thousands is meant
}

// role is what a known constant does to the distribution of y. Another constant than trials is no number of people.
type role int

const (
	ofTrials    role = iota
	ofSpread         // the standard deviation of y
	ofLogSpread      // the standard deviation of log y
	ofShape          // the larger it is, the less y scatters
	ofPlace          // a mean or a bound
)

// twice refuses known constants that differ from the constant that the family itself has, because one of the two would
// be dropped without a word.
func (l Likelihood) twice(d Data, name string) error {
	f, ok := l.Family.(interface{ known() knownConstant })
	if !ok || f.known().own == 0 {
		return nil
	}
	k := f.known()
	for _, row := range d.Known {
		for j, v := range row {
			if v != k.own && v != 0 && !math.IsNaN(v) {
				return fmt.Errorf("expfam: observe: %v has %s = %g of its own, and %s is the same constant: %s, "+
					"with %g for cell %d; leave one of the two out%s",
					l.Family, k.field, k.own, name, k.what, v, j, exposureHint(l.Family))
			}
		}
	}
	return nil
}

// exposureHint explains how populations enter a family of counts whose known constant is no exposure.
func exposureHint(f Family) string {
	n, ok := f.(NegativeBinomial)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; for counts of mean N theta in populations N take expfam.NB2{Dispersion: %g}, of the same "+
		"distribution, in which known constants are exposures", 1/constant(Known{}, n.Successes, 1))
}

// mostShape is the largest shape, or number of successes, that half of the data may exceed. Above it the distribution
// of y is a Poisson or a normal distribution for all purposes.
const mostShape = 1000

// meant refuses known constants that are no constants of the family: numbers of people in the place of a standard
// deviation, a shape or a mean. They are refused if
//
//   - the family has a constant of its own;
//   - they are shapes, most of more than a thousand;
//   - they are standard deviations, even the smallest more than thirty times the range of y. Three data would have such
//     a range with a probability below (1/75)³, whatever x₀;
//   - y are counts, and they are whole numbers, most of a hundred and more and none below its y, as populations are.
func (l Likelihood) meant(d Data, by door) error {
	if d.Known == nil {
		return nil
	}
	if err := l.twice(d, by.known); err != nil {
		return err
	}
	f, ok := l.Family.(interface{ known() knownConstant })
	if !ok || f.known().role == ofTrials {
		return nil
	}
	k := f.known()
	y, known, _ := d.seen()
	if len(known) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(known))
	least, middle, most := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
	reason := ""
	switch {
	case k.role == ofShape && middle > mostShape:
		reason = k.instead
	case least > 30*k.role.rangeOf(y) && len(y) > 2:
		reason = "even the smallest is more than 30 times the range of the data"
	case middle >= 100 && populations(y, known):
		reason = "y are counts, and these are whole numbers like populations, none below its y"
		if k.role == ofSpread {
			reason += "; if they are meant, give y and them in another unit, such as thousands"
		}
	default:
		return nil
	}
	return fmt.Errorf("expfam: observe: %s of %g to %g is %s in %v, not an exposure: %s; for counts of populations "+
		"take expfam.Poisson{} or expfam.Binomial{}%s",
		by.known, least, most, k.what, l.Family, reason, exposureHint(l.Family))
}

// seen lists all y that are not missing, with their known constants, or 0 if none are given, and their indices.
func (d Data) seen() (y, known []float64, places [][2]int) {
	for i, row := range d.Y {
		for j, v := range row {
			if !d.missing(i, j) {
				y, known, places = append(y, v), append(known, d.known(i, j).Or(0)), append(places, [2]int{i, j})
			}
		}
	}
	return y, known, places
}

// rangeOf returns the range of y, or of log y, if the constant is its standard deviation. It is infinite if it is
// not, or if all y are equal, which carries no information about their scatter.
func (r role) rangeOf(y []float64) float64 {
	low, high := slices.Min(y), slices.Max(y)
	if r == ofLogSpread {
		low, high = math.Log(low), math.Log(high)
	}
	if r != ofSpread && r != ofLogSpread || !(high > low) {
		return math.Inf(1)
	}
	return high - low
}

const (
	// farReplicates is the number of standard deviations from which the difference of two readings of one place is
	// refused.
	farReplicates = 30
	// farCounts is this number for counts, whose standard deviations nobody has to guess.
	farCounts = 15
)

// agree refuses a reading that contradicts the earlier readings of its place: their difference is many times the
// standard deviation that the known constants, or the family of counts, give it. No x₀ explains both, and their mean
// would look precise.
func (l Likelihood) agree(earlier, own Term) error {
	if f, ok := l.Family.(interface{ saturated(t Term) float64 }); ok && earlier.Size > 0 && own.Size > 0 {
		// Twice the log of the likelihood ratio is the square of a standard normal variable, up to its sign.
		both := f.saturated(earlier) + f.saturated(own) - f.saturated(earlier.Add(own))
		if off := math.Sqrt(math.Max(0, 2*both)); off > farCounts {
			return refuse(l.Family.String(), "y of %g in %g lies %.3g standard deviations from its earlier "+
				"replicates, %g in %g; take a family with overdispersion, or give each replicate a datum of its own "+
				"(operator.Select)", own.Stat, own.Size, off, earlier.Stat, earlier.Size)
		}
		return nil
	}
	f, ok := l.Family.(interface{ known() knownConstant })
	if !ok || earlier.Size == 0 || own.Size == 0 {
		return nil
	}
	scale := ""
	switch f.known().role {
	case ofSpread:
	case ofLogSpread:
		scale = " (of log y)"
	default:
		return nil
	}
	mean := earlier.Stat / earlier.Size
	off := math.Abs(own.Stat/own.Size-mean) / math.Sqrt(1/earlier.Size+1/own.Size)
	if !(off > farReplicates) {
		return nil
	}
	return refuse(l.Family.String(), "y lies %.3g standard deviations from the mean %g of its earlier "+
		"replicates%s; give larger standard deviations, or leave one out", off, mean, scale)
}

// xlogy returns x log y, which is 0 for x = 0 whatever y.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}

// populations reports whether y are counts and n are whole numbers of which none is below its y.
func populations(y, n []float64) bool {
	for i := range y {
		if y[i] < 0 || n[i] < y[i] || y[i] != math.Trunc(y[i]) || n[i] != math.Trunc(n[i]) {
			return false
		}
	}
	return true
}

package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// Scale turns the values of maps into colours, and is drawn as their colour bar. Maps with the same *Scale share it,
// and its range covers all their values. The zero Scale is linear and viridis.
type Scale struct {
	Label    string  // beside the bar, with the unit, as in "rate (per km²)"
	Palette  Palette // nil means Viridis, or Vik for a diverging scale
	Min, Max float64 // both zero: the range of the values; values outside take the colours of the ends
	Log      bool    // base-10 logarithmic; cells of 0 or less are grey, and counted in the note

	// Diverging gives Centre the middle colour of the palette. Equal differences from
	// Centre have colours of equal strength.
	Diverging bool
	Centre    float64

	NoBar bool // no colour bar, as for photographs

	plain bool // the values mean nothing, and the pointer does not show them
}

// colours is a scale whose range is decided.
type colours struct {
	Scale
	lo, hi       float64
	below, above bool // whether values lie outside of the range
	levels       int  // number of shades of the palette that are used
}

// resolve fixes the range over the values of all maps that share the scale.
func (s Scale) resolve(values [][]float64) (*colours, error) {
	if s.Palette == nil {
		s.Palette = Viridis
		if s.Diverging {
			s.Palette = Vik
		}
	}
	if s.Log && s.Diverging {
		return nil, fmt.Errorf("a scale cannot be logarithmic and diverging; map the logarithms of ratios")
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, z := range values {
		for _, v := range z {
			if !math.IsNaN(v) && !(s.Log && v <= 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	c := &colours{Scale: s, lo: lo, hi: hi}
	if s.Log && lo > hi {
		return nil, fmt.Errorf("no value is above 0, and a logarithmic scale shows no other; leave Log out")
	}
	if s.Min != 0 || s.Max != 0 {
		c.lo, c.hi = s.Min, s.Max
		if !finite(s.Min) || !finite(s.Max) || s.Min >= s.Max {
			return nil, fmt.Errorf("scale from Min %g to Max %g; both must be finite and Min below Max", s.Min, s.Max)
		}
		if s.Log && s.Min <= 0 {
			return nil, fmt.Errorf("logarithmic scale from Min %g; it must be positive", s.Min)
		}
		c.below, c.above = lo < c.lo, hi > c.hi
	} else if s.Diverging {
		half := max(math.Abs(lo-s.Centre), math.Abs(hi-s.Centre))
		c.lo, c.hi = s.Centre-half, s.Centre+half
	}
	if c.hi-c.lo <= 1e-12*max(math.Abs(c.lo), math.Abs(c.hi)) { // all values equal: a range around them
		if s.Log {
			c.lo, c.hi = max(c.lo/2, math.SmallestNonzeroFloat64), min(c.hi*2, math.MaxFloat64)
		} else {
			w := max(0.5, 0.1*math.Abs(c.lo))
			c.lo, c.hi = c.lo-w, c.hi+w
		}
	}
	if !finite(c.hi - c.lo) {
		return nil, fmt.Errorf("range %g to %g is not finite", c.lo, c.hi)
	}
	return c, nil
}

// share returns where a value lies in the range: from 0 to 1 inside of it.
func (c *colours) share(v float64) float64 {
	if c.Log {
		if ratio := c.hi / c.lo; finite(ratio) {
			return math.Log(v/c.lo) / math.Log(ratio)
		}
		return (math.Log(v) - math.Log(c.lo)) / (math.Log(c.hi) - math.Log(c.lo))
	}
	return (v - c.lo) / (c.hi - c.lo)
}

// tone returns the argument of the palette at a share of the range.
func (c *colours) tone(share float64) float64 {
	if !c.Diverging {
		return share
	}
	half := max(math.Abs(c.lo-c.Centre), math.Abs(c.hi-c.Centre))
	return 0.5 + (c.lo+share*(c.hi-c.lo)-c.Centre)/(2*half)
}

// tick returns labelled ticks along a bar of a length in px. On a linear scale there is about one each `each` px.
func (c *colours) tick(length, each float64) []plot.Tick {
	want := max(2, int(length/each))
	if !c.Log {
		return linearTicks(c.lo, c.hi, want)
	}
	return logTicks(c.lo, c.hi)
}

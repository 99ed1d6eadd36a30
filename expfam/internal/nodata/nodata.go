// Package nodata recognises numbers by which files mark values as missing, where no metadata say so.
package nodata

import (
	"math"
	"slices"
)

// strong are numbers that programs write for missing values, and that hardly occur as values.
var strong = []float64{-9999, -9999.9, -99999, -999999, -9999999, -32768, -32767, 32767, 65535, -2147483648,
	-2147483647, 2147483647, 4294967295, -1e10, -1e20, 1e20, -1e30, 1e30, 1e31, -1e34, 9.969209968386869e36, 1.70141e38,
	-3.4028234663852886e38, 3.4028234663852886e38, -math.MaxFloat64, math.MaxFloat64}

// weak are such numbers that occur as values now and then.
var weak = []float64{-77, -88, -99, -99.9, -99.99, -888, -999, -999.9, -999.99, -8888, 9999, 99999, 999999}

// nines are those of the weak that stand for nothing else where all other values are at least 0.
var nines = []float64{-99, -99.9, -99.99, -999, -999.9, -999.99}

// negative are such numbers where a value cannot be negative.
var negative = []float64{-1, -9}

const (
	huge     = 1e19 // few measurements reach this magnitude
	smallest = 76   // all strong and weak numbers are larger
)

// Suspect reports whether files use v to mark missing values. Only where v is impossible is this a reason to believe
// that v is such a mark; elsewhere see [Among].
func Suspect(v float64) bool {
	return in(strong, v) || in(weak, v) || in(negative, v) || math.Abs(v) > 1e30
}

// Among returns the first of [Marks], and reports whether there is one.
func Among(values []float64) (mark float64, found bool) {
	marks := Marks(values)
	if len(marks) == 0 {
		return 0, false
	}
	return marks[0], true
}

// Marks returns the numbers among values that mark missing values. NaN is left out. A number is taken for a mark if
// files use it for that, no value is beyond it, and a gap of at least half its magnitude parts it from all others. For
// a number that occurs as a value now and then, the gap must also be three times the range of the others, except for
// -99 and -999 below others that are at least 0. A number beyond 1e19 whose magnitude is a million times that of all
// others is a mark too.
func Marks(values []float64) (found []float64) {
	low, high, rest := math.Inf(1), math.Inf(-1), 0
	var marks []float64
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
		case math.Abs(v) > smallest && (in(strong, v) || in(weak, v) || math.Abs(v) > huge):
			if len(marks) < 64 && !in(marks, v) {
				marks = append(marks, v)
			} else if len(marks) == 64 {
				return nil // values of this magnitude are common here
			}
		default:
			low, high, rest = min(low, v), max(high, v), rest+1
		}
	}
	for _, v := range marks {
		size := math.Abs(v)
		if rest == 0 {
			if in(strong, v) && len(marks) == 1 && len(values) > 1 {
				found = append(found, v)
			}
			continue
		}
		gap, most := low-v, math.Max(math.Abs(low), math.Abs(high))
		if v > 0 {
			gap = v - high
		}
		switch {
		case in(strong, v) && gap >= size/2,
			in(weak, v) && gap >= size/2 && (gap >= 3*(high-low) || low >= 0 && in(nines, v)),
			size > huge && most <= size/1e6:
			found = append(found, v)
		}
	}
	return found
}

// in reports whether v is one of the numbers, also after rounding to single precision.
func in(numbers []float64, v float64) bool {
	return slices.ContainsFunc(numbers, func(n float64) bool { return v == n || v == float64(float32(n)) })
}

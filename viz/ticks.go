package viz

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks returns about want labelled ticks, at least two, inside [lo, hi]. They are the multiples of a step that
// is 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64, want int) []plot.Tick {
	raw := (hi - lo) / float64(want)
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	var ticks []plot.Tick
	for _, m := range []float64{10, 5, 2, 1, 0.5, 0.2} {
		if m*mag >= raw*(1-1e-9) || len(ticks) < 2 {
			ticks = ticksEach(lo, hi, m*mag)
		}
	}
	return ticks
}

// ticksEach returns labelled ticks at the multiples of a step.
func ticksEach(lo, hi, step float64) (ticks []plot.Tick) {
	decimals := int(-math.Floor(math.Log10(step)*(1+1e-12) + 1e-9))
	// Ends are widened by a rounding error's worth, so that a range of [0, 1] has its tick at 1.
	for k := math.Ceil(lo/step - 1e-9); k <= math.Floor(hi/step+1e-9); k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: label(k*step, decimals)})
		if k+1 == k { // neither end differs from the other by a step that a float64 can count
			break
		}
	}
	return ticks
}

// logTicks returns ticks at the powers of ten inside [lo, hi] and at multiples of them. Powers of ten have labels. If
// fewer than three powers lie inside, their multiples by 2 and 5 have labels too, and if none does, all multiples have.
// A range in which fewer than two ticks would have labels has the ticks of a linear axis. Ticks without labels are left
// out where they would be a blur: the multiples beyond eighteen powers of ten, and the powers beyond ninety.
func logTicks(lo, hi float64) []plot.Tick {
	a, b := math.Log10(lo), math.Log10(hi)
	first, last := int(math.Floor(a)), int(math.Ceil(b))
	powers := int(math.Floor(b+1e-9)) - int(math.Ceil(a-1e-9)) + 1
	if powers < 1 && hi/lo < 2.5 {
		return linearTicks(lo, hi, 5)
	}
	every := 1 + powers/9 // at most nine labels
	var ticks []plot.Tick
	labels := 0
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) || math.IsInf(v, 0) {
				continue
			}
			t := plot.Tick{Value: v}
			if m > 1 && every > 2 || (e-first)%every != 0 && every > 10 {
				continue
			}
			if m == 1 && (e-first)%every == 0 || powers < 3 && (m == 2 || m == 5) || powers < 1 {
				t.Label = label(v, -e)
				labels++
			}
			ticks = append(ticks, t)
		}
	}
	if labels < 2 && hi/lo < 10 {
		return linearTicks(lo, hi, 5)
	}
	return ticks
}

// label prints the value of a tick, which is a multiple of 10^-decimals: plain between 1e-4 and 1e5, otherwise as 2e−5.
// The fonts have no superscript minus for a power of ten. A large value of more than three digits is plain as well, as
// a coordinate in metres.
func label(v float64, decimals int) string {
	if v == 0 {
		return "0"
	}
	a := math.Abs(v)
	places := max(0, exponent(a)+decimals) // of the mantissa, behind its point
	if a >= 1e-4*(1-1e-9) && (a < 1e5 || places > 2 && a < 1e15) {
		return minus(strconv.FormatFloat(v, 'f', max(0, decimals), 64))
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', places, 64), "e")
	if places > 0 {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	e, _ := strconv.Atoi(power)
	return minus(mantissa + "e" + strconv.Itoa(e))
}

// minus replaces the hyphen by the minus sign.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// number prints a value for a reader, with four significant digits.
func number(v float64) string { return minus(strconv.FormatFloat(v, 'g', 4, 64)) }

// coordinates returns a function that prints places on the axis of x: with four significant digits, and with as many
// more as a thousandth of the axis needs far from zero, such as metres of a projection, or years.
func coordinates(x []float64) func(v float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return func(v float64) string {
		a := math.Abs(v)
		if !(a >= 1e-4 && a < 1e15) || !(hi > lo) || math.IsInf(hi-lo, 0) {
			return number(v)
		}
		decimals := min(3-exponent(hi-lo), 15)
		if exponent(a)+1+decimals <= 4 {
			return number(v)
		}
		text := strconv.FormatFloat(v, 'f', max(0, decimals), 64)
		if decimals > 0 {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return minus(text)
	}
}

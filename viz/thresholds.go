package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// settle fills in the defaults and returns the index of Threshold in Thresholds.
func (v *Exceedance) settle() (at int, err error) {
	fail := func(text string, args ...any) (int, error) { return 0, fmt.Errorf("exceedance: "+text, args...) }
	if v.Map.Field == nil && !isNil(v.Draws) {
		if field, ok := located(v.Draws, func(int) float64 { return 0 }); ok {
			v.Map.Field = field
		}
	}
	if isNil(v.Draws) || v.Map.Field == nil {
		return fail("draws given: %v, field given: %v; give both", !isNil(v.Draws), v.Map.Field != nil)
	}
	if len(v.Thresholds) == 0 {
		v.Thresholds = v.round()
	}
	if v.Threshold == 0 {
		v.Threshold = v.Thresholds[len(v.Thresholds)/2]
	}
	at = slices.Index(v.Thresholds, v.Threshold)
	if at < 0 || !slices.IsSorted(v.Thresholds) || !finite(v.Thresholds[0]) ||
		!finite(v.Thresholds[len(v.Thresholds)-1]) {
		return fail("threshold %g of %v; give finite ones in ascending order, and one of them", v.Threshold,
			v.Thresholds)
	}
	v.Sure = cmp.Or(v.Sure, 0.9)
	if !(v.Sure > 0 && v.Sure <= 1) {
		return fail("sure from the probability %g on; give one in (0, 1]", v.Sure)
	}
	v.Quantity = cmp.Or(v.Quantity, "θ")
	return at, nil
}

// round returns about ten round thresholds between the 5% and the 95% point of the draws, and the Threshold if it is
// given.
func (v *Exceedance) round() []float64 {
	const most = 200_000 // draws that are looked at, at equal steps
	var all []float64
	rows, cols := v.Draws.Dims()
	for i := range min(most, rows*cols) {
		k := i
		if rows*cols > most {
			k = i * (rows * cols / most)
		}
		if x := v.Draws.At(i%rows, k/rows); finite(x) {
			all = append(all, x)
		}
	}
	var thresholds []float64
	if v.Threshold != 0 || len(all) == 0 {
		thresholds = []float64{v.Threshold}
	}
	if slices.Sort(all); len(all) > 0 {
		if low, high := all[len(all)/20], all[len(all)-1-len(all)/20]; low < high {
			for _, t := range linearTicks(low, high, 10) {
				thresholds = append(thresholds, t.Value)
			}
		} else {
			thresholds = append(thresholds, low)
		}
	}
	slices.Sort(thresholds)
	return slices.CompactFunc(thresholds, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*math.Abs(a+b) })
}

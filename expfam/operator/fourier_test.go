package operator

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The data are the coefficients of gonum's transform, and those of all frequencies keep the energy
// (Parseval), with both signs of a frequency counted.
func TestFourier(t *testing.T) {
	for _, cells := range []int{8, 9} {
		x := normals(3, 1, cells)[0]
		want := fourier.NewFFT(cells).Coefficients(nil, x)
		keep := []int{0, 3, cells / 2}
		o := &Fourier{Cells: cells, Keep: keep}
		at := 0
		datum := func(o *Fourier, k int) (sum float64) {
			o.Row(k, func(j int, w float64) { sum += w * x[j] })
			return sum
		}
		for _, f := range keep {
			c := complex(datum(o, at), 0)
			if at++; f > 0 && 2*f < cells {
				c += complex(0, datum(o, at))
				at++
			}
			if d := cmplx.Abs(c - want[f]/complex(math.Sqrt(float64(cells)), 0)); d > 1e-14 {
				t.Errorf("frequency %d of %d cells is %v away", f, cells, d)
			}
		}
		if data, _ := o.Dims(); data != at {
			t.Errorf("%d data of %d cells, want %d", data, cells, at)
		}
		var energy, squares float64
		all := &Fourier{Cells: cells}
		data, _ := all.Dims()
		for k := range data {
			twice := 2.0
			if k == 0 || cells%2 == 0 && k == data-1 {
				twice = 1
			}
			energy += twice * math.Pow(datum(all, k), 2)
		}
		for _, v := range x {
			squares += v * v
		}
		if math.Abs(energy-squares) > 1e-13*squares || data != cells {
			t.Errorf("energy %g of %d data, want %g of %d", energy, data, squares, cells)
		}
	}
	for want, o := range map[string]*Fourier{
		"frequency number 1 is 5 of 8 cells": {Cells: 8, Keep: []int{0, 5}},
		"frequency number 1 is 2 of 8 cells": {Cells: 8, Keep: []int{2, 2}},
		"of 0 cells":                         {},
		"of -10 cells":                       {Cells: -10},
		"no frequency":                       {Cells: 8, Keep: []int{}},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v of %v, want one with %q", err, o, want)
		}
	}
	if got := (&Fourier{Cells: -10}).String(); got == "" { // it panicked
		t.Error("no name")
	}
}

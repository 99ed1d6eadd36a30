package expfam

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Draws that are u itself are not above it.
func TestAbove(t *testing.T) {
	d := &Draws{X: mat.NewDense(4, 2, []float64{1, 5, 2, 5, 3, 5, 4, 5})}
	for _, c := range []struct{ u, first, second float64 }{{0, 1, 1}, {2, 0.5, 1}, {4, 0, 1}, {5, 0, 0}} {
		if got := d.Above(c.u); got[0] != c.first || got[1] != c.second {
			t.Errorf("above %g: %v, want %g and %g", c.u, got, c.first, c.second)
		}
	}
}

// As every summary, the share is NaN in a cell with a NaN in any draw.
func TestAboveOfNaN(t *testing.T) {
	d := &Draws{X: mat.NewDense(2, 2, []float64{math.NaN(), 5, 3, 1})}
	if got := d.Above(2); !math.IsNaN(got[0]) || got[1] != 0.5 {
		t.Errorf("above 2: %v, want NaN and 0.5", got)
	}
}

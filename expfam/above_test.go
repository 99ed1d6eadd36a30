package expfam

import (
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

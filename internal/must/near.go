package must

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// Relative fails unless |got − want| ≤ tol·(1 + |want|).
func Relative(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g (relative difference %.2g, tolerance %.2g)", what, got, want,
			math.Abs(got-want)/(1+math.Abs(want)), tol)
	}
}

// Absolute fails unless |got − want| ≤ tol.
func Absolute(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: got %.17g, want %.17g ± %g", what, got, want, tol)
	}
}

// Differences returns the derivative of f at x by central differences of fourth order with step h.
func Differences(f func(float64) float64, x, h float64) float64 {
	fourth := fd.Formula{Derivative: 1, Step: h, Stencil: []fd.Point{
		{Loc: -2, Coeff: 1. / 12}, {Loc: -1, Coeff: -8. / 12}, {Loc: 1, Coeff: 8. / 12}, {Loc: 2, Coeff: -1. / 12},
	}}
	return fd.Derivative(f, x, &fd.Settings{Formula: fourth, Step: h})
}

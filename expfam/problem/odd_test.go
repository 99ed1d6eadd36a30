package problem

import (
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Odd images differ from each other, lie in the range of grey values and are as faint as their names say.
func TestOdds(t *testing.T) {
	images := must.Get(OddImages(64, 10, 1))(t)
	seen := make(map[string]bool)
	for _, i := range images {
		must.Be(t, !seen[i.Name], "two images are called %s", i.Name)
		seen[i.Name] = true
		var mean, square float64
		for _, x := range i.X0 {
			must.Need(t, math.Abs(x) <= 1, "%s: x₀ is %g", i.Name, x)
			mean += x / float64(len(i.X0))
			square += x * x / float64(len(i.X0))
		}
		sd := math.Sqrt(max(0, square-mean*mean))
		// A difference of squares rounds to 1e-7. The standard error of the sd of 4096 cells is 1.1%; a clip at 1 takes
		// 2% from the widest noise.
		if want, ok := map[string]float64{"noise of sd 0.02": 0.02, "noise of sd 0.4": 0.4,
			"stripes, 16 cells": 0.8 / math.Sqrt2, "constant 0.7": 0}[i.Name]; ok &&
			math.Abs(sd-want) > 0.05*want+1e-6 {
			t.Errorf("%s: sd %g, want %g", i.Name, sd, want)
		}
	}
	must.Be(t, len(images) == 20, "%d images, want 20", len(images))
}

package expfam_test

import (
	"errors"
	"slices"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// The data of several data sets are reduced and drawn by their own families. A Together of one likelihood is this
// likelihood.
func TestTogetherHasNoFamilyOfItsOwn(t *testing.T) {
	counts, values := Likelihood{Family: Poisson{}}, Likelihood{Family: Normal{SD: 0.5}}
	data := Data{Y: [][]float64{{1, 2, 3}}}
	row := raster(t, []float64{1, 2, 3})
	for n, like := range map[int]Likelihood{1: Together(counts), 2: Together(counts, values)} {
		drawn, errDrawn := like.Simulate([]float64{1, 2, 3}, nil, 1, 4)
		reduced, errReduced := like.Observe(data)
		field, errField := like.ObserveField(row)
		_, errOn := like.ObserveOn(gp.RBF{Cells: 3}, row)
		if n == 1 {
			must.Do(t, errors.Join(errDrawn, errReduced, errField, errOn))
			want := Must(counts.Observe(data))
			must.Be(t, slices.Equal(reduced, want) && slices.Equal(field, want) &&
				slices.Equal(drawn.Y[0], Must(counts.Simulate([]float64{1, 2, 3}, nil, 1, 4)).Y[0]),
				"one likelihood: %v, %v, %v", reduced, field, drawn.Y)
			continue
		}
		for _, err := range []error{errDrawn, errReduced, errField, errOn} {
			must.Err(t, err, "2 data sets together", "each by its own likelihood")
		}
	}
	parts := Together(counts, Together(values, counts)).Parts()
	must.Be(t, len(parts) == 3 && parts[1].Family == values.Family, "parts %v", parts)
	parts = counts.Parts()
	must.Be(t, len(parts) == 1 && parts[0].Family == counts.Family, "parts of one likelihood %v", parts)
}

package learn

import (
	"errors"
	"slices"

	"github.com/expfam/lab/expfam/store"
)

// addTo adds the report to the file of a network: (noise levels, bands, 2), with the width first.
func (r *Report) addTo(f *store.File) {
	if r == nil || len(r.Width) == 0 {
		return
	}
	var values []float64
	for k, row := range r.Width {
		for b, w := range row {
			values = append(values, w, r.Lean[k][b])
		}
	}
	f.Tensors = append(f.Tensors, store.Tensor{Name: "report", Shape: []int{len(r.Width), len(r.Width[0]), 2},
		Data: values})
}

// readReport reads what addTo wrote, nil if it wrote nothing.
func readReport(f *store.File) (*Report, error) {
	t, found := f.Tensor("report")
	if !found {
		return nil, nil
	}
	v, ok := t.Data.([]float64)
	if !ok || len(t.Shape) != 3 || t.Shape[0] < 1 || t.Shape[1] < 1 || t.Shape[2] != 2 ||
		slices.ContainsFunc(v, func(a float64) bool { return !finite(a) }) {
		return nil, errors.New("holds a report that is none; train the network anew")
	}
	r := new(Report)
	for bands := range slices.Chunk(v, 2*t.Shape[1]) {
		var width, lean []float64
		for pair := range slices.Chunk(bands, 2) {
			width, lean = append(width, pair[0]), append(lean, pair[1])
		}
		r.Width, r.Lean = append(r.Width, width), append(r.Lean, lean)
	}
	return r, nil
}

package operator

import (
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// printed is an operator with a fingerprint.
type printed interface {
	expfam.RowOperator
	Fingerprint() string
}

// All kinds of the table have other fingerprints, and so has an operator with another value of any exported field.
func TestFingerprints(t *testing.T) {
	seen := map[string]string{}
	for name, op := range kinds() {
		print := op.(printed).Fingerprint()
		must.Equal(t, seen[print], "", name, "have the same fingerprint")
		seen[print] = name
	}
	gr := grid.Grid{Rows: 4, Cols: 5}
	other := grid.Grid{Rows: 4, Cols: 5, X: grid.Axis{First: 0.1}}
	triangle := func(lon float64) []land.Region {
		return []land.Region{{Name: "a", Polygons: [][][]land.Position{{closed(at(0.2, 0.3), at(lon, 0.8),
			at(2, 2.9))}}}}
	}
	two := &Select{Cells: 2}
	matrix := mat.NewDense(1, 2, []float64{1, 2})
	for _, c := range []struct {
		base    func() printed
		changed map[string]printed // by field
	}{
		{func() printed { return &Convolution{Rows: 6, Cols: 7, Kernel: Gaussian{SD: 1.3}} }, map[string]printed{
			"Rows": &Convolution{Rows: 7, Cols: 7, Kernel: Gaussian{SD: 1.3}}, "Cols": &Convolution{Rows: 6, Cols: 8,
				Kernel: Gaussian{SD: 1.3}},
			"Kernel": &Convolution{Rows: 6, Cols: 7, Kernel: Gaussian{SD: 1.31}}, "Boundary": &Convolution{Rows: 6,
				Cols: 7, Kernel: Gaussian{SD: 1.3}, Boundary: Zero}}},
		{func() printed { return &Downsample{Rows: 4, Cols: 6} }, map[string]printed{
			"Rows": &Downsample{Rows: 6, Cols: 6}, "Cols": &Downsample{Rows: 4, Cols: 8},
			"Down": &Downsample{Rows: 4, Cols: 6, Down: 1, Across: 2}, "Across": &Downsample{Rows: 4, Cols: 6, Down: 2,
				Across: 3}}},
		{func() printed { return &Areas{Labels: []int{0, 1, 1}} }, map[string]printed{
			"Labels": &Areas{Labels: []int{0, 0, 1}}, "Weights": &Areas{Labels: []int{0, 1, 1},
				Weights: []float64{1, 1, 1 + 1e-15}}, "Mean": &Areas{Labels: []int{0, 1, 1}, Mean: true},
			"Names": nil}}, // they change no weight
		{func() printed { return &Polygons{Grid: gr, Regions: triangle(3), Least: 0.5} }, map[string]printed{
			"Grid":       &Polygons{Grid: other, Regions: triangle(3), Least: 0.5},
			"Regions":    &Polygons{Grid: gr, Regions: triangle(2.9), Least: 0.5},
			"Projection": &Polygons{Grid: gr, Regions: triangle(3), Least: 0.5, Projection: wider{}},
			"Weights": &Polygons{Grid: gr, Regions: triangle(3), Least: 0.5,
				Weights: slices.Repeat([]float64{2}, 20)},
			// it refuses, and changes no weight
			"Mean": &Polygons{Grid: gr, Regions: triangle(3), Least: 0.5, Mean: true}, "Least": nil}},
		{func() printed { return &Points{Grid: gr, X: []float64{1.2}, Y: []float64{0.7}} }, map[string]printed{
			"Grid": &Points{Grid: other, X: []float64{1.2}, Y: []float64{0.7}},
			"X":    &Points{Grid: gr, X: []float64{1.3}, Y: []float64{0.7}},
			// it admits points that are else refused
			"Y": &Points{Grid: gr, X: []float64{1.2}, Y: []float64{0.6}}, "Shore": nil}},
		{func() printed { return &Radon{Rows: 5, Cols: 6, Angles: 4} }, map[string]printed{
			"Rows": &Radon{Rows: 6, Cols: 6, Angles: 4}, "Cols": &Radon{Rows: 5, Cols: 7, Angles: 4},
			"Angles": &Radon{Rows: 5, Cols: 6, Angles: 5},
			"At":     &Radon{Rows: 5, Cols: 6, At: []float64{0, 45, 90, 136}}, "Detectors": &Radon{Rows: 5, Cols: 6,
				Angles: 4, Detectors: 4}, "Spacing": &Radon{Rows: 5, Cols: 6, Angles: 4, Detectors: 5, Spacing: 0.9},
			// it admits rays that are else refused
			"Skip": nil, "Attenuation": &Radon{Rows: 5, Cols: 6, At: []float64{0, 45, 90, 135},
				Attenuation: slices.Repeat([]float64{1e-9}, 30)}}},
		{func() printed { return &Sparse{Data: 1, Cells: 2, Entries: []Entry{{0, 1, 3}}} }, map[string]printed{
			"Data":  &Sparse{Data: 2, Cells: 2, Entries: []Entry{{0, 1, 3}, {1, 1, 3}}},
			"Cells": &Sparse{Data: 1, Cells: 3, Entries: []Entry{{0, 1, 3}}}, "Entries": &Sparse{Data: 1, Cells: 2,
				Entries: []Entry{{0, 0, 3}}}}},
		{func() printed { return &Dense{Matrix: matrix} },
			map[string]printed{"Matrix": &Dense{Matrix: mat.NewDense(1, 2, []float64{1, 3})}}},
		{func() printed { return &Select{Cells: 3, Keep: []int{1}} },
			map[string]printed{"Cells": &Select{Cells: 2, Keep: []int{1}}, "Keep": &Select{Cells: 3, Keep: []int{2}}}},
		{func() printed { return Scale{Of: two, By: 2} }, map[string]printed{"Of": Scale{Of: &Select{Cells: 3}, By: 2},
			"By": Scale{Of: two, By: 3}, "Each": Scale{Of: two, By: 2, Each: []float64{1, 2}}}},
		{func() printed { return Offset{Of: two, By: 2} },
			map[string]printed{"Of": Offset{Of: &Select{Cells: 3}, By: 2}, "By": Offset{Of: two, By: 2 + 1e-15},
				"Each": Offset{Of: two, By: 2, Each: []float64{0, 1}}}},
	} {
		base := c.base()
		typ := reflect.Indirect(reflect.ValueOf(base)).Type()
		must.Equal(t, base.Fingerprint(), c.base().Fingerprint(), "the same", typ, "has another fingerprint")
		for i := range typ.NumField() {
			f := typ.Field(i)
			if changed, listed := c.changed[f.Name]; f.IsExported() && !listed {
				t.Errorf("%s.%s: say in this table what another value of it is", typ, f.Name)
			} else if changed != nil && changed.Fingerprint() == base.Fingerprint() {
				t.Errorf("%s: another %s has the same fingerprint", typ, f.Name)
			}
		}
	}
}

// wider is a projection with larger x.
type wider struct{ land.LonLat }

func (wider) X(lon float64) float64 { return 1.1 * lon }

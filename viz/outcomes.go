package viz

import (
	"cmp"
	"fmt"
	"math"
)

// Outcomes shows draws of a map one after the other: hypothetical outcomes (Hullman, Resnick & Adar 2015, PLoS ONE 10).
// A reader sees which features stay and which come and go, and what goes together. Where scripts run, a slider selects
// the draw, and a button plays the draws. Pictures show some of them side by side.
type Outcomes struct {
	// Map has the cells in its Field, and a Scale for the draws. Cells where the Field is NaN are grey; other values of
	// the Field are not used.
	Map    Map
	Draws  Draws // in the order of [Map.Held]
	Frames int   // number of draws; default 20
}

// Encode implements Figure.
func (v Outcomes) Encode(format Format) ([]byte, error) {
	m, values, err := v.read()
	if err != nil {
		return nil, err
	}
	blank, err := m.flags("Blank", v.Map.Blank)
	if err != nil {
		return nil, fmt.Errorf("outcomes: %w", err)
	}
	hidden := v.Map.hidden(m, blank)
	one := v.Map
	if one.Scale == nil {
		one.Scale = new(Scale)
	}
	scale := *one.Scale
	if scale.Log {
		return nil, fmt.Errorf("outcomes: a scale that is logarithmic; give draws of logarithms, or a linear scale")
	}
	if scale.Min == 0 && scale.Max == 0 {
		scale.Min, scale.Max = math.Inf(1), math.Inf(-1)
		for _, z := range values {
			for j, x := range z {
				if !math.IsNaN(x) && !(hidden != nil && hidden[j]) {
					scale.Min, scale.Max = min(scale.Min, x), max(scale.Max, x)
				}
			}
		}
		if scale.Min == scale.Max { // the Scale makes a range around equal values
			scale.Min, scale.Max = 0, 0
		}
	}
	one.Scale = &scale
	if format != HTML {
		return v.beside(one, m, values).encode("outcomes", format)
	}
	one.Field = resampledField{m, values[0]}
	whole := one.alone()
	whole.Maps[0].Title = v.name(0)
	s, err := whole.layout("outcomes")
	if err != nil {
		return nil, err
	}
	texts := func(k int) (label, title, bar string) { return fmt.Sprint(k + 1), v.name(k), one.Scale.Label }
	s.frames = s.play(mapFrames{Name: "draw", Sure: probabilitySteps + 6, Pause: 500 /* ms */}, values, m.cols, texts,
		math.Round)
	return s.Encode(HTML)
}

func (v *Outcomes) read() (*cells, [][]float64, error) {
	if v.Map.Field == nil || isNil(v.Draws) {
		return nil, nil, fmt.Errorf("outcomes: it needs a Field in Map, and Draws")
	}
	m, _, err := v.Map.cells("outcomes")
	if err != nil {
		return nil, nil, err
	}
	v.Frames = cmp.Or(v.Frames, 20)
	n, d := v.Draws.Dims()
	if d != len(m.z) || n < 2 || v.Frames < 2 || v.Frames > 200 {
		return nil, nil, fmt.Errorf("outcomes: %d draws of %d cells for a map of %d cells, %d frames; give at least 2 "+
			"draws and 2 to 200 frames", n, d, len(m.z), v.Frames)
	}
	v.Frames = min(v.Frames, n)
	coarse, b, err := v.Map.coarse("outcomes", mostOf(v.Frames))
	if err != nil {
		return nil, nil, err
	}
	values := make([][]float64, v.Frames)
	for k := range values {
		values[k] = make([]float64, len(m.z))
		for j, z := range m.z {
			x := v.Draws.At(k*n/v.Frames, m.index[j])
			if math.IsInf(x, 0) || math.IsNaN(x) && !math.IsNaN(z) {
				return nil, nil, fmt.Errorf("outcomes: draw %d of cell %d is %g", k*n/v.Frames, m.index[j], x)
			}
			if math.IsNaN(z) {
				x = z
			}
			values[k][j] = x
		}
		if b != nil {
			values[k] = b.mean(values[k])
		}
	}
	if b != nil {
		v.Map, m = coarse, b.cells
	}
	return m, values, nil
}

func (v Outcomes) name(k int) string { return fmt.Sprintf("draw %d of %d", k+1, v.Frames) }

// beside returns the picture: small multiples of at most six draws.
func (v Outcomes) beside(one Map, m *cells, values [][]float64) Maps {
	out := Maps{Title: one.Title, Note: one.Note, Width: one.Width, Columns: min(3, len(values))}
	for k := range min(6, len(values)) {
		each := one
		each.Field, each.Title, each.Inset, each.Note = resampledField{m, values[k]}, v.name(k), nil, ""
		out.Maps = append(out.Maps, each)
	}
	return out
}

package live_test

import (
	"math"

	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/live"
)

// A panel outside a notebook prints its settings and the figure's text.
func Example() {
	freq := &live.Slider{Label: "frequency", Min: 1, Max: 5, Value: 2}
	shape := &live.Choice{Label: "shape", Options: []string{"sine", "square"}}
	draw := func() (viz.Figure, error) {
		y := make([]float64, 100)
		for i := range y {
			y[i] = math.Sin(freq.Value * float64(i) / 10)
			if shape.Value == "square" {
				y[i] = math.Copysign(1, y[i])
			}
		}
		return viz.Lines{Lines: []viz.Line{{Name: shape.Value, Y: y}}}, nil
	}
	live.Show(draw, freq, shape)
	// Output:
	// frequency = 2, shape = sine
	// [lines: sine]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

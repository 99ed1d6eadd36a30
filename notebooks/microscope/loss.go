package microscope

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/viz"
)

// Losses shows the error of the pull on the mean of x₀ against the noise level, for the conjugate evidence and for the
// evidence of DPS. The error is the difference to the pull of the exact evidence, in standard deviations of x₀ | x_t.
// It is a root mean square over p(x_t | y), the x_t that a sampler meets. The prior is N(0, 1), so that x_t ~ N(0, 1)
// as well. The Level of each microscope is not used.
func Losses(names []string, cells []Cell) (viz.Figure, error) {
	fig := viz.Panels{Width: 800, Height: 330, ShareX: true, ShareY: true,
		Title: "Error of the pull on the mean, one cell"}
	panels := []viz.Lines{{Title: "conjugate"}, {Title: "DPS"}}
	for i, m := range cells {
		lines := []viz.Line{{Name: names[i]}, {Name: names[i]}}
		for sigma := 0.03; sigma < 40; sigma *= 1.5 {
			m.Level = level.At(sigma)
			views, err := m.At(floats.Span(make([]float64, 81), -2.5, 2.5)...)
			if err != nil {
				return nil, err
			}
			for k, of := range []func(View) float64{
				func(v View) float64 { return v.Trick.Slope },
				func(v View) float64 { return v.Delta.Slope }} {
				var sum, weight float64
				for _, v := range views {
					gap := (of(v) - v.Exact.Slope) * m.Level.V / m.Level.SqrtAlpha
					w := math.Exp(v.Exact.Log - v.X*v.X/2)
					sum, weight = sum+w*gap*gap/v.Variance, weight+w
				}
				lines[k].X, lines[k].Y = append(lines[k].X, sigma), append(lines[k].Y, math.Sqrt(sum/weight))
			}
		}
		for k := range panels {
			panels[k].Lines = append(panels[k].Lines, lines[k])
		}
	}
	for _, p := range panels {
		p.LogX, p.LogY, p.XLabel, p.YLabel = true, true, "noise level σ", "error / sd given x_t"
		p.YMin, p.YMax = 1e-4, 300 // no error is smaller
		fig.Figures = append(fig.Figures, p)
	}
	return fig, nil
}

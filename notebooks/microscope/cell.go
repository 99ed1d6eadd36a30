package microscope

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/viz"
)

// kind is one of the ways to the evidence.
type kind struct {
	name  string
	color color.NRGBA
	of    func(v diffusion.View) diffusion.LogScore
}

// kinds are the ways to the evidence. The exact way comes last, so that it is drawn over the others.
var kinds = []kind{
	{"DPS", Delta, func(v diffusion.View) diffusion.LogScore { return v.Delta }},
	{"conjugate", Conjugate, func(v diffusion.View) diffusion.LogScore { return v.Trick }},
	{"exact", Exact, func(v diffusion.View) diffusion.LogScore { return v.Exact }},
}

const (
	reach  = 3.0 // range of x_t on either side of 0
	points = 61  // number of x_t in this range
)

// Look shows one cell at one x_t: the densities of θ before and after the observation, the evidence as a function of x_t
// with its slope at this x_t, and the score.
func Look(m diffusion.Microscope, x float64) (viz.Figure, error) {
	d, v, err := m.Densities(x)
	if err != nil {
		return nil, err
	}
	grid, err := m.At(floats.Span(make([]float64, points), -reach, reach)...)
	if err != nil {
		return nil, err
	}
	return viz.Panels{
		Figures: []viz.Figure{
			density("Before y: p(θ | x_t)", d, d.Before, d.Q), density("After y: p(θ | x_t, y)", d, d.After, d.Updated),
			evidence(grid, v), score(grid, v),
		},
		Width: 800, Height: 290,
		Note: strings.ReplaceAll(fmt.Sprintf("At x_t = %.3g. Score: exact %.4g, conjugate %.4g, DPS %.4g. Log evidence: exact %.4g, conjugate %.4g, DPS %.4g.",
			x, v.Exact.Slope, v.Trick.Slope, v.Delta.Slope, v.Exact.Log, v.Trick.Log, v.Delta.Log), "-", "−"),
	}, nil
}

// Densities shows the densities of θ before and after the observation, at one x_t.
func Densities(title string, m diffusion.Microscope, x float64) (viz.Figure, error) {
	d, _, err := m.Densities(x)
	if err != nil {
		return nil, err
	}
	return viz.Panels{Title: title, Width: 800, Height: 280, ShareX: true, Figures: []viz.Figure{
		density("Before y: p(θ | x_t)", d, d.Before, d.Q), density("After y: p(θ | x_t, y)", d, d.After, d.Updated)}}, nil
}

func density(title string, d diffusion.Densities, exact, conjugate []float64) viz.Lines {
	fig := viz.Lines{Title: title, XLabel: "θ", YLabel: "density", LogX: d.Log, YMax: 1.3 * floats.Max(exact), Lines: []viz.Line{
		{Name: "exact", X: d.Theta, Y: exact, Low: make([]float64, len(exact)), High: exact, Color: Exact},
		{Name: "conjugate", X: d.Theta, Y: conjugate, Color: Conjugate}}}
	if d.Log {
		fig.YLabel = "density of log θ"
	}
	return fig
}

// curves shows a value of every kind of evidence against x_t. The y axis has the range of the exact and the conjugate
// values, because those of DPS often leave any range.
func curves(views []diffusion.View, value func(s diffusion.LogScore) float64) viz.Lines {
	fig := viz.Lines{XLabel: "x_t"}
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range kinds {
		line := viz.Line{Name: k.name, Color: k.color}
		for _, v := range views {
			y := value(k.of(v))
			if math.IsInf(y, 0) || math.IsNaN(y) { // a link that overflows
				continue
			}
			line.X, line.Y = append(line.X, v.X), append(line.Y, y)
			if k.name != "DPS" {
				low, high = min(low, y), max(high, y)
			}
		}
		if line.X != nil {
			fig.Lines = append(fig.Lines, line)
		}
	}
	room := max(high-low, 1e-6)
	fig.YMin, fig.YMax = low-0.15*room, high+0.25*room
	return fig
}

func evidence(views []diffusion.View, at diffusion.View) viz.Lines {
	fig := curves(views, func(s diffusion.LogScore) float64 { return s.Log })
	if room := fig.YMax - fig.YMin; at.Delta.Log > fig.YMin-0.5*room { // an arrow begins there
		fig.YMin = min(fig.YMin, at.Delta.Log-0.1*room)
	}
	fig.Title, fig.YLabel = "Evidence, and its slope here", "log p(y | x_t)"
	for _, k := range kinds {
		s := k.of(at)
		if sum := s.Log + s.Slope; math.IsInf(sum, 0) || math.IsNaN(sum) {
			continue
		}
		// The arrow goes uphill, as far as there is room.
		width := math.Copysign(min(1, 0.3*(fig.YMax-fig.YMin)/math.Abs(s.Slope)), s.Slope)
		fig.Arrows = append(fig.Arrows, viz.Arrow{Name: k.name, Color: k.color, X: at.X, Y: s.Log, DX: width, DY: width * s.Slope})
	}
	return fig
}

func score(views []diffusion.View, at diffusion.View) viz.Lines {
	fig := curves(views, func(s diffusion.LogScore) float64 { return s.Slope })
	fig.Title, fig.YLabel = "Score", "d log p(y | x_t) / dx_t"
	fig.Lines = append([]viz.Line{{X: []float64{at.X, at.X}, Y: []float64{fig.YMin, fig.YMax}, Name: "here", Dashed: true, Color: grey}}, fig.Lines...)
	return fig
}

var grey = color.NRGBA{0x99, 0x99, 0x99, 0xFF}

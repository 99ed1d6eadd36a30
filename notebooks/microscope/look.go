package microscope

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/viz"
)

// kind is one of the ways to the evidence.
type kind struct {
	name  string
	color color.NRGBA
	of    func(v View) LogScore
}

// kinds are the ways to the evidence. The exact way comes last, so that it is drawn over the others.
var kinds = []kind{
	{"DPS", Delta, func(v View) LogScore { return v.Delta }},
	{"conjugate", Conjugate, func(v View) LogScore { return v.Trick }},
	{"exact", Exact, func(v View) LogScore { return v.Exact }},
}

const (
	reach  = 3.0 // range of x_t on either side of 0
	points = 61  // number of x_t in this range
)

// Look shows one cell at one x_t: the densities of θ before and after the observation, the evidence as a function of
// x_t with its slope at this x_t, and the score.
func Look(m Cell, x float64) (viz.Figure, error) {
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
		Note: fmt.Sprintf("At x_t = %s. Score: exact %s, conjugate %s, DPS %s. Log evidence: exact %s, conjugate %s, "+
			"DPS %s.", value(x, 3), value(v.Exact.Slope, 4), value(v.Trick.Slope, 4), value(v.Delta.Slope, 4),
			value(v.Exact.Log, 4), value(v.Trick.Log, 4), value(v.Delta.Log, 4)),
	}, nil
}

// value prints a number with some significant digits.
func value(v float64, digits int) string {
	if !finite(v) {
		return "none (overflow)"
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', digits, 64), "-", "−")
}

// Densities shows the densities of θ before and after the observation, at one x_t.
func Densities(title string, m Cell, x float64) (viz.Figure, error) {
	d, _, err := m.Densities(x)
	if err != nil {
		return nil, err
	}
	return viz.Panels{Title: title, Width: 800, Height: 280, ShareX: true, Figures: []viz.Figure{
			density("Before y: p(θ | x_t)", d, d.Before, d.Q), density("After y: p(θ | x_t, y)", d, d.After,
				d.Updated)}},
		nil
}

func density(title string, d ThetaDensities, exact, conjugate []float64) viz.Lines {
	fig := viz.Lines{Title: title, XLabel: "θ", YLabel: "density", LogX: d.Log, YMax: 1.3 * height(d, exact)}
	fig.Lines = []viz.Line{{Name: "exact", X: d.Theta, Y: exact, Low: make([]float64, len(exact)), High: exact,
		Color: Exact}}
	if slices.ContainsFunc(conjugate, finite) { // under a link that overflows there is none
		fig.Lines = append(fig.Lines, viz.Line{Name: "conjugate", X: d.Theta, Y: conjugate, Color: Conjugate})
	}
	if d.Log {
		fig.YLabel = "density of log θ"
	}
	if top := floats.Max(exact); top > fig.YMax {
		fig.Note = fmt.Sprintf("The density rises to %.3g.", top)
	}
	return fig
}

// height returns the height at which a figure shows the shape of a density: the highest value, or twice the height that
// the density exceeds on a hundredth of the range, if this is lower. A density may rise steeply towards an end of θ.
func height(d ThetaDensities, y []float64) float64 {
	at := func(i int) float64 {
		if d.Log {
			return math.Log(d.Theta[i])
		}
		return d.Theta[i]
	}
	order := make([]int, len(y)-1) // of the parts between two points
	for i := range order {
		order[i] = i
	}
	high := func(i int) float64 { return max(y[i], y[i+1]) }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(high(j), high(i)) })
	width := 0.0
	for _, i := range order {
		if width += math.Abs(at(i+1) - at(i)); width > 0.01*math.Abs(at(len(y)-1)-at(0)) {
			return min(high(order[0]), 2*high(i))
		}
	}
	return high(order[0])
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// curves shows a value of every kind of evidence against x_t. The y axis has the range of the exact and the conjugate
// values, because those of DPS often leave any range.
func curves(views []View, value func(s LogScore) float64) viz.Lines {
	fig := viz.Lines{XLabel: "x_t"}
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range kinds {
		line := viz.Line{Name: k.name, Color: k.color}
		for _, v := range views {
			y := value(k.of(v))
			if !finite(y) { // a link that overflows
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

func evidence(views []View, at View) viz.Lines {
	fig := curves(views, func(s LogScore) float64 { return s.Log })
	if room := fig.YMax - fig.YMin; at.Delta.Log > fig.YMin-0.5*room { // an arrow begins there
		fig.YMin = min(fig.YMin, at.Delta.Log-0.1*room)
	}
	fig.Title, fig.YLabel = "Evidence, and its slope here", "log p(y | x_t)"
	for _, k := range kinds {
		s := k.of(at)
		if !finite(s.Log + s.Slope) {
			continue
		}
		// The arrow goes uphill, as far as there is room.
		width := math.Copysign(min(1, 0.3*(fig.YMax-fig.YMin)/math.Abs(s.Slope)), s.Slope)
		fig.Arrows = append(fig.Arrows, viz.Arrow{Name: k.name, Color: k.color, X: at.X, Y: s.Log, DX: width,
			DY: width * s.Slope})
	}
	return fig
}

func score(views []View, at View) viz.Lines {
	fig := curves(views, func(s LogScore) float64 { return s.Slope })
	fig.Title, fig.YLabel = "Score", "d log p(y | x_t) / dx_t"
	fig.Lines = append([]viz.Line{{X: []float64{at.X, at.X}, Y: []float64{fig.YMin, fig.YMax}, Name: "here",
		Dashed: true, Color: grey}}, fig.Lines...)
	return fig
}

var grey = color.NRGBA{0x99, 0x99, 0x99, 0xFF}

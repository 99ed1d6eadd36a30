package viz

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Marginal is a posterior with unknown parameters, such as an *expfam.Posterior of gp.Unknown: their labels, their
// draws, and equally probable numbers of their priors, which may be nil.
type Marginal interface {
	Marginals() (labels []string, draws, prior [][]float64)
}

// Marginals shows the posterior density of every unknown parameter over the density of its prior, side by side. With
// Pairs it is a matrix with these on its diagonal and one axis for each parameter. Below the diagonal are the draws of
// every two parameters, with their correlation, and above it as many of their priors, which are independent.
type Marginals struct {
	Of    Marginal
	Pairs bool
	Truth []float64 // true values in the order of the parameters; NaN, and nil for all: not known

	Title string
	Width float64 // px; 0 means 1000
}

// Encode implements Figure.
func (v Marginals) Encode(format Format) ([]byte, error) {
	if v.Of == nil {
		return nil, fmt.Errorf("marginals: there is no posterior; give Of")
	}
	labels, draws, prior := v.Of.Marginals()
	if len(labels) == 0 {
		return nil, fmt.Errorf("marginals: the posterior has no unknown parameters; take viz.Density for its cells")
	}
	if v.Truth != nil && len(v.Truth) != len(labels) {
		return nil, fmt.Errorf("marginals: %d true values of %d parameters; give one for each, or none", len(v.Truth),
			len(labels))
	}
	p := Panels{Title: v.Title, Width: v.Width, Columns: min(3, len(labels)), Height: 260}
	for k, label := range labels {
		d := Density{Methods: []Method{{Name: "posterior", Draws: sequence(draws[k])}}, XLabel: label}
		if len(prior[k]) > 1 {
			d.Methods = append(d.Methods, Method{Name: "prior", Draws: sequence(prior[k])})
			d.XMin, d.XMax = shown(draws[k], prior[k])
		}
		if v.Truth != nil {
			d.Truth = v.Truth[k : k+1]
		}
		p.Figures = append(p.Figures, d)
	}
	if v.Pairs && len(labels) > 1 {
		if err := v.matrix(&p, labels, draws, prior); err != nil {
			return nil, err
		}
	}
	return p.Encode(format)
}

// matrix puts the densities onto the diagonal of a matrix, and the pairs beside them.
func (v Marginals) matrix(p *Panels, labels []string, draws, prior [][]float64) error {
	n, densities := len(labels), p.Figures
	p.Figures, p.Columns, p.Height = nil, n, 230
	axes := make([]Axis, n)
	for k, of := range densities {
		c, err := of.(Density).Chart()
		if err != nil {
			return err
		}
		c.Note, c.Kind = "", "density"
		d, err := c.layout()
		if err != nil {
			return err
		}
		axes[k], densities[k] = Axis{Label: labels[k], Min: d.xmin, Max: d.xmax}, c
		c.X = axes[k]
	}
	for i := range n {
		for j := range n {
			switch {
			case i == j:
				p.Figures = append(p.Figures, densities[i])
			case i > j:
				title := strings.Replace(fmt.Sprintf("correlation %.2f", correlation(draws[j], draws[i])), "-", "−", 1)
				p.Figures = append(p.Figures, v.pair(title, methodColor(0), axes, i, j, draws[j], draws[i]))
			default:
				x, y := shuffled(prior[j], 1), shuffled(prior[i], 2)
				if n := min(len(x), len(y), 200); n > 0 {
					p.Figures = append(p.Figures, v.pair("prior", methodColor(1), axes, i, j, x[:n], y[:n]))
					continue
				}
				p.Figures = append(p.Figures, v.pair("", methodColor(0), axes, i, j, draws[j], draws[i]))
			}
		}
	}
	p.Note = "Below the diagonal: draws of the posterior. Above: of the prior. Densities are kernel estimates with " +
		"Silverman's bandwidth."
	return nil
}

// pair is the panel in row i and column j.
func (v Marginals) pair(title string, c color.NRGBA, axes []Axis, i, j int, x, y []float64) Figure {
	var px, py []float64
	for k := range x {
		if in(x[k], axes[j]) && in(y[k], axes[i]) {
			px, py = append(px, x[k]), append(py, y[k])
		}
	}
	chart := &Chart{Kind: "pairs", Title: title, X: axes[j], Y: axes[i]}
	chart.Points("", px, py, nil, PointStyle{Color: fade(c, 0.4), Radius: 2})
	if t := v.Truth; t != nil && !math.IsNaN(t[i]+t[j]) {
		chart.Points("truth", t[j:j+1], t[i:i+1], nil, PointStyle{Color: ink, Radius: 4, Halo: true})
	}
	return chart
}

func in(x float64, a Axis) bool { return a.Min <= x && x <= a.Max }

// shuffled returns numbers in an order of chance, which is always the same for a seed.
func shuffled(x []float64, seed uint64) []float64 {
	out := slices.Clone(x)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// shown returns the range of the posterior and of the central 90% of the prior, whose tail may be long.
func shown(draws, prior []float64) (low, high float64) {
	ends := func(x []float64, tail float64) (float64, float64) {
		s, err := Density{}.sample(0, Method{Draws: sequence(x)})
		if err != nil {
			return 0, 0 // the density names the draw
		}
		return quantile(s, tail), quantile(s, 1-tail)
	}
	low, high = ends(draws, 0.001)
	from, to := ends(prior, 0.05)
	return min(low, from), max(high, min(to, high+2*(high-low)))
}

// sequence is a view of the draws of one quantity.
type sequence []float64

func (s sequence) Dims() (draws, cells int) { return len(s), 1 }

func (s sequence) At(draw, _ int) float64 { return s[draw] }

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my, xx, xy, yy float64
	for k := range x {
		mx, my = mx+x[k]/n, my+y[k]/n
	}
	for k := range x {
		dx, dy := x[k]-mx, y[k]-my
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	return xy / math.Sqrt(xx*yy)
}

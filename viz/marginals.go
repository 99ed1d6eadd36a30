package viz

import "fmt"

// Marginal is a posterior with unknown parameters, such as an *expfam.Posterior of gp.Unknown: their labels, their
// draws, and equally probable numbers of their priors, which may be nil.
type Marginal interface {
	Marginals() (labels []string, draws, prior [][]float64)
}

// Marginals shows the posterior density of every unknown parameter over the density of its prior, side by side. With
// Pairs, panels of the draws of every two parameters follow.
type Marginals struct {
	Of    Marginal
	Pairs bool
	Truth []float64 // true values in the order of the parameters; nil: not known

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
	if v.Pairs {
		for i := range labels {
			for j := range i {
				c := &Chart{Kind: "pairs", X: Axis{Label: labels[j]}, Y: Axis{Label: labels[i]}}
				c.Points("draws", draws[j], draws[i], nil, PointStyle{Color: fade(methodColor(0), 0.4), Radius: 2})
				if t := v.Truth; t != nil {
					c.Points("truth", t[j:j+1], t[i:i+1], nil, PointStyle{Color: ink, Radius: 4, Halo: true})
				}
				p.Figures = append(p.Figures, c)
			}
		}
	}
	return p.Encode(format)
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

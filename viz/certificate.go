package viz

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Certified has the deviations of draws from a posterior in its modes, from coarse to fine, with their standard errors:
// shifts in posterior standard deviations, and widths as ratios of standard deviations. An expfam.Certificate has them.
type Certified interface {
	Shifts() (values, errors []float64)
	Widths() (values, errors []float64)
}

// CertifiedMethod is the certificate of one method.
type CertifiedMethod struct {
	Name string
	Of   Certified
}

// Certificate shows how far draws are from the posterior, mode by mode from coarse to fine: their shift on the left and
// their width on the right. The band holds 95% of the modes of exact draws.
//
//	viz.Show(viz.Certificate{Of: post.Info.Certificate})
type Certificate struct {
	Of      Certified         // of one method; or
	Methods []CertifiedMethod // of several; the band is that of the first

	Names []string // of the modes, if they are no modes from coarse to fine, but parameters

	Title string
	Width float64 // px; 0 means 1000
}

// certificateNote explains the signs of the figure.
const certificateNote = "Dot: a mode of the prior, from coarse to fine. Band: where 95% of the modes of exact draws " +
	"lie."

// Encode implements Figure.
func (v Certificate) Encode(format Format) ([]byte, error) { return format.of(v.panels()) }

// panels lays out the two charts.
func (v Certificate) panels() (Panels, error) {
	methods := v.Methods
	if v.Of != nil {
		methods = append([]CertifiedMethod{{"draws", v.Of}}, methods...)
	}
	if len(methods) == 0 {
		return Panels{}, errors.New("certificate: nothing to show; give Of, such as the Info.Certificate of a " +
			"posterior")
	}
	names := make([]string, len(methods))
	for k, m := range methods {
		names[k] = clean(m.Name)
	}
	names = uniqueNames(names, "exact draws")
	shift := &Chart{Kind: "certificate", Title: "Location", X: Axis{Label: "mode, from coarse to fine", Whole: true},
		Y: Axis{Label: "shift (posterior sd)"}}
	note := certificateNote
	if v.Names != nil {
		shift.X.Label, note = "parameter", strings.NewReplacer("a mode of the prior, from coarse to fine",
			"a parameter", "the modes", "the parameters").Replace(note)
	}
	width := &Chart{Kind: "certificate", Title: "Width", X: shift.X, Y: Axis{Label: "sd of the draws / posterior sd"}}
	for k, m := range methods {
		if m.Of == nil {
			return Panels{}, fmt.Errorf("certificate: %s has no certificate; leave it out", m.Name)
		}
		for _, c := range []struct {
			chart *Chart
			of    func() (values, errors []float64)
			exact float64
		}{{shift, m.Of.Shifts, 0}, {width, m.Of.Widths, 1}} {
			values, errors := c.of()
			if len(values) == 0 || len(values) != len(errors) {
				return Panels{}, fmt.Errorf("certificate: %s has %d values and %d standard errors; give as many of "+
					"both, and at least one", m.Name, len(values), len(errors))
			}
			x := make([]float64, len(values))
			low, high, exact := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
			for i, value := range values {
				if math.IsNaN(value+errors[i]) || math.IsInf(value+errors[i], 0) {
					return Panels{}, fmt.Errorf("certificate: %s: mode %d is %v ± %v; both must be finite", m.Name,
						i+1, value, errors[i])
				}
				const wide = 1.96
				x[i], exact[i] = float64(i+1), c.exact
				low[i], high[i] = c.exact-wide*errors[i], c.exact+wide*errors[i]
			}
			if k == 0 {
				c.chart.Band("exact draws", x, low, high, fade(Ink, 0.12))
				c.chart.Line("", x, exact, LineStyle{Color: Ink, Width: 1, Dashed: true, Mute: true})
			}
			texts := make([]string, len(x))
			for i, value := range values {
				name := fmt.Sprintf("mode %d", i+1)
				if i < len(v.Names) {
					name = clean(v.Names[i])
				}
				texts[i] = fmt.Sprintf("%s: %.3g ± %.2g", name, value, errors[i])
			}
			c.chart.Points(names[k], x, values, texts, PointStyle{Color: methodColor(k)})
		}
	}
	return Panels{Figures: []Figure{shift, width}, Title: v.Title, Note: note, Width: v.Width}, nil
}

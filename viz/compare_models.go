package viz

import (
	"errors"
	"fmt"
)

// Models is a list of models of the same data from best to worst, such as a calibrate.Comparison.
type Models interface {
	Len() int
	// Model returns the name of model i, its expected log predictive density elpd, and the difference of this
	// density to the best model's. se and dse are the standard errors of elpd and diff. All are in nats.
	Model(i int) (name string, elpd, se, diff, dse float64)
}

// ModelRanking shows how much worse each model predicts than the best one. The difference is a dot,
// with bars of one and two standard errors of the difference. If a bar reaches 0, the data do not
// distinguish the model from the best one.
type ModelRanking struct {
	Of    Models
	Title string
	Width float64 // px; 0 means 800
}

// Encode implements Figure.
func (v ModelRanking) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v ModelRanking) Chart() (*Chart, error) {
	if v.Of == nil || v.Of.Len() == 0 {
		return nil, errors.New("models: nothing to compare; give Of, such as calibrate.Compare's result")
	}
	n := float64(v.Of.Len())
	c := &Chart{Kind: "models", Title: v.Title, Width: v.Width,
		X:    Axis{Label: "rank (0 predicts best)", Min: -0.6, Max: n - 0.4, Whole: true},
		Y:    Axis{Label: "difference in expected log density (nats)"},
		Note: "Dot: difference to the best model. Bars: one and two standard errors of the difference."}
	c.Line("", []float64{-0.6, n - 0.4}, []float64{0, 0}, LineStyle{Color: frame, Width: 1, Dashed: true, Mute: true})
	for i := range v.Of.Len() {
		name, elpd, se, diff, dse := v.Of.Model(i)
		if !finite(elpd) || !finite(se) || !finite(diff) || !finite(dse) {
			return nil, fmt.Errorf("models: %s: elpd %g ± %g, difference %g ± %g; all must be finite", name, elpd, se,
				diff, dse)
		}
		at, col := []float64{float64(i)}, methodColor(i)
		if i > 0 { // the best model has no difference to itself
			c.Bars(name, at, []float64{diff - 2*dse}, []float64{diff + 2*dse}, col, 1.6)
			c.Bars(name, at, []float64{diff - dse}, []float64{diff + dse}, col, 5)
		}
		tip := fmt.Sprintf("%s\nelpd %s ± %s\ndifference %s ± %s", name, number(elpd), number(se), number(diff),
			number(dse))
		c.Points(name, at, []float64{diff}, []string{tip}, PointStyle{Color: col, Radius: 6, Halo: true})
	}
	return c, nil
}

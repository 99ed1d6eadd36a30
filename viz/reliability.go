package viz

import (
	"cmp"
	"errors"
	"fmt"
)

// Calibrated is a calibration curve with its consistency band, such as a calibrate.Reliability.
type Calibrated interface {
	// Curve returns the predicted probabilities, ascending, the shares of events, and the band.
	Curve() (x, y, low, high []float64)
}

// Reliability shows whether events of predicted probability p happen in a share p of cases: the curve lies in the band
// around the diagonal. Above the diagonal events are more frequent than predicted. Several groups have a curve each.
type Reliability struct {
	Of    []Calibrated
	Names []string // of the curves; needed if there are several
	Title string
	Width float64 // px; 0 means 520
}

// Encode implements Figure.
func (v Reliability) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Reliability) Chart() (*Chart, error) {
	if len(v.Of) == 0 {
		return nil, errors.New("reliability: no curve; give Of, such as the Reliability of a calibrate.Forecast")
	}
	if v.Names == nil && len(v.Of) == 1 {
		v.Names = []string{"share of events"}
	}
	if len(v.Names) != len(v.Of) {
		return nil, fmt.Errorf("reliability: %d names for %d curves", len(v.Names), len(v.Of))
	}
	v.Names = uniqueNames(v.Names, "calibrated")
	c := &Chart{Kind: "reliability", Title: v.Title, Width: v.Width, Height: 440,
		X: Axis{Label: "predicted probability", Min: 0, Max: 1}, Y: Axis{Label: "share of events", Min: 0, Max: 1}}
	c.Width = cmp.Or(c.Width, 520)
	c.Line("calibrated", []float64{0, 1}, []float64{0, 1}, LineStyle{Color: frame, Width: 1.2, Dashed: true,
		Mute: true})
	for k, of := range v.Of {
		x, y, low, high := of.Curve()
		l := Line{Name: v.Names[k], X: x, Y: y, Low: low, High: high}
		if err := l.check("reliability", false, false); err != nil {
			return nil, err
		}
		if low == nil {
			return nil, fmt.Errorf("reliability: %q has no band", l.Name)
		}
		c.Band(l.Name, x, low, high, fade(methodColor(k), 0.16))
	}
	for k, of := range v.Of {
		x, y, low, high := of.Curve()
		tips := make([]string, len(x))
		for i := range x {
			tips[i] = fmt.Sprintf("%s\npredicted %s\nshare %s\nband %s to %s", clean(v.Names[k]), number(x[i]),
				number(y[i]), number(low[i]), number(high[i]))
		}
		c.Line(v.Names[k], x, y, LineStyle{Color: methodColor(k)})
		c.Points(v.Names[k], x, y, tips, PointStyle{Color: methodColor(k), Radius: 2})
	}
	c.Note = "Line: isotonic curve. Band: 90% of calibrated forecasts, point by point."
	return c, nil
}

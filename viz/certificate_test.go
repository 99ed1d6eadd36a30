package viz_test

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// modes has the deviations of a certificate.
type modes struct{ shift, width float64 }

func (m modes) Shifts() (values, errors []float64) { return m.values(m.shift, 0.045, 0) }
func (m modes) Widths() (values, errors []float64) { return m.values(m.width-1, 0.032, 1) }

func (m modes) values(by, se, exact float64) (values, errors []float64) {
	for i := range 20 {
		values = append(values, exact+by*math.Exp(-float64(i)/5)+se*math.Sin(5*float64(i)))
		errors = append(errors, se)
	}
	return values, errors
}

func TestCertificate(t *testing.T) {
	good, bad := modes{0, 1}, modes{0.3, 0.8}
	v := viz.Certificate{Methods: []viz.CertifiedMethod{{"polished", good}, {"4 evaluations", bad}},
		Title: "Two samplers"}
	for _, format := range []viz.Format{viz.SVG, viz.PNG, viz.PDF, viz.HTML, viz.Text} {
		out, err := v.Encode(format)
		must.Be(t, err == nil && len(out) != 0, "%v: %d bytes, error %v", format, len(out), err)
		if format == viz.Text && (!strings.Contains(string(out), "shift (posterior sd)") ||
			!strings.Contains(string(out), "4 evaluations")) {
			t.Errorf("text: %s", out)
		}
	}
	for want, v := range map[string]viz.Certificate{
		"nothing to show":         {},
		"raw has no certificate":  {Methods: []viz.CertifiedMethod{{Name: "raw"}}},
		"0 values and 0 standard": {Of: none{}},
		"mode 1 is NaN":           {Of: modes{math.NaN(), 1}},
	} {
		must.Refuse(v.Encode(viz.SVG))(t, want)
	}
}

type none struct{}

func (none) Shifts() (values, errors []float64) { return nil, nil }
func (none) Widths() (values, errors []float64) { return nil, nil }

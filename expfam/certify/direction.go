package certify

import (
	"math"
	"strings"
)

// What a direction is worst in.
const (
	ofLocation = "location"
	ofWidth    = "width"
)

// Direction is a combination of parameters, each in its standard deviations.
type Direction struct {
	Of      string    `json:"of"` // location or width
	Names   []string  `json:"names"`
	Weights []float64 `json:"weights"` // of the named parameters; the squares of all have the sum 1
	Value   float64   `json:"value"`   // of the shift or the width
	SE      float64   `json:"se"`
	T       float64   `json:"t"` // standard normal for exact draws
}

// String names the parameters, such as ".7 beta[2] − .7 alpha".
func (d Direction) String() string {
	var b strings.Builder
	for i, name := range d.Names {
		w := d.Weights[i]
		switch {
		case i == 0 && w < 0:
			b.WriteString("−")
		case i > 0 && w < 0:
			b.WriteString(" − ")
		case i > 0:
			b.WriteString(" + ")
		}
		if len(d.Names) > 1 || math.Abs(w) < 0.95 {
			b.WriteString(decimals(math.Abs(w)) + " ")
		}
		b.WriteString(name)
	}
	return b.String()
}

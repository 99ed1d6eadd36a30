package viz_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// parameters are draws of two correlated parameters with log-normal priors.
type parameters struct{}

func (parameters) Marginals() (labels []string, draws, prior [][]float64) {
	r := rand.New(rand.NewPCG(8, 1))
	draws, prior = make([][]float64, 2), make([][]float64, 2)
	for range 300 {
		z := r.NormFloat64()
		draws[0] = append(draws[0], 0.15*math.Exp(0.2*z))
		draws[1] = append(draws[1], math.Exp(0.2*z+0.2*r.NormFloat64()))
		prior[0] = append(prior[0], 0.15*math.Exp(0.6*r.NormFloat64()))
		prior[1] = append(prior[1], math.Exp(0.6*r.NormFloat64()))
	}
	return []string{"length scale (km)", "sd"}, draws, prior
}

// TestMarginals: a panel a parameter with posterior and prior, two a pair, and every format.
func TestMarginals(t *testing.T) {
	v := viz.Marginals{Of: parameters{}, Pairs: true, Truth: []float64{0.15, 1}, Title: "Unknown parameters"}
	text := must.Get(v.Encode(viz.Text))(t)
	for _, want := range []string{"density against length scale (km)",
		"density against sd", "[pairs: correlation 0.76; truth; sd against length",
		"[pairs: prior; truth; length scale (km) against sd]"} {
		must.Be(t, strings.Contains(string(text), want), "there is no %q in\n%s", want, text)
	}
	for _, format := range []viz.Format{viz.SVG, viz.PNG, viz.HTML} {
		picture, err := v.Encode(format)
		must.Be(t, err == nil && len(picture) >= 1000, "%v: %d bytes, %v", format, len(picture), err)
	}
	v.Truth[1] = math.NaN() // not known
	text = must.Get(v.Encode(viz.Text))(t)
	must.Be(t, strings.Count(string(text), "truth") == 1 && !strings.Contains(string(text), "Left out"), "%s", text)
	v.Truth = v.Truth[:1]
	must.Refuse(v.Encode(viz.Text))(t, "1 true values of 2")
}

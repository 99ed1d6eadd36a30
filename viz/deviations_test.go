package viz_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

func normal(draws, cells int, sd float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(draws, cells, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(j) + sd*rng.NormFloat64() }, x)
	return x
}

// The title of a panel has the ratio of the widths: 0.7 for draws of half the variance, whose ends are 0.57 sd off.
func TestDeviations(t *testing.T) {
	v := viz.Deviations{Exact: normal(4000, 12, 2, 1), Title: "Two methods", Methods: []viz.Method{
		{Name: "exact again", Draws: normal(4000, 12, 2, 2)}, {Name: "half", Draws: normal(4000, 12, 1.414, 3)}}}
	text := string(must.Get(v.Encode(viz.Text))(t))
	for _, want := range []string{"exact again: ×1.00; upper, median, lower", "half: ×0.70"} {
		must.Be(t, strings.Contains(text, want), "there is no %q in\n%s", want, text)
	}
	for _, format := range []viz.Format{viz.SVG, viz.PNG, viz.HTML} {
		must.Be(t, len(must.Get(v.Encode(format))(t)) > 1000, "%v", format)
	}
	must.Refuse(viz.Deviations{}.Encode(viz.Text))(t, "give Exact")
	v.Methods[0].Draws = normal(4000, 11, 2, 2)
	must.Refuse(v.Encode(viz.Text))(t, "11 cells")
	v.Methods[0].Draws = normal(4000, 12, 0, 2)
	must.Refuse(v.Encode(viz.Text))(t, "all draws of cell 0 are equal")
}

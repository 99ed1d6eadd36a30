package law_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// TestTabulate: a table is its law, to the error of linear interpolation, which is h²/8 of the second derivative for
// scores h = 1/32 apart.
func TestTabulate(t *testing.T) {
	for _, l := range []law.Law{law.LogNormal{Median: 3, SD: 0.5}, law.PCSD{Above: 1, Probability: 0.1},
		distuv.Beta{Alpha: 4, Beta: 8}} {
		table := law.Tabulate(l)
		must.Do(t, law.Check(table))
		must.Be(t, table.String() == law.Text(l), "the table of %s is called %v", law.Text(l), table)
		for _, p := range []float64{0.001, 0.02, 0.31, 0.5, 0.9, 0.9995} {
			got, want := table.Quantile(p), l.Quantile(p)
			must.Be(t, math.Abs(got-want) <= 2e-3*want, "%v at %g: %g, not %g", table, p, got, want)
		}
		again := law.Tabulate(table)
		must.Be(t, &again.Values[0] == &table.Values[0], "the table of a table is another")
	}
}

// TestTableWithoutLaw: a probability that is none has no number, and a table of less than two numbers, or of one that
// is not finite, is refused.
func TestTableWithoutLaw(t *testing.T) {
	table := law.Tabulate(law.HalfNormal{SD: 2})
	for _, p := range []float64{math.NaN(), -0.1, 1.1} {
		must.Be(t, math.IsNaN(table.Quantile(p)), "the number at probability %g is %g", p, table.Quantile(p))
	}
	must.Equal(t, table.Quantile(1), table.Values[len(table.Values)-1], "at probability 1")
	for _, values := range [][]float64{nil, {1}, {0, math.Inf(1)}, {math.NaN(), 1}} {
		must.Err(t, law.Check(law.Table{Name: "prior", Values: values}), "prior: a table of")
	}
}

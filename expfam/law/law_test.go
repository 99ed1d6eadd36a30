package law_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// TestTails: the laws have the tails that their fields state.
func TestTails(t *testing.T) {
	for _, c := range []struct {
		law  law.Law
		at   float64
		want float64 // P(v < at)
	}{
		{law.PCSD{Above: 3, Probability: 0.05}, 3, 0.95},
		{law.PCRange{Below: 0.1, Probability: 0.02}, 0.1, 0.02},
		{law.PCRange{Below: 5, Probability: 0.3, Dims: 2}, 5, 0.3},
		{law.PCRange{Below: 5, Probability: 0.3, Dims: 2, Max: 20}, 5, 0.3},
		{law.PCRange{Below: 5, Probability: 0.3, Dims: 2, Max: 20}, 10, math.Pow(0.3, (1./10-1./20)/(1./5-1./20))},
		{law.PCVariance{Above: 1, Probability: 0.1}, 1, 0.9},
		{law.LogNormal{Median: 0.15, SD: 0.6}, 0.15, 0.5},
		{law.LogNormal{Median: 0.15, SD: 0.6}, 0.15 * math.Exp(0.6), distuv.UnitNormal.CDF(1)},
		// F(1) of Student's t with four degrees of freedom, by the trapezoid rule on 200,000 intervals.
		{law.LogStudent{Median: 3, Scale: 0.5, Low: 1e-300, High: 1e300}, 3, 0.5},
		{law.LogStudent{Median: 3, Scale: 0.5, Low: 1e-300, High: 1e300}, 3 * math.Exp(0.5), 0.8130495168499706},
		{law.LogStudent{Median: 3, Scale: 0.5, Low: 3, High: 1e300}, 3 * math.Exp(0.5), 2*0.8130495168499706 - 1},
		{law.HalfNormal{SD: 2}, 2, 2*distuv.UnitNormal.CDF(1) - 1},
		{law.Normal{Mean: -1, SD: 2}, 1, distuv.UnitNormal.CDF(1)},
		{distuv.Uniform{Min: 1, Max: 3}, 1.5, 0.25},
	} {
		must.Do(t, law.Check(c.law))
		got := distuv.UnitNormal.CDF(law.Score(c.law, c.at))
		must.Be(t, math.Abs(got-c.want) <= 1e-9, "%s: P(v < %g) is %g, not %g", law.Text(c.law), c.at, got, c.want)
	}
}

// TestFrechet: the density of the range in two dimensions is that of Fuglstad et al. (2019), λρ⁻² exp(−λ/ρ).
func TestFrechet(t *testing.T) {
	l := law.PCRange{Below: 2, Probability: 0.05, Dims: 2}
	lambda := -math.Log(0.05) * 2
	for _, p := range []float64{0.1, 0.5, 0.9} {
		const h = 1e-5
		rho, density := l.Quantile(p), 2*h/(l.Quantile(p+h)-l.Quantile(p-h))
		want := lambda / (rho * rho) * math.Exp(-lambda/rho)
		must.Be(t, math.Abs(density/want-1) <= 1e-6, "at %g the density is %g, not %g", rho, density, want)
	}
}

// TestBound: a truncated law ends at its bound, and below it has the shape of the whole law.
func TestBound(t *testing.T) {
	whole, cut := law.PCVariance{Above: 0.2, Probability: 0.05}, law.PCVariance{Above: 0.2, Probability: 0.05, Max: 1}
	mass := distuv.UnitNormal.CDF(law.Score(whole, 1))
	for _, p := range []float64{0.01, 0.5, 0.99} {
		got, want := cut.Quantile(p), whole.Quantile(p*mass)
		must.Be(t, math.Abs(got/want-1) <= 1e-9, "quantile %g is %g, not %g", p, got, want)
	}
	got := cut.Quantile(1)
	must.Be(t, math.Abs(got-1) <= 1e-12, "the law ends at %g, not at 1", got)
}

// TestRefused: laws that are no distributions are refused in one sentence.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		law  law.Law
		want string
	}{
		{nil, "no law"},
		{distuv.Uniform{Min: 0, Max: math.Inf(1)}, "no proper distribution"},
		{distuv.Uniform{Min: 2, Max: 2}, "constant 2"},
		{law.PCSD{Above: -1, Probability: 0.05}, "positive"},
		{law.PCSD{Above: 1, Probability: 1.5}, "between 0 and 1"},
		{law.PCRange{Below: 1, Probability: 0.05, Dims: -1}, "dimensions"},
		{law.PCRange{Below: 1, Probability: 0.05, Max: 1}, "above 1"},
		{law.PCVariance{Above: 1, Probability: 0.05, Max: math.Inf(1)}, "bound"},
		{law.LogNormal{Median: 1}, "positive"},
		{law.HalfNormal{SD: math.NaN()}, "positive"},
		{law.LogStudent{Median: 1, Scale: 1, Low: 2, High: 1}, "Low below High"},
		{law.LogStudent{Median: 1, Low: 1, High: 2}, "positive"},
		{law.Normal{SD: math.Inf(1)}, "finite"},
	} {
		must.Err(t, law.Check(c.law), c.want)
	}
}

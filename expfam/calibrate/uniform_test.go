package calibrate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// What figures are given is what NewHistogram and NewECDF say of the same values.
func TestUniformsAreWhatFiguresTake(t *testing.T) {
	model := Joint{Prior: few, Likelihood: normal}
	s := SBC{Name: "exact", Model: model, Sample: exactly(func(_, _ []float64) {}), Simulations: 60, Seed: 1}
	a := run(t, s)
	s.Name, s.Seed = "again", 2
	b := run(t, s)
	text := a.String()
	must.Be(t, strings.HasPrefix(text, "exact\n"), "a result without its name: %q", text)
	both := Across(1, a, b)
	for k, r := range []*SBCResult{a, b} {
		name, z, d, low, high, err := both.Curve(k)
		e := must.Get(NewECDF(r.PIT(1), 0.95))(t).Difference()
		must.Be(t, err == nil && name == r.Name && slices.Equal(z, e.Z) && slices.Equal(d, e.F) &&
			slices.Equal(low, e.Low) && slices.Equal(high, e.High),
			"curve %d is %q, %v", k, name, err)
	}
	all := a.Uniforms()
	must.Be(t, all.Len() == len(a.Names) && all[3].Name == a.Names[3], "%d quantities of %v", all.Len(), a.Names)
	counts, expected, low, high, err := a.Uniform(0).Bins()
	h := must.Get(NewHistogram(a.PIT(0), 10, 0.95))(t)
	must.Be(t, err == nil && slices.Equal(counts, h.Counts) && expected == h.Expected && low == h.Low && high == h.High,
		"bins %v, %g, %g, %g, %v", counts, expected, low, high, err)
	_, _, _, _, err = (Uniform{Values: []float64{2}}).Bins()
	must.Be(t, err != nil, "a value of 2 is accepted")
	_, _, _, _, _, err = (Uniforms{{Values: nil}}).Curve(0)
	must.Be(t, err != nil, "no values are accepted")
}

func TestReplicatedIsReplicate(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{{3, 0, 2}}, Known: [][]float64{{7, 0, 4}}}))(t)
	post := &expfam.Posterior{X: table(50, 3, func(i, j int) float64 { return float64(i%5-j) / 3 }).X, Likelihood: like}
	r := must.Get(Replicated(post, obs, 1))(t)
	y, stats, err := Replicate(post, obs, nil, 1)
	must.Be(t, err == nil && slices.Equal(r.Observed, stats) && slices.Equal(r.Sizes, []float64{7, 4}) &&
		r.Draws.At(9, 1) == y.At(9, 1),
		"%+v, %v", r, err)
}

// A group of one cell has no standard error, and a band of shares ends at 1.
func TestSharesOfGroups(t *testing.T) {
	x, y, low, high := Scores{1, 0, 1, 1, 1, 1}.By([]float64{1, 2, 3, 11, 12, 21}, []float64{0, 10, 20, 30}).
		Shares([]float64{5, 15, 25})
	se := math.Sqrt(1.0/3) / math.Sqrt(3)
	must.Be(t, slices.Equal(x, []float64{5, 15}) && slices.Equal(y, []float64{2. / 3, 1}) && high[0] == 1 &&
		high[1] == 1 && math.Abs(low[0]-(2./3-2*se)) <= 1e-15 && low[1] == 1,
		"%v %v %v %v", x, y, low, high)
}

package law_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// TestReplace: laws are given by name, and a name twice, none or unknown is refused.
func TestReplace(t *testing.T) {
	sd, length := law.Parameter{Name: "sd", Law: law.PCSD{Above: 3, Probability: 0.05}},
		law.Parameter{Name: "length scale", Law: law.PCRange{Below: 0.1, Probability: 0.05}}
	got, err := law.Replace([]law.Parameter{sd, length}, law.Laws{"sd": law.HalfNormal{SD: 1}})
	must.Be(t, err == nil && law.Text(got[0].Law) == "half-normal(sd=1)" && got[1] == length, "%v, %v", got, err)
	for _, c := range []struct {
		all  []law.Parameter
		laws law.Laws
		want string
	}{
		{[]law.Parameter{sd, sd}, nil, "two parameters"},
		{[]law.Parameter{{Law: sd.Law}}, nil, "no name"},
		{[]law.Parameter{sd}, law.Laws{"lenght": sd.Law}, `unknown parameters are: "sd"`},
		{[]law.Parameter{sd}, law.Laws{"sd": distuv.Uniform{Min: 1, Max: 1}}, "constant"},
	} {
		must.Refuse(law.Replace(c.all, c.laws))(t, c.want)
	}
}

// TestScores: values of parameters are those of their scores, and scores have the standard normal density up to ±7.
func TestScores(t *testing.T) {
	all := []law.Parameter{{Law: law.Normal{Mean: 2, SD: 3}}, {Law: law.Normal{SD: 1}}}
	values := law.Values(all, []float64{1, -2})
	must.Be(t, math.Abs(values[0]-5) <= 1e-12 && math.Abs(values[1]+2) <= 1e-12, "values %v, want 5 and -2", values)
	must.Equal(t, law.LogDensity([]float64{1, -2}), -2.5, "log density")
	must.Equal(t, law.LogDensity([]float64{0, 7.1}), math.Inf(-1), "log density beyond the last score")
}

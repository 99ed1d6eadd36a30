package law_test

import (
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

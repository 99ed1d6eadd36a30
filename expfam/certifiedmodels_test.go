package expfam_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/operator"
)

// certifiedModel is a model whose posterior is known in closed form.
type certifiedModel struct {
	name  string
	prior interface {
		expfam.Prior
		Mean() []float64
		Cov() *mat.SymDense
	}
	like expfam.Likelihood
	obs  expfam.Observations
}

func certifiedModels(t *testing.T) []certifiedModel {
	t.Helper()
	rng := expfam.Stream(1, "certified")
	normal := func(cells int, keep func(j int) bool, sd float64) expfam.Observations {
		obs, n := make(expfam.Observations, cells), 1/(sd*sd)
		for j := range obs {
			if keep(j) {
				obs[j] = expfam.Term{Stat: n * rng.NormFloat64(), Size: n}
			}
		}
		return obs
	}
	all := func(int) bool { return true }
	blocks := &operator.Downsample{Cols: 30, Across: 3}
	return []certifiedModel{
		{"thirty cells", gp.RBF{}, expfam.Likelihood{Family: expfam.Normal{}}, normal(30, all, 1)},
		{"smooth, half missing", gp.RBF{Cells: 20, Length: 0.6}, expfam.Likelihood{Family: expfam.Normal{}},
			normal(20, func(j int) bool { return j%2 == 0 }, 0.5)},
		{"one datum", gp.RBF{Cells: 12, Length: 0.3}, expfam.Likelihood{Family: expfam.Normal{}},
			normal(12, func(j int) bool { return j == 5 }, 0.2)},
		{"no data", gp.RBF{Cells: 12}, expfam.Likelihood{Family: expfam.Normal{}}, make(expfam.Observations, 12)},
		{"behind an operator", gp.RBF{}, expfam.Likelihood{Family: expfam.Normal{}, Operator: blocks},
			normal(10, all, 0.3)},
	}
}

package viz_test

import (
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/viz"
	"gonum.org/v1/gonum/mat"
)

const cells = 30

// posterior makes log-normal draws around a sine, the same for the same seed.
func posterior(seed uint64, draws int) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(draws, cells, nil)
	for j := range cells {
		mu := 2*math.Sin(float64(j)/4) + 0.2*r.NormFloat64()
		for i := range draws {
			m.Set(i, j, math.Exp(1+0.6*(mu+0.5*r.NormFloat64())))
		}
	}
	return m
}

func truth() []float64 {
	t := make([]float64, cells)
	for j := range t {
		t[j] = math.Exp(1 + 1.2*math.Sin(float64(j)/4))
	}
	return t
}

// five is the most crowded figure of the lessons: 30 cells, five methods.
func five() viz.Intervals {
	v := viz.Intervals{Truth: truth(), Title: "Poisson, low rate", YLabel: "θ (events per cell)", LogY: true}
	for k, name := range []string{"HMC", "ours", "DPS", "Poisson-LS", "oracle"} {
		v.Methods = append(v.Methods, viz.Method{Name: name, Draws: posterior(uint64(k+1), 200)})
	}
	return v
}

func losses(n int) []float64 {
	r := rand.New(rand.NewPCG(3, 1))
	y := make([]float64, n)
	for i := range y {
		y[i] = 0.3 + 2*math.Exp(-8*float64(i)/float64(n)) + 0.1*math.Abs(r.NormFloat64())
	}
	return y
}

// figures are all kinds of chart, by the name of their golden file.
func figures() map[string]interface {
	viz.Figure
	Chart() (*viz.Chart, error)
} {
	held := []float64{1.4, 0.8, 0.55, 0.45, 0.44, 0.46, 0.5}
	x := []float64{-1, -0.5, 0, 0.5, 1}
	exp := make([]float64, len(x))
	low, high := make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		exp[i] = math.Exp(v)
		low[i], high[i] = 0.8*exp[i], 1.25*exp[i]
	}
	return map[string]interface {
		viz.Figure
		Chart() (*viz.Chart, error)
	}{
		"one": viz.Intervals{Draws: posterior(1, 200), Truth: truth(),
			Observed: append([]float64{math.NaN()}, truth()[1:]...)},
		"five":    five(),
		"density": viz.Density{Methods: five().Methods[:3], Truth: truth(), Cell: 6, Title: "Cell 6"},
		"curve":   viz.Curve{Train: losses(2000), HeldOut: held, LogY: true},
		"arrows": viz.Lines{Lines: []viz.Line{{Name: "exact", X: x, Y: exp, Color: viz.Ink}},
			Arrows: []viz.Arrow{{Name: "exact", X: 0, Y: 1, DX: 0.5, DY: 0.5},
				{Name: "conjugate", X: 0.5, Y: exp[3], DX: -0.5, DY: -1, Color: viz.OkabeIto[0]}}, Title: "Slopes"},
		"histogram": viz.Histogram{Of: binned{[]int{41, 18, 14, 12, 13, 11, 16, 15, 22, 38}, 20, 9, 33},
			Title: "Ranks of a posterior that is too narrow"},
		"models": viz.ModelRanking{Of: models{{"softplus", -61.2, 4.1, 0, 0}, {"exp", -63.9, 4.6, -2.7, 1.6},
			{"8 sigmoid", -75.4, 6, -14.2, 4.4}}, Title: "Which link?"},
		"uniformity": viz.Uniformity{Of: sets{"exact", "narrow"}, Title: "Two posteriors"},
		"predictive": hundred(4, 60),
		"predictive-order": viz.Predictive{Draws: posterior(1, 200), Observed: truth(), InOrder: true,
			Title: "In order"},
		"lines": viz.Lines{Lines: []viz.Line{{Name: "exp(x)", X: x, Y: exp, Low: low, High: high},
			{Name: "identity", X: x, Y: x, Dashed: true}}, Title: "Links", XLabel: "x", YLabel: "g⁻¹(x)",
			Note: "Band: 95% equal-tailed."},
	}
}

// sets are curves of values that should be uniform, the further off the later.
type sets []string

func (s sets) Len() int { return len(s) }

func (s sets) Curve(k int) (name string, z, difference, low, high []float64, err error) {
	for i := 1; i < 20; i++ {
		u := float64(i) / 20
		z, difference = append(z, u), append(difference, 0.1*float64(k)*math.Sin(2*math.Pi*u))
		low, high = append(low, -0.2*math.Sqrt(u*(1-u))), append(high, 0.2*math.Sqrt(u*(1-u)))
	}
	return s[k], z, difference, low, high, nil
}

// models are rows of a comparison.
type models []struct {
	name                string
	elpd, se, diff, dse float64
}

func (m models) Len() int { return len(m) }
func (m models) Model(i int) (name string, elpd, se, diff, dse float64) {
	return m[i].name, m[i].elpd, m[i].se, m[i].diff, m[i].dse
}

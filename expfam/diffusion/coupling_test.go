package diffusion_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// Many cells that are coupled have the sd of the exact posterior, although no cell by itself tells much.
func TestLongCurves(t *testing.T) {
	for _, cells := range []int{200, 600} {
		like, prior := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}, gp.RBF{Cells: cells}
		y := make([]float64, cells)
		for j := range y {
			y[j] = math.Sin(float64(j)/40) + 0.5*math.Cos(float64(7*j))
		}
		obs := expfam.Must(like.Observe1(y...))
		exact := expfam.Must(gp.Exact(prior, like, obs))
		post := must.Get(Sample(prior, like, obs,
			Sampler{Draws: 128, Seed: 1, Fresh: true, Engine: enginetest.Fast(t)}))(t)
		var off, got, want float64
		for j, sd := range post.Latent().SD() {
			v := exact.Cov.At(j, j)
			off += math.Pow(post.Latent().Mean()[j]-exact.Mean[j], 2) / v
			got, want = got+sd*sd, want+v
		}
		// 128 draws of some ten free directions: the ratio has a standard error of 0.02, and off/cells one of 1/128.
		ratio := math.Sqrt(got / want)
		must.Be(t, math.Abs(ratio-1) <= 0.08 && off/float64(cells) <= 0.05,
			"%d cells: sd %.3f times the exact one, mean off by %.3f sd", cells, ratio, math.Sqrt(off/float64(cells)))
	}
}

// A column in its own unit is right, or refused by the cause.
func TestColumnsInTheirOwnUnit(t *testing.T) {
	const cells = 12
	for name, c := range map[string]struct {
		column func(u float64) float64
		sd     float64
		says   string // "" if the posterior is sampled
	}{
		"metres": {func(u float64) float64 { return 3000 * u }, 1,
			"column 0 of the design (cell 12 of the prior) has values up to 3000 in the operator"},
		"years":           {func(u float64) float64 { return 1990 + 30*u }, 1, "values up to 2020"},
		"a constant":      {func(float64) float64 { return 1e4 }, 1, "values up to 1e+04"},
		"people":          {func(u float64) float64 { return 1e6 * u }, 0.1, "centre and rescale it"},
		"negative metres": {func(u float64) float64 { return -3000 * u }, 1, "values up to -3000"},
		"kilometres":      {func(u float64) float64 { return 3 * u }, 1, ""},
		"known in metres": {func(u float64) float64 { return 3000 * u }, 0.001, ""},
		"tiny":            {func(u float64) float64 { return 1e-6 * u }, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			z, y := mat.NewDense(cells, 1, nil), make([]float64, cells)
			for j := range y {
				u := float64(j) / (cells - 1)
				z.Set(j, 0, c.column(u))
				y[j] = math.Round(8 * math.Exp(-2*u))
			}
			like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: operator.Design(z)}
			beta := expfam.Must(gp.New(nil, mat.NewSymDense(1, []float64{c.sd * c.sd})))
			prior := expfam.Product(gp.RBF{Cells: cells}, beta)
			_, err := Sample(prior, like, expfam.Must(like.Observe1(y...)), Sampler{Draws: 16, Fresh: true,
				Engine: enginetest.Open(t, "go")})
			must.Be(t, (err == nil) == (c.says == "") && (err == nil || strings.Contains(fmt.Sprint(err), c.says)),
				"error %v, want %q", err, c.says)
		})
	}
}

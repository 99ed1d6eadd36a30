package counts

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// The kriging equations with a Lagrange multiplier m, as textbooks have them (Cressie 1993, section 3.2): Σλ + m1 = c,
// λᵀ1 = 1; the prediction is λᵀz, its variance C(0) − λᵀc − m.
func TestKrigingIsItsEquations(t *testing.T) {
	g, obs := survey(t)
	for _, nu := range []float64{0.5, 1.5, 2.5} {
		k := Kriging{Grid: g, Range: 1500, SD: 0.8, Nugget: 0.3, Smoothness: nu}
		_, _, mean, sd, err := k.predict(prevalence, obs)
		must.Do(t, err)
		covariance := func(i, j int) float64 {
			chord := 2 * g.Radius * math.Sin(arc(g, i, j)/(2*g.Radius))
			u := math.Sqrt(8*nu) * chord / 1500
			c := 0.64 * math.Exp(-u) * map[float64]float64{0.5: 1, 1.5: 1 + u, 2.5: 1 + u + u*u/3}[nu]
			if i == j {
				c += 0.09
			}
			return c
		}
		var cells []int
		for j, o := range obs {
			if o.Size > 0 {
				cells = append(cells, j)
			}
		}
		n := len(cells)
		border := mat.NewDense(n+1, n+1, nil)
		z := mat.NewVecDense(n+1, nil)
		for a, i := range cells {
			for b, j := range cells {
				border.Set(a, b, covariance(i, j))
			}
			y, rest := obs[i].Stat+0.5, obs[i].Size-obs[i].Stat+0.5
			border.Set(a, a, covariance(i, i)+1/y+1/rest)
			border.Set(a, n, 1)
			border.Set(n, a, 1)
			z.SetVec(a, math.Log(y/rest))
		}
		for j := range obs {
			right := mat.NewVecDense(n+1, nil)
			right.SetVec(n, 1)
			for a, i := range cells {
				right.SetVec(a, covariance(i, j))
			}
			var lambda mat.VecDense
			must.Do(t, lambda.SolveVec(border, right))
			near(t, fmt.Sprintf("ν = %g: mean of cell %d", nu, j), mean[j], mat.Dot(&lambda, z), 1e-9)
			// The law of cosines knows small distances to 1e-8 of the radius.
			near(t, fmt.Sprintf("ν = %g: variance of cell %d", nu, j), sd[j]*sd[j],
				covariance(j, j)-mat.Dot(&lambda, right), 1e-6)
		}
	}
}

// The likelihood is that of N−1 orthonormal contrasts.
func TestRestrictedLikelihood(t *testing.T) {
	const n = 9
	at, z, noise := make([]place, n), make([]float64, n), make([]float64, n)
	for i := range at {
		u := float64(i)
		at[i], z[i], noise[i] = place{math.Sin(u), u / 3}, math.Cos(3*u)+5, 0.1+u/50
	}
	v := variogram{2, 0.9, 0.2, 1.5}
	s, ok := v.system(at, z, noise)
	must.Need(t, ok, "not positive definite")
	contrasts := mat.NewDense(n-1, n, nil) // Helmert's
	for r := 1; r < n; r++ {
		for c := range r {
			contrasts.Set(r-1, c, 1/math.Sqrt(float64(r*(r+1))))
		}
		contrasts.Set(r-1, r, -float64(r)/math.Sqrt(float64(r*(r+1))))
	}
	sigma := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			sigma.SetSym(i, j, v.at(at[i].distance(at[j])))
		}
		sigma.SetSym(i, i, 0.81+0.04+noise[i])
	}
	var half, full mat.Dense
	half.Mul(contrasts, sigma)
	full.Mul(&half, contrasts.T())
	cov := mat.NewSymDense(n-1, nil)
	for i := range n - 1 {
		for j := range n - 1 {
			cov.SetSym(i, j, full.At(i, j))
		}
	}
	var w mat.VecDense
	w.MulVec(contrasts, mat.NewVecDense(n, z))
	normal, ok := distmv.NewNormal(make([]float64, n-1), cov, nil)
	must.Need(t, ok, "no covariance")
	near(t, "log-likelihood", s.logLikelihood, normal.LogProb(w.RawVector().Data), 1e-10)
}

// A field of known range 6 and sd 1 on 24×24 cells, half of them examined 200 times: it holds some 16 independent
// pieces, so that log sd is known to about 1/√32 = 0.18 and log range, which goes with it, to twice that.
func TestKrigingFits(t *testing.T) {
	g := grid.Grid{Rows: 24, Cols: 24}
	at := places(g)
	truth := variogram{6, 1, 0, 0.5}
	cov := mat.NewSymDense(g.Len(), nil)
	for i := range at {
		for j := range at {
			cov.SetSym(i, j, truth.at(at[i].distance(at[j])))
		}
	}
	normal, ok := distmv.NewNormal(make([]float64, g.Len()), cov, expfam.Stream(3, "test/kriging"))
	must.Need(t, ok, "no covariance")
	logit := normal.Rand(nil)
	theta, known := make([]float64, g.Len()), make([]float64, g.Len())
	for j, l := range logit {
		theta[j] = 1 / (1 + math.Exp(-l))
		if j%2 == 0 {
			known[j] = 200
		}
	}
	data := must.Get(prevalence.Simulate(theta, known, 1, 1))(t)
	obs := must.Get(prevalence.Observe(data))(t)
	post := must.Get(Kriging{Grid: g}.Sample(prevalence, obs, Options{Draws: 2000, Seed: 1}))(t)
	must.Do(t, post.Check())
	d := post.Info.Diagnostics
	t.Logf("%v", d)
	near(t, "log sd", math.Log(d["sd"]), 0, 0.54)
	near(t, "log range", math.Log(d["range"]/6), 0, 1)
	// 288 cells without data, worth a quarter of that: 0.9 ± 3·0.035.
	low, high := post.EqualTailed(0.9)
	var inside []float64
	for j, v := range theta {
		if j%2 == 1 {
			in := 0.0
			if low[j] < v && v < high[j] {
				in = 1
			}
			inside = append(inside, in)
		}
	}
	near(t, "coverage of 90% intervals", stat.Mean(inside, nil), 0.9, 0.105)
	few := must.Get(Kriging{Grid: g}.Sample(prevalence, obs, Options{Draws: 2, Seed: 1}))(t)
	must.Be(t, mat.Equal(few.X, post.X.Slice(0, 2, 0, g.Len())), "the first draws depend on how many there are")
}

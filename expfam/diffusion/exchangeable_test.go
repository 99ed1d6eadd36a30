package diffusion_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
)

// equicorrelated is (1−ρ) I + ρ 11ᵀ.
func equicorrelated(m int, rho float64) *mat.SymDense {
	k := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range m {
			k.SetSym(i, j, rho)
		}
		k.SetSym(i, i, 1)
	}
	return k
}

var situations = []Scene{
	{Rho: 0.9, Level: expfam.LevelAt(30), X: []float64{0.3, -0.2, 1.1}},
	{Rho: 0.6, Level: expfam.LevelAt(1), X: []float64{0.3, -0.2, 1.1}},
	{Rho: 0, Level: expfam.LevelAt(0.4), X: []float64{0.3, -0.2, 1.1}},
	{Rho: 0.99, Level: expfam.LevelAt(0.1)},
}

// A Normal likelihood under the identity has all of it in closed form:
// y | x_t ~ N(m, C + σ² I), and the guidances that couple the cells are exact.
func TestExchangeableNormal(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	y := []float64{0.7, -0.4, 1.9}
	e := Exchangeable{like, observe(t, like, y...)}
	logs, exact, err := e.Exact(situations...)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range situations {
		sigma := s.Level.Sigma()
		cov := conditional(t, equicorrelated(3, s.Rho), sigma)
		x := s.X
		if x == nil {
			x = make([]float64, 3)
		}
		mean, total := mat.NewVecDense(3, nil), mat.NewSymDense(3, nil)
		mean.MulVec(cov, mat.NewVecDense(3, x))
		mean.ScaleVec(s.Level.SqrtAlpha/s.Level.V, mean)
		total.AddSym(cov, mat.NewDiagDense(3, []float64{0.25, 0.25, 0.25}))
		normal, _ := distmv.NewNormal(mean.RawVector().Data, total, nil)
		near(t, fmt.Sprintf("scene %d: log evidence", i), logs[i], normal.LogProb(y), 1e-9)
		var pull, want mat.VecDense
		pull.SubVec(mat.NewVecDense(3, y), mean)
		if err := pull.SolveVec(total, &pull); err != nil {
			t.Fatal(err)
		}
		want.MulVec(cov, &pull)
		for j := range 3 {
			near(t, fmt.Sprintf("scene %d, cell %d", i, j), exact[i][j], want.AtVec(j), 1e-9)
		}
	}
	for _, guide := range []Guidance{Corrected{}, Quadrature{}} {
		shifts, err := e.Shift(guide, situations...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range situations {
			for j := range 3 {
				// Two conjugate gradients solve a system with two eigenvalues.
				near(t, fmt.Sprintf("%v: scene %d, cell %d", guide, i, j), shifts[i][j], exact[i][j], 1e-6)
			}
		}
	}
}

// One cell is what the microscope sees, and cells without correlation are many
// of them.
func TestExchangeableAlone(t *testing.T) {
	for _, c := range closed {
		c.obs = c.obs[:3]
		t.Run(c.like.String(), func(t *testing.T) {
			s := Scene{Level: expfam.LevelAt(0.8), X: []float64{0.3, -0.2, 1.1}}
			logs, shifts, err := Exchangeable{c.like, c.obs}.Exact(s)
			if err != nil {
				t.Fatal(err)
			}
			var sum float64
			for j, term := range c.obs {
				v := see(t, Microscope{Level: s.Level, Likelihood: c.like, Term: term}, s.X[j])[0]
				sum += v.Exact.Log
				near(t, fmt.Sprintf("cell %d", j), shifts[0][j], v.Exact.Slope*s.Level.V/s.Level.SqrtAlpha, 1e-8)
			}
			near(t, "log evidence", logs[0], sum, 1e-8)
		})
	}
}

// The shift is (v/√α) times the gradient of the log-evidence.
func TestExchangeableIsAGradient(t *testing.T) {
	for _, c := range closed {
		e := Exchangeable{c.like, c.obs[:3]}
		t.Run(c.like.String(), func(t *testing.T) {
			for i, s := range situations[:3] {
				_, shifts, err := e.Exact(s)
				if err != nil {
					t.Fatal(err)
				}
				for j := range 3 {
					slope := differences(func(x float64) float64 {
						moved := s
						moved.X = append([]float64{}, s.X...)
						moved.X[j] = x
						logs, _, _ := e.Exact(moved)
						return logs[0]
					}, s.X[j], 0.02*math.Sqrt(s.Level.V))
					near(t, fmt.Sprintf("scene %d, cell %d", i, j), shifts[0][j], slope*s.Level.V/s.Level.SqrtAlpha,
						1e-6)
				}
			}
		})
	}
}

// Guidances see the same as under the Gaussian prior that this is.
func TestExchangeableShift(t *testing.T) {
	prior := expfam.Must(gp.New(nil, equicorrelated(6, 0.7)))
	for _, c := range closed {
		for _, guide := range []Guidance{Evidence{}, Quadrature{Independent: true}, Quadrature{Steps: 3}, Corrected{},
			Tempered{}, Delta{}} {
			t.Run(fmt.Sprintf("%v/%v", c.like, guide), func(t *testing.T) {
				x, _, want := seen(t, prior, c.like, c.obs, guide, 0.8)
				var at []Scene
				for k := range 3 {
					at = append(at, Scene{Rho: 0.7, Level: expfam.LevelAt(0.8), X: x.RawRowView(k)})
				}
				got, err := Exchangeable{c.like, c.obs}.Shift(guide, at...)
				if err != nil {
					t.Fatal(err)
				}
				for k := range 3 {
					for j := range 6 {
						near(t, fmt.Sprintf("draw %d, cell %d", k, j), got[k][j], want.At(k, j), 1e-9)
					}
				}
			})
		}
	}
}

func TestExchangeableErrors(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}}
	for _, c := range []struct {
		e    Exchangeable
		s    Scene
		want string
	}{
		{Exchangeable{Likelihood: like}, Scene{},
			"exchangeable: there are no observations; give Obs one term for each cell"},
		{Exchangeable{like, make(expfam.Observations, 2)}, Scene{Rho: 1, Level: expfam.LevelAt(1)},
			"exchangeable: scene 0: the correlation is 1; it must be at least 0 and below 1"},
		{Exchangeable{like, make(expfam.Observations, 2)}, Scene{},
			"exchangeable: scene 0: level {SqrtAlpha:0 V:0}; both parts must be positive"},
		{Exchangeable{like, make(expfam.Observations, 2)}, Scene{Level: expfam.LevelAt(1), X: []float64{1}},
			"exchangeable: scene 0: 1 values of x_t for 2 cells"},
	} {
		if _, _, err := c.e.Exact(c.s); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

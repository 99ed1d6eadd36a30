package gmrf

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// The fast transforms and the variances in closed form are those of the matrices of cosines.
func TestLatticeAgainstMatrices(t *testing.T) {
	for _, side := range [][2]int{{1, 1}, {1, 7}, {2, 5}, {13, 4}, {6, 6}, {1, 97}} {
		for _, length := range []float64{0.3, 4, 60, 3000} {
			for alpha := 1; alpha <= 2; alpha++ {
				g := grid.Grid{Rows: side[0], Cols: side[1], X: grid.Axis{Step: 1.5}, Y: grid.Axis{Step: -0.7}}
				l := Prior{Grid: g}.lattice()
				s := l.spectrum(alpha, length)
				along, cross := cosines(l.rows), l.alongCols
				var half, want mat.Dense
				half.Mul(squared(along), s.inverse)
				want.Mul(&half, squared(cross).T())
				name := fmt.Sprintf("%v, range %g, alpha %d", side, length, alpha)
				for k, v := range want.RawMatrix().Data {
					near(t, name+": sd", s.scale[k], math.Sqrt(v), 1e-11*math.Sqrt(v))
				}
				z := mat.NewDense(l.rows, l.cols, nil)
				z.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i + 5*j + 1)) }, z)
				half.Reset()
				half.Mul(along, z)
				want.Mul(&half, cross.T())
				x := l.synthesise(mat.DenseCopyOf(z))
				must.Be(t, mat.EqualApprox(x, &want, 1e-12) && mat.EqualApprox(l.analyse(x), z, 1e-12),
					"%s: the transforms are off", name)
			}
		}
	}
}

func squared(m *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.MulElem(m, m)
	return &out
}

// A long thin grid takes memory in proportion to its cells, and far from its ends it is the middle of a short one.
func TestLongGrids(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}}
	middle := func(rows, cols int) (mean, variance float64) {
		g := grid.Grid{Rows: rows, Cols: cols}
		y := make([]float64, g.Len())
		for j := range y {
			r, c := g.Cell(j)
			along := float64(r - rows/2 + c - cols/2)
			if y[j] = math.Cos(along); math.Mod(math.Abs(along), 7) == 3 {
				y[j] = math.NaN()
			}
		}
		prior := Prior{Grid: g, Range: 12, SD: 1, KnownLevel: true}
		fit := must.Get(Fit(prior, like, expfam.Must(like.Observe1(y...))))(t)
		j := g.Index(rows/2, cols/2)
		return fit.Mean()[j], fit.Variance()[j]
	}
	for _, side := range [][2]int{{1, 20000}, {2, 20000}, {3, 20000}, {20000, 1}, {19999, 1}, {20000, 2}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mean, variance := middle(side[0], side[1])
		runtime.ReadMemStats(&after)
		if mb := (after.Sys - before.Sys) >> 20; mb > 500 { // a matrix of 20000 × 20000 numbers takes 3200 MB
			t.Errorf("%v: %d MB", side, mb)
		}
		short := func(n int) int { return min(n, 1000+n%2) }
		m, v := middle(short(side[0]), short(side[1]))
		near(t, fmt.Sprintf("%v: mean", side), mean, m, 1e-9)
		near(t, fmt.Sprintf("%v: variance", side), variance, v, 1e-9)
	}
}

// The hyperparameters of a long series are fitted in seconds, also where nothing varies.
func TestLongSeriesIsFitted(t *testing.T) {
	g := grid.Grid{Rows: 1, Cols: 5000}
	rng := expfam.Stream(3, "series")
	x := expfam.Must(Prior{Grid: g, Range: 60, SD: 0.5, Level: 1, KnownLevel: true}.Draw(rng))
	varying, flat := make([]float64, len(x)), make([]float64, fulltest.N(8000, 20000))
	for j, v := range x {
		varying[j] = expfam.Poisson{}.Rand(math.Exp(v), expfam.Known{}, rng)
	}
	for j := range flat {
		flat[j] = float64(rng.IntN(5))
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	fit := must.Get(Fit(Prior{Grid: g}, like, expfam.Must(like.Observe1(varying...))))(t)
	// Some 80 ranges in the series: a fifth of standard error.
	near(t, "log range", math.Log(fit.Range()/60), 0, 0.6)
	near(t, "log sd", math.Log(fit.SD()/0.5), 0, 0.3)
	g.Cols = len(flat)
	must.Get(Fit(Prior{Grid: g}, like, expfam.Must(like.Observe1(flat...))))(t)
}

// What does not fit into memory is refused before it is made.
func TestRefusesMoreThanMemory(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	huge := Prior{Grid: grid.Grid{Rows: 1 << 15, Cols: 1 << 15}, Range: 3, SD: 1}
	line := Prior{Grid: grid.Grid{Rows: 1, Cols: 1 << 22}, Range: 3, SD: 1}
	_, sampled := Sample(huge, like, nil, Options{Fresh: true})
	_, fitted := Fit(huge, like, nil)
	_, drawn := Sample(line, like, nil, Options{Fresh: true, Draws: 1 << 30})
	// One datum sums all cells of a line: a matrix of its square.
	whole := like
	whole.Operator = &operator.Areas{Labels: make([]int, 1<<18)}
	line.Grid.Cols = 1 << 18
	_, summed := Fit(line, whole, expfam.Observations{{Stat: 1, Size: 1}})
	must.Be(t, summed != nil && strings.Contains(summed.Error(), "entries; take a coarser grid"), "a sum: %v", summed)
	line.Grid.Cols = 1 << 22
	_, field := line.Field()
	_, gaussian := line.Gaussian()
	for name, err := range map[string]error{"a grid": sampled, "a fit": fitted, "draws": drawn,
		"a field": field, "a covariance": gaussian} {
		if err == nil || !strings.Contains(err.Error(), " GB are free; ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

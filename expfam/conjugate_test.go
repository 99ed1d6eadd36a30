package expfam_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

type node = graph.Node

// conjugates are all conjugates, with a family of each; what counts otherwise comes last.
var conjugates = []struct {
	name string
	c    Conjugate
	f    Family
}{
	{"normal", NormalPrior{}, Normal{}},
	{"gamma/counts", GammaPrior{}, Poisson{}},
	{"beta/trials", BetaPrior{}, Binomial{}},
	{"inverse-gamma", InvGammaPrior{}, NormalVariance{}},
	{"gamma/times", GammaPrior{Times: true}, Exponential{}},
	{"beta/failures", BetaPrior{Failures: true}, NegativeBinomial{}},
}

// grid is a set of (loc, logConc, stat, size), data near what loc predicts.
func grid(c Conjugate, concentrations, sizes []float64) (loc, logConc, stat, size []float64) {
	for _, l := range []float64{-1.1, 0.4, 2.3} {
		for _, conc := range concentrations {
			for _, n := range sizes {
				for _, r := range []float64{0.7, 1, 1.6} {
					var s float64
					switch p := c.(type) {
					case NormalPrior:
						s = n * (l + r - 1)
					case GammaPrior:
						s = math.Round(n * math.Exp(l) * r)
						if p.Times {
							s = n * math.Exp(-l) * r
						}
					case BetaPrior:
						s = math.Round(n * min(1, r/(1+math.Exp(-l))))
						if p.Failures {
							s = math.Round(n * math.Exp(-l) * r)
						}
					case InvGammaPrior:
						s = n * math.Exp(l) * r
					}
					loc, logConc = append(loc, l), append(logConc, math.Log(conc))
					stat, size = append(stat, s), append(size, n)
				}
			}
		}
	}
	return loc, logConc, stat, size
}

var differences = must.Differences

func TestGraphEvidence(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, k := range enginetest.Short(e, 2, conjugates) { // TestFloat32 has the same for all
			t.Run(k.name, func(t *testing.T) {
				loc, logConc, stat, size := grid(k.c, []float64{0.6, 5, 70}, []float64{1, 8, 50})
				out := enginetest.Call(t, e, func(loc, logConc, stat, size *node) []*node {
					v := k.c.LogEvidence(loc, logConc, stat, size)
					grad := graph.Gradient(graph.ReduceAllSum(v), loc, logConc)
					slope, information := k.c.Derivatives(loc, logConc, stat, size)
					slopes := graph.Gradient(graph.ReduceAllSum(slope), loc)
					return []*node{v, grad[0], grad[1], slope, information, slopes[0]}
				}, loc, logConc, stat, size)
				host := func(l, c float64, i int) float64 {
					return Standard{Conjugate: k.c}.At(l, c).LogEvidence(Term{Stat: stat[i], Size: size[i]})
				}
				for i := range loc {
					at := fmt.Sprintf("(%g, %g, %g, %g)", loc[i], logConc[i], stat[i], size[i])
					near(t, "value at "+at, out[0][i], host(loc[i], logConc[i], i), 1e-12)
					// Step 1e-3: h⁴ of the fifth derivative, about 1e-11, and rounding 1e-13/h.
					const tol = 1e-9
					near(t, "d/dloc at "+at, out[1][i],
						differences(func(l float64) float64 { return host(l, logConc[i], i) }, loc[i], 1e-3), tol)
					near(t, "d/dlogConc at "+at, out[2][i],
						differences(func(c float64) float64 { return host(loc[i], c, i) }, logConc[i], 1e-3), tol)
					near(t, "slope at "+at, out[3][i], out[1][i], 1e-14)
					near(t, "curvature at "+at, out[4][i], -out[5][i], 1e-10)
				}
			})
		}
	})
}

func TestGraphEvidenceOfEveryFamily(t *testing.T) {
	e := enginetest.Open(t, "go")
	eachFamily(t, func(t *testing.T, c familyCase) {
		loc, logConc := c.prior().Coordinates()
		cell := c.cell(t)
		out := enginetest.Call(t, e, c.f.Conjugate().LogEvidence,
			[]float64{loc}, []float64{logConc}, []float64{cell.Stat}, []float64{cell.Size})
		near(t, "log evidence", out[0][0]+cell.Base, c.prior().LogEvidence(cell), 1e-12)
	})
}

func TestMissingCellAddsExactlyZero(t *testing.T) {
	var loc, logConc []float64
	for _, l := range []float64{-40, -3, 0, 0.7, 5, 40} {
		for _, c := range []float64{-9, -1, 0, 3, 12, 18} {
			loc, logConc = append(loc, l), append(logConc, c)
		}
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, k := range enginetest.Short(e, 4, conjugates) {
			for _, dtype := range enginetest.DTypes {
				if dtype == dtypes.Float64 && e.String() != "go" {
					continue // what float32 adds to nothing, the wider type does not
				}
				t.Run(k.name+"/"+dtype.String(), func(t *testing.T) {
					out := enginetest.Call(t, e, func(loc, logConc *node) []*node {
						none := graph.ZerosLike(loc)
						v := k.c.LogEvidence(loc, logConc, none, none)
						slope, information := k.c.Derivatives(loc, logConc, none, none)
						return append(graph.Gradient(graph.ReduceAllSum(v), loc, logConc), v, slope, information)
					}, enginetest.Column(dtype, loc), enginetest.Column(dtype, logConc))
					for what, values := range out {
						for i, v := range values {
							must.Equal(t, v, 0, "output", what, "at", loc[i], logConc[i])
						}
					}
				})
			}
		}
	})
}

// TestFloat32 compares both precisions at concentrations where formulas with
// log Γ(α) and α log β have lost every digit. Pure Go has the double one.
func TestFloat32(t *testing.T) {
	host := enginetest.Open(t, "go")
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, k := range enginetest.Short(e, 4, conjugates) {
			t.Run(k.name, func(t *testing.T) {
				loc, logConc, stat, size := grid(k.c, []float64{30, 1e3, 1e5, 1e7}, []float64{1, 20, 400})
				u := make([]float64, len(loc))
				for i := range u {
					// A draw half a standard deviation off, as float32 has it.
					loc[i], logConc[i] = float64(float32(loc[i])), float64(float32(logConc[i]))
					stat[i] = float64(float32(stat[i]))
					u[i] = float64(float32(loc[i] + 0.5*math.Exp(-logConc[i]/2)))
				}
				run := func(e *engine.Engine, dtype dtypes.DType) [][]float64 {
					return enginetest.Call(t, e, func(loc, logConc, stat, size, u *node) []*node {
						v := k.c.LogEvidence(loc, logConc, stat, size)
						d := k.c.NegLogDensity(loc, logConc, u)
						_, information := k.c.Derivatives(loc, logConc, stat, size)
						out := append(graph.Gradient(graph.ReduceAllSum(v), loc, logConc), information, d)
						return append(out, graph.Gradient(graph.ReduceAllSum(d), loc, logConc)...)
					}, enginetest.Column(dtype, loc), enginetest.Column(dtype, logConc), enginetest.Column(dtype, stat),
						enginetest.Column(dtype, size), enginetest.Column(dtype, u))
				}
				single, double := run(e, dtypes.Float32), run(host, dtypes.Float64)
				// A few units in the last place of the greatest term; for the evidence's slopes that is the statistic.
				for what, name := range []string{"d evidence/dloc", "d evidence/dlogConc", "curvature", "loss",
					"d loss/dloc", "d loss/dlogConc"} {
					worst := 0.
					for i := range loc {
						scale := 1 + math.Abs(double[what][i])
						if what < 2 {
							scale += math.Abs(stat[i]) + size[i]
						}
						if what == 4 {
							// Its natural size is √κ.
							scale += math.Exp(logConc[i] / 2)
						}
						err := math.Abs(single[what][i]-double[what][i]) / scale
						worst = max(worst, err)
						if !(err < 5e-6) {
							t.Errorf("%s at (%g, %g, %g, %g): %g in float32, %g in float64", name, loc[i], logConc[i],
								stat[i], size[i], single[what][i], double[what][i])
						}
					}
					t.Logf("%s: worst error %.1g", name, worst)
				}
			})
		}
	})
}

func TestConjugateBroadcasts(t *testing.T) {
	e := enginetest.Open(t, "go")
	out := enginetest.Call(t, e, func(loc, stat *node) []*node {
		conc := graph.Const(loc.Graph(), 1.5)
		v := GammaPrior{}.LogEvidence(loc, conc, stat, graph.OnesLike(stat))
		return []*node{v, graph.Gradient(graph.ReduceAllSum(v), loc)[0]}
	}, [][]float64{{0.1, 0.2, 0.3}, {1, 2, 3}}, []float64{2, 0, 5})
	for i, l := range []float64{0.1, 0.2, 0.3, 1, 2, 3} {
		want := Standard{Conjugate: GammaPrior{}}.At(l, 1.5).LogEvidence(Term{Stat: []float64{2, 0, 5}[i%3], Size: 1})
		near(t, fmt.Sprintf("value %d", i), out[0][i], want, 1e-12)
	}
	must.Equal(t, len(out[1]), 6, "gradient", "elements")
}

// Both Gamma variates of a Beta(1e-4, 3e-4) underflow in 9 draws of 10. A draw is then 0 or 1, with the mean ¼ of the
// Beta.
func TestDrawsOfATinyBetaAreNumbers(t *testing.T) {
	const n = 4000
	rng, sum := Stream(1, "tiny beta"), 0.0
	for range n {
		theta := Standard{Conjugate: BetaPrior{}, A: 1e-4, B: 3e-4}.Rand(rng)
		must.Need(t, theta >= 0 && theta <= 1, "a draw is %v", theta)
		sum += theta
	}
	if sd := math.Sqrt(0.25 * 0.75 / n); math.Abs(sum/n-0.25) > 4*sd { // almost all draws are 0 or 1
		t.Errorf("the mean is %v, want 0.25 ± %v", sum/n, sd)
	}
}

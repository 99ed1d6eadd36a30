package microscope

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// With a Normal likelihood under the identity all of it is Gaussian.
func TestCellNormal(t *testing.T) {
	prior := distuv.Normal{Mu: 0.4, Sigma: 1.3}
	for _, time := range []float64{0.02, 0.3, 1} {
		l := level.VP{}.Level(time)
		term, _ := expfam.Normal{SD: 0.7}.Reduce(0.8, expfam.Known{})
		m := Cell{Prior: prior, Level: l, Likelihood: expfam.Likelihood{Family: expfam.Normal{SD: 0.7}}, Term: term}
		for _, v := range see(t, m, -1.1, 0, 0.9) {
			precision := 1/(1.3*1.3) + l.SqrtAlpha*l.SqrtAlpha/l.V
			mean := (0.4/(1.3*1.3) + l.SqrtAlpha*v.X/l.V) / precision
			total := 1/precision + 0.7*0.7
			want := LogScore{distuv.Normal{Mu: mean, Sigma: math.Sqrt(total)}.LogProb(0.8),
				(0.8 - mean) / total * l.SqrtAlpha / l.V / precision}
			name := fmt.Sprintf("t = %g, x = %g: ", time, v.X)
			near(t, name+"mean", v.Mean, mean, 1e-10)
			near(t, name+"variance", v.Variance, 1/precision, 1e-10)
			near(t, name+"conjugate's mean", v.Conjugate.A, mean, 1e-10)
			near(t, name+"conjugate's precision", v.Conjugate.B, precision, 1e-9)
			for which, got := range map[string]LogScore{"exact": v.Exact, "trick": v.Trick, "gaussian": v.Gaussian} {
				near(t, name+which+" log evidence", got.Log, want.Log, 1e-9)
				near(t, name+which+" score", got.Slope, want.Slope, 1e-9)
			}
			near(t, name+"delta", v.Delta.Log, distuv.Normal{Mu: mean, Sigma: 0.7}.LogProb(0.8), 1e-10)
			near(t, name+"delta's score", v.Delta.Slope, (0.8-mean)/0.49*l.SqrtAlpha/l.V/precision, 1e-9)
		}
	}
}

// Every score is the derivative of its value. That of Gaussian holds the variance
// fixed, which for a Gaussian prior it is.
func TestCellScores(t *testing.T) {
	for name, m := range looked(t) {
		t.Run(name, func(t *testing.T) {
			places, h := []float64{-0.7, 0.5}, 0.02*math.Sqrt(m.Level.V)
			var around []float64 // what differences of four scores look at
			for _, x := range places {
				around = append(around, x, x-2*h, x-h, x+h, x+2*h)
			}
			views := map[float64]View{}
			for i, v := range see(t, m, around...) {
				views[around[i]] = v
			}
			at := func(x float64, pick func(View) LogScore) float64 {
				v, ok := views[x]
				must.Need(t, ok, "nobody looked at %g", x)
				return pick(v).Log
			}
			for _, x := range places {
				v := views[x]
				for which, pick := range map[string]func(View) LogScore{
					"exact":    func(v View) LogScore { return v.Exact },
					"trick":    func(v View) LogScore { return v.Trick },
					"delta":    func(v View) LogScore { return v.Delta },
					"gaussian": func(v View) LogScore { return v.Gaussian },
				} {
					if which == "gaussian" && m.Prior != nil {
						continue
					}
					want := differences(func(x float64) float64 { return at(x, pick) }, x, h)
					near(t, fmt.Sprintf("%s at %g", which, x), pick(v).Slope, want, 1e-6)
				}
			}
		})
	}
}

// Under a Gaussian prior the conjugate is the one that guidances use.
func TestCellProjects(t *testing.T) {
	e := must.Get(engine.Float64())(t)
	for name, m := range looked(t) {
		if m.Prior != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, v := range see(t, m, -0.7, 0.5) {
				out := graph.MustExecOnceN(e.Backend, func(mean, variance *graph.Node) []*graph.Node {
					loc, conc := expfam.Must(m.Likelihood.Terms()).Project(mean, variance)
					return []*graph.Node{loc, conc}
				}, v.Mean, v.Variance)
				loc, conc := v.Conjugate.Coordinates()
				near(t, "location", loc, out[0].Value().(float64), 1e-8)
				near(t, "log concentration", conc, out[1].Value().(float64), 1e-8)
				near(t, "gaussian", v.Gaussian.Log, v.Exact.Log, 1e-9)
				near(t, "gaussian's score", v.Gaussian.Slope, v.Exact.Slope, 1e-9)
				near(t, "trick", v.Trick.Log, v.Conjugate.LogEvidence(m.Term), 1e-9)
			}
		})
	}
}

// Densities integrate to 1, up to the ends that are not shown, and what is updated is what Bayes' theorem says.
func TestCellDensities(t *testing.T) {
	for name, m := range looked(t) {
		t.Run(name, func(t *testing.T) {
			d, v := must.Get2(m.Densities(0.4))(t)
			must.Be(t, v == see(t, m, 0.4)[0], "view %v, want %v", v, see(t, m, 0.4)[0])
			u := append([]float64{}, d.Theta...)
			if d.Log {
				for i := range u {
					u[i] = math.Log(u[i])
				}
			}
			n := m.Likelihood.Family.Natural()
			for which, y := range map[string][]float64{"before": d.Before, "after": d.After} {
				// Beyond the ends lie less than three in a thousand; the trapezoids
				// of 160 points, few of them under a narrow peak, take a little more.
				mass := integrate.Trapezoidal(u, y)
				must.Be(t, math.Abs(mass-1) <= 0.01, "%s: mass %g", which, mass)
			}
			for i, theta := range d.Theta {
				// Where none has underflowed to a subnormal.
				if min(d.Before[i], d.After[i], d.Q[i], d.Updated[i]) > 1e-250 {
					ratio := n.LogLikelihood(m.Term, theta)
					near(t, "exact at "+fmt.Sprint(theta), math.Log(d.After[i]/d.Before[i]), ratio-v.Exact.Log, 1e-9)
					near(t, "conjugate at "+fmt.Sprint(theta), math.Log(d.Updated[i]/d.Q[i]), ratio-v.Trick.Log, 1e-8)
				}
			}
		})
	}
}

// A waiting time by its rate or by its scale is the same likelihood, and a Gamma of
// the one the inverse Gamma of the other.
func TestCellInOtherWords(t *testing.T) {
	rate, scale := expfam.Likelihood{Family: expfam.Exponential{}, Link: expfam.MustLink("1/exp(x)")},
		expfam.Likelihood{Family: expfam.Weibull{Shape: 1}, Link: expfam.MustLink("exp(x)")}
	a := see(t, Cell{Level: level.VP{}.Level(0.6), Likelihood: rate,
		Term: expfam.Must(rate.Family.Reduce(2, expfam.Known{}))}, 0.5)[0]
	b := see(t, Cell{Level: level.VP{}.Level(0.6), Likelihood: scale,
		Term: expfam.Must(scale.Family.Reduce(2, expfam.Known{}))}, 0.5)[0]
	for which, pair := range map[string][2]LogScore{"exact": {a.Exact, b.Exact}, "trick": {a.Trick, b.Trick},
		"delta": {a.Delta, b.Delta}} {
		near(t, which, pair[0].Log, pair[1].Log, 1e-10)
		near(t, which+"'s score", pair[0].Slope, pair[1].Slope, 1e-10)
	}
}

// Without an observation there is nothing to see.
func TestCellMissing(t *testing.T) {
	for name, m := range looked(t) {
		m.Term = expfam.Term{}
		v := see(t, m, 0.3)[0]
		for which, got := range map[string]LogScore{"exact": v.Exact, "trick": v.Trick, "delta": v.Delta,
			"gaussian": v.Gaussian} {
			// Sums of 512 weights.
			must.Be(t, math.Abs(got.Log) <= 1e-12 && math.Abs(got.Slope) <= 1e-12*m.Level.SqrtAlpha/m.Level.V,
				"%s: %s is %v", name, which, got)
		}
	}
}

func TestCellErrors(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.1}}
	far, _ := like.Family.Reduce(40, expfam.Known{})
	for _, c := range []struct {
		m    Cell
		want string
	}{
		{Cell{Likelihood: like}, "microscope: level {SqrtAlpha:0 V:0}; both parts must be positive, as those " +
			"of VP{}.Level(t) with t > 0"},
		{Cell{Level: level.At(1)},
			"microscope: likelihood: there is no family; set Family, for example to expfam.Poisson{}"},
		{Cell{Level: level.At(10), Likelihood: like, Term: far},
			"microscope: at x_t = 0.5, x₀ given x_t and y is 10 standard deviations of the prior from its mean; " +
				"choose an observation and an x_t that the prior can explain"},
	} {
		_, err := c.m.At(0.5)
		must.Be(t, err != nil && err.Error() == c.want, "got %v, want %s", err, c.want)
	}
	// A prior of standard deviation 5 has mass where the link overflows.
	steep := Cell{Prior: Mixture{{Weight: 1, Mean: 0, SD: 5}}, Level: level.At(30),
		Likelihood: expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(exp(x))")}}
	const want = "microscope: at x_t = 0.5 the link exp(exp(x)) overflows; use one that is less steep"
	_, _, err := steep.Densities(0.5)
	must.Be(t, err != nil && err.Error() == want, "got %v, want %s", err, want)
}

func BenchmarkCell(b *testing.B) {
	x := floats.Span(make([]float64, 101), -3, 3)
	for _, like := range []expfam.Likelihood{{Family: expfam.Normal{}}, {Family: expfam.Poisson{}},
		{Family: expfam.Binomial{Trials: 12}}, {Family: expfam.NormalVariance{}}} {
		b.Run(like.String(), func(b *testing.B) {
			term, _ := like.Family.Reduce(4, expfam.Known{})
			m := Cell{Prior: Mixture{{Weight: 1, Mean: -1, SD: 0.4}, {Weight: 2, Mean: 1.5, SD: 0.5}},
				Level: level.VP{}.Level(0.2), Likelihood: like, Term: term}
			for b.Loop() {
				see(b, m, x...)
			}
		})
	}
}

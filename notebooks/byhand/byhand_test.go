package byhand

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/notebooks/microscope"
)

var two = Number{Prior: microscope.Mixture{{Weight: 2, Mean: -1.2, SD: 0.4}, {Weight: 1, Mean: 1, SD: 0.4}}}

func near(t testing.TB, got, want, tolerance float64) {
	t.Helper()
	must.Be(t, math.Abs(got-want) <= tolerance, "%g, want %g ± %g", got, want, tolerance)
}

// The walks of any prior have the names of its parts, in the order of their means.
func TestGroups(t *testing.T) {
	part := func(mean float64) microscope.Component { return microscope.Component{Weight: 1, Mean: mean, SD: 0.1} }
	for _, c := range []struct {
		prior microscope.Mixture
		names []string
	}{
		{microscope.Mixture{part(-1), part(1)}, []string{"lower group", "upper group"}},
		{microscope.Mixture{part(1), part(-1)}, []string{"upper group", "lower group"}},
		{microscope.Mixture{part(0), part(-2), part(2)}, []string{"group 2", "group 1", "group 3"}},
	} {
		n := Number{Prior: c.prior}
		for k, want := range c.names {
			fig := n.Paths("", "", []float64{0}, [][]float64{{0}}, []int{k})
			must.Equal(t, fig.Lines[0].Name, want)
		}
		n.There(9, 3, 1)
		n.Back(9, 3, 1)
	}
}

// A draw at the upper end of the frame is in its last bin, whose width is a sixtieth.
func TestOutline(t *testing.T) {
	line := Outline("", Found, []float64{0.5, 1}, 0, 1)
	must.Equal(t, line.Y[len(line.Y)-1], 30.)
}

// Tweedie's formula: the score that the conditional mean gives is the derivative of the noisy density, and both are its
// difference quotient.
func TestTweedie(t *testing.T) {
	for _, time := range []float64{0.05, 0.3, 0.7, 1} {
		l := schedule.Level(time)
		for x := -3.0; x <= 3; x += 0.5 {
			tweedie := (l.SqrtAlpha*two.Mean(x, time) - x) / l.V
			score := two.Score(x, time)
			near(t, tweedie, score, 1e-9*(1+math.Abs(score)/l.V))
			density := two.Noisy(time)
			near(t, score, (density.LogProb(x+1e-5)-density.LogProb(x-1e-5))/2e-5, 1e-4)
		}
	}
}

// The exact evidence, its slope and the evidence trick are those of the microscope of the next lesson.
func TestBend(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	const y, time = 7, 0.5
	m := microscope.Cell{Prior: two.Prior, Level: schedule.Level(time), Likelihood: like,
		Term: must.Get(like.Family.Reduce(y, expfam.Known{}))(t)}
	rate := func(x float64) float64 { return math.Exp(1 + x) }
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	exact := func(given []Node) float64 {
		return math.Log(Mean(given, func(x float64) float64 {
			return math.Exp(y*(1+x) - rate(x) - lgamma(y+1))
		}))
	}
	trick := func(given []Node) float64 {
		a, b := Gamma(Mean(given, rate), Mean(given, func(x float64) float64 { return 1 + x }))
		return lgamma(a+y) - lgamma(a) + a*math.Log(b) - (a+y)*math.Log(b+1) - lgamma(y+1)
	}
	exactSlope, trickSlope := two.Bend(exact), two.Bend(trick)
	for _, x := range []float64{-2, -0.5, 0.4, 1.5} {
		v := must.Get(m.At(x))(t)[0]
		near(t, exact(two.Nodes(x, time)), v.Exact.Log, 1e-6)
		near(t, trick(two.Nodes(x, time)), v.Trick.Log, 1e-4)
		near(t, exactSlope(x, time), v.Exact.Slope, 3e-3*(1+math.Abs(v.Exact.Slope))) // differences over 0.1
		near(t, trickSlope(x, time), v.Trick.Slope, 3e-3*(1+math.Abs(v.Trick.Slope)))
	}
}

func TestGamma(t *testing.T) {
	for _, shape := range []float64{0.05, 0.7, 3, 400} {
		a, b := Gamma(shape/2.5, mathext.Digamma(shape)-math.Log(2.5))
		near(t, a, shape, 1e-6*shape)
		near(t, b, 2.5, 1e-6)
	}
}

// A trained network is closer to the exact conditional mean than the best linear denoiser, by a factor of three.
func TestTrain(t *testing.T) {
	w := Train(two, 1, 0, mostSteps)
	mean, variance := two.Prior.Mean(), two.Prior.StdDev()*two.Prior.StdDev()
	var network, linear float64
	for _, time := range []float64{0.1, 0.2, 0.3, 0.5, 0.7} {
		l := schedule.Level(time)
		x0, _ := two.Draw(200, 1)
		rng := expfam.Stream(1, "check")
		for i := range x0 {
			x := l.SqrtAlpha*x0[i] + math.Sqrt(l.V)*rng.NormFloat64()
			exact := two.Mean(x, time)
			gain := l.SqrtAlpha * variance / (l.SqrtAlpha*l.SqrtAlpha*variance + l.V)
			best := mean + gain*(x-l.SqrtAlpha*mean)
			network += (w[1].Mean(x, time) - exact) * (w[1].Mean(x, time) - exact)
			linear += (best - exact) * (best - exact)
		}
	}
	t.Logf("root mean squared errors %.3f and %.3f", math.Sqrt(network/1000), math.Sqrt(linear/1000))
	must.Be(t, 9*network < linear, "network %g, linear %g", network, linear)
}

// With the right divisor the walk ends in the exact posterior of the average; with that of single cells it does not.
func TestAlike(t *testing.T) {
	a := Alike{Cells: 16, Rho: 0.9, SD: 0.5, Y: 1}
	mean, sd := a.Average()
	right := a.Walk(func(together, single float64) float64 { return together }, 400, 4000, 1)
	m, s := stat.MeanStdDev(right, nil)
	near(t, m, mean, 0.04*sd+3*sd/math.Sqrt(4000)) // 400 steps, and three standard errors
	near(t, s, sd, 0.05*sd)
	wrong := a.Walk(func(together, single float64) float64 { return single }, 400, 1000, 1)
	m, s = stat.MeanStdDev(wrong, nil)
	must.Be(t, math.Abs(m-mean) > 0.5*sd || math.Abs(s/sd-1) > 0.2, "%g ± %g is as good as %g ± %g", m, s, mean, sd)
}

package microscope

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Cell looks at one cell with one observation. Everything that the evidence trick approximates is known exactly there:
// x₀ has a density on the line, x_t = √α x₀ + √v z, θ = g⁻¹(x₀), and y | θ follows the family. Integrals over x₀ are
// trapezoidal sums on a grid that ends where the integrand has fallen by e⁴⁰. For smooth densities these sums are exact
// to rounding.
//
// The exact score follows from Tweedie's formula for the prior and for the posterior, without finite differences:
//
//	d/dx_t log p(y | x_t) = (√α/v) (E[x₀ | x_t, y] − E[x₀ | x_t]).
type Cell struct {
	Prior      Law // of x₀. Default N(0, 1)
	Level      level.Level
	Likelihood expfam.Likelihood
	Term       expfam.Term // the observation, from [expfam.Family].Reduce
}

// Law is a distribution of x₀ on the line with a smooth density. Values more than ten standard deviations from the mean
// are cut off. [Mixture] is a Law, and so are the distributions of gonum's package distuv.
type Law interface {
	LogProb(x float64) float64
	Mean() float64
	StdDev() float64
}

// LogScore is a value of log p(y | x_t) and its derivative in x_t.
type LogScore struct{ Log, Slope float64 }

// View holds all results of a Cell at one x_t.
type View struct {
	X              float64         // x_t
	Mean, Variance float64         // of x₀ | x_t
	Conjugate      expfam.Standard // the q closest to p(θ | x_t), in KL(p ‖ q)

	Exact LogScore
	// Trick is the paper's evidence trick: the closed-form evidence of y under Conjugate,
	// and its derivative through the parameters of q.
	Trick LogScore
	// Delta is the likelihood at the mean of x₀ | x_t; see the guidance [diffusion.Delta].
	Delta LogScore
	// Gaussian replaces p(x₀ | x_t) by N(Mean, Variance), as the guidance [diffusion.Quadrature] does. Its slope is the
	// derivative through the mean, with the variance held fixed; for a Gaussian prior it is exact.
	Gaussian LogScore
}

// At returns the views at each x_t in x.
func (m Cell) At(x ...float64) ([]View, error) {
	s, err := m.stage()
	if err != nil {
		return nil, err
	}
	views, sums, errs := make([]View, len(x)), make([]*integral, len(x)), make([]error, len(x))
	each(len(x), func(i int) {
		if sums[i], errs[i] = s.integral(x[i]); errs[i] == nil {
			views[i] = s.view(sums[i])
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return views, s.fit(views, sums)
}

// each calls f for all numbers below n, on all processors.
func each(n int, f func(i int)) {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error {
			f(i)
			return nil
		})
	}
	all.Wait()
}

// integral is a grid of x₀ for one x_t, with two sets of weights: those of p(x₀ | x_t) and those of
// p(x₀ | x_t, y). Each set has the sum 1.
type integral struct {
	x             float64   // x_t
	x0            []float64 // the grid
	prior         []float64 // log density of the prior at x0
	before, after []float64 // weights of p(x₀ | x_t) and of p(x₀ | x_t, y)
	logMass       float64   // log ∫ p(x₀) exp(−(x_t − √α x₀)²/(2v)) dx₀
	logEvidence   float64   // log p(y | x_t)
}

// integral returns the integral at one x_t. Its grid covers the interval on which the mass lies, with and
// without the observation.
func (s *stage) integral(x float64) (*integral, error) {
	low, high := len(s.scan)-1, 0
	for _, like := range [][]float64{nil, s.like} {
		at := func(i int) float64 {
			v := s.prior[i] + s.noise(x, s.scan[i])
			if like != nil {
				v += like[i]
			}
			return v
		}
		top := 0
		for i := range s.scan {
			if !(at(i) <= at(top)) {
				top = i
			}
		}
		if top == 0 || top == len(s.scan)-1 {
			return nil, fmt.Errorf("microscope: at x_t = %g, x₀ given x_t and y is %d standard deviations of the "+
				"prior from its mean; choose an observation and an x_t that the prior can explain", x, scanReach)
		}
		// The search goes from the ends inwards, because the integrand may have valleys.
		first, last := 0, len(s.scan)-1
		for floor := at(top) - sumFall; at(first+1) < floor; first++ {
		}
		for floor := at(top) - sumFall; at(last-1) < floor; last-- {
		}
		low, high = min(low, first), max(high, last)
	}
	g := &integral{x: x, x0: floats.Span(make([]float64, sumPoints), s.scan[low], s.scan[high])}
	var like []float64
	g.prior, like = s.logs(g.x0)
	g.before, g.after = make([]float64, sumPoints), make([]float64, sumPoints)
	for i, x0 := range g.x0 {
		g.before[i] = g.prior[i] + s.noise(x, x0)
		g.after[i] = g.before[i] + like[i]
	}
	g.logMass = normalise(g.before) + math.Log(g.x0[1]-g.x0[0])
	g.logEvidence = normalise(g.after) + math.Log(g.x0[1]-g.x0[0]) - g.logMass
	return g, nil
}

// normalise turns log weights into weights of sum 1, and returns the logarithm of their sum.
func normalise(w []float64) float64 {
	top, sum := floats.Max(w), 0.0
	for i, v := range w {
		w[i] = math.Exp(v - top)
		sum += w[i]
	}
	floats.Scale(1/sum, w)
	return top + math.Log(sum)
}

// view returns the view without the Conjugate and the Trick, which [stage.fit] fills in.
func (s *stage) view(g *integral) View {
	mean := floats.Dot(g.before, g.x0)
	var variance float64
	for i, x0 := range g.x0 {
		variance += g.before[i] * (x0 - mean) * (x0 - mean)
	}
	gain := s.Level.SqrtAlpha / s.Level.V // dm/dx_t = gain·variance
	v := View{X: g.x, Mean: mean, Variance: variance,
		Exact: LogScore{g.logEvidence, gain * (floats.Dot(g.after, g.x0) - mean)},
		Delta: LogScore{s.terms.LogLik(mean, s.Term), gain * variance * s.terms.Slope(mean, s.Term)},
	}
	v.Gaussian = gaussianEvidence(s.terms, s.Term, mean, variance, sumPoints)
	v.Gaussian.Slope *= gain * variance
	return v
}

// gaussianEvidence returns log ∫ p(y | g⁻¹(x)) N(x; mean, variance) dx and its derivative in the mean. The derivative
// is (μ − mean)/variance, where μ is the mean of the tilted density.
func gaussianEvidence(t *expfam.Terms, y expfam.Term, mean, variance float64, points int) LogScore {
	sd := math.Sqrt(variance)
	step := 2.0 * scanReach / float64(points-1)
	w := make([]float64, points)
	z := func(i int) float64 { return step*float64(i) - scanReach }
	for i := range w {
		if w[i] = t.LogLik(mean+sd*z(i), y) - z(i)*z(i)/2; math.IsNaN(w[i]) {
			w[i] = math.Inf(-1)
		}
	}
	log := normalise(w) + math.Log(step) - math.Log(2*math.Pi)/2
	var tilt float64
	for i, w := range w {
		tilt += w * z(i)
	}
	return LogScore{log, tilt / sd}
}

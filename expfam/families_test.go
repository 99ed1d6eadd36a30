package expfam_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// familyCase is a family with what its tests need: another value of its known constant, θ, two observations that are
// possible for both values, a prior and the lower end of the support of y under the family's own constant.
type familyCase struct {
	f       PaperForm
	known   Known
	theta   float64
	y       [2]float64
	a, b    float64
	support float64
}

// own says that no constant is given, and the family's own holds.
var own Known

// families is the table of all likelihoods: one line each.
var families = []familyCase{
	{PaperNormal{Normal{SD: 1.7}}, Given(0.6), -0.8, [2]float64{0.4, -2.3}, 0.3, 1.9, math.Inf(-1)},
	{PaperLogNormal{LogNormal{SD: 0.7}}, Given(0.4), 0.5, [2]float64{1.9, 0.3}, -0.2, 2.5, 0},
	{PaperPoisson{Poisson{}}, Given(2.5), 1.8, [2]float64{4, 0}, 3.1, 1.4, 0},
	{PaperExponential{Exponential{}}, own, 1.8, [2]float64{0.7, 2.2}, 2.4, 1.1, 0},
	{PaperGamma{Gamma{Shape: 2.3}}, Given(1.6), 0.9, [2]float64{0.7, 4.2}, 2.4, 1.1, 0},
	{PaperPareto{Pareto{Scale: 1.8}}, Given(0.6), 6.5, [2]float64{1.9, 3.2}, 3.4, 1.1, 1.8},
	{PaperBernoulli{Bernoulli{}}, own, 0.35, [2]float64{1, 0}, 2.2, 3.1, 0},
	{PaperBinomial{Binomial{Trials: 12}}, Given(7), 0.35, [2]float64{3, 7}, 2.2, 3.1, 0},
	{PaperNegativeBinomial{NegativeBinomial{Successes: 2.5}}, Given(4), 0.35, [2]float64{3, 0}, 2.2, 3.1, 0},
	{PaperGeometric{Geometric{}}, own, 0.35, [2]float64{3, 0}, 2.2, 3.1, 0},
	{PaperNormalVariance{NormalVariance{Mean: 0.7}}, Given(-0.3), 1.4, [2]float64{1.4, -1.1}, 5.5, 3.1, math.Inf(-1)},
	{PaperLogNormalVariance{LogNormalVariance{Mean: 0.7}}, Given(-0.3), 0.2, [2]float64{1.4, 0.6}, 5.5, 3.1, 0},
	{PaperWeibull{Weibull{Shape: 1.6}}, Given(2.2), 1.4, [2]float64{1.4, 0.6}, 5.5, 3.1, 0},
}

func eachFamily(t *testing.T, run func(t *testing.T, c familyCase)) {
	must.Need(t, len(families) >= 13, "a likelihood is missing from the table")
	for _, c := range families {
		t.Run(c.f.String(), func(t *testing.T) { run(t, c) })
	}
}

// knowns are the values of the known constant under test: the family's own and another one.
func (c familyCase) knowns() []Known {
	if c.known == own {
		return []Known{own}
	}
	return []Known{own, c.known}
}

func (c familyCase) prior() Standard { return Standard{Conjugate: c.f.Conjugate(), A: c.a, B: c.b} }

// possible reports whether y can be observed.
func (c familyCase) possible(y float64, known Known) bool {
	_, err := c.f.Reduce(y, known)
	return err == nil
}

func (c familyCase) term(t *testing.T, y float64, known Known) Term {
	t.Helper()
	return must.Get(c.f.Reduce(y, known))(t)
}

// terms are those of one cell with two observations of different constants.
func (c familyCase) cell(t *testing.T) Term {
	return c.term(t, c.y[0], own).Add(c.term(t, c.y[1], c.known))
}

var near = must.Relative

// integral is a composite Gauss-Legendre rule, for smooth f accurate to rounding.
func integral(f func(float64) float64, low, high float64, panels int) float64 {
	x, w := make([]float64, 16), make([]float64, 16)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	h, sum := (high-low)/float64(panels), 0.
	for p := range panels {
		for i := range x {
			sum += h * w[i] * f(low+h*(float64(p)+x[i]))
		}
	}
	return sum
}

// fromCoordinate maps the conjugate's coordinate u to θ and log |dθ/du|.
func fromCoordinate(c Conjugate) func(u float64) (theta, logJacobian float64) {
	switch c.Coordinate().String() {
	case "theta":
		return func(u float64) (float64, float64) { return u, 0 }
	case "log(theta)":
		return func(u float64) (float64, float64) { return math.Exp(u), u }
	case "logit(theta)":
		return func(u float64) (float64, float64) { return 1 / (1 + math.Exp(-u)), -u - 2*math.Log1p(math.Exp(-u)) }
	}
	panic("unknown coordinate " + c.Coordinate().String())
}

// overTheta is ∫ f(θ) dθ, taken over the coordinate, on which every density of these tests is negligible beyond ±35.
func overTheta(c Conjugate, f func(theta float64) float64) float64 {
	at := fromCoordinate(c)
	return integral(func(u float64) float64 {
		theta, j := at(u)
		if v := f(theta); v != 0 {
			return v * math.Exp(j)
		}
		return 0
	}, -35, 35, 700)
}

func TestDensityNormalises(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		for _, known := range c.knowns() {
			density := func(y float64) float64 { return math.Exp(c.f.LogDensity(y, c.theta, known)) }
			var sum float64
			if !c.possible(c.y[0]+0.5, known) { // counts
				for y := 0.; y < 2000 && c.possible(y, known); y++ {
					sum += density(y)
				}
			} else if math.IsInf(c.support, -1) {
				sum = integral(density, -40, 40, 400)
			} else {
				low := -60. // of log y
				if c.support > 0 {
					low = math.Log(known.Or(c.support))
				}
				sum = integral(func(l float64) float64 { return density(math.Exp(l)) * math.Exp(l) }, low, 20, 800)
			}
			near(t, "total probability", sum, 1, 1e-9)
		}
	})
}

func TestUnitFormIsTheDensity(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		for _, known := range c.knowns() {
			form := c.f.Form(known)
			for _, y := range c.y {
				if !c.possible(y, known) {
					continue // below the other Pareto scale
				}
				want := c.f.LogDensity(y, c.theta, known)
				near(t, "unit form", c.f.Natural().LogLikelihood(c.term(t, y, known), c.theta), want, 1e-12)
				near(t, "exponential form", form.LogDensity(y, c.theta), want, 1e-12)
			}
		}
	})
}

func TestEvidenceIsTheIntegral(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		q := c.prior()
		near(t, "prior", overTheta(q.Conjugate, func(theta float64) float64 { return math.Exp(q.LogProb(theta)) }), 1,
			1e-10)
		want := math.Log(overTheta(q.Conjugate, func(theta float64) float64 {
			return math.Exp(q.LogProb(theta) + c.f.LogDensity(c.y[0], theta, own) + c.f.LogDensity(c.y[1], theta,
				c.known))
		}))
		near(t, "log evidence", q.LogEvidence(c.cell(t)), want, 1e-9)
		must.Equal(t, q.LogEvidence(Term{}), 0, "a missing cell has log evidence")
	})
}

func TestPosteriorHasTheIntegratedMoments(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		q := c.prior()
		p := q.Update(c.cell(t))
		evidence := q.LogEvidence(c.cell(t))
		moment := func(f func(theta float64) float64) float64 {
			return overTheta(q.Conjugate, func(theta float64) float64 {
				return f(theta) * math.Exp(q.LogProb(theta)+c.f.LogDensity(c.y[0], theta, own)+c.f.LogDensity(c.y[1],
					theta, c.known)-evidence)
			})
		}
		near(t, "mean", p.Mean(), moment(func(theta float64) float64 { return theta }), 1e-9)
		near(t, "variance", p.Variance(), moment(
			func(theta float64) float64 { return (theta - p.Mean()) * (theta - p.Mean()) }), 1e-9)
		for _, u := range []float64{0.025, 0.5, 0.9} {
			near(t, "probability at the quantile", p.CDF(p.Quantile(u)), u, 1e-8)
		}
	})
}

func TestPaperHyperparameters(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		for _, known := range c.knowns() {
			form := c.f.Form(known)
			nu, tau := form.Hyper(c.a, c.b)
			q := must.Get(PriorAt(c.f, nu, tau, known))(t)
			near(t, "a", q.A, c.a, 1e-12)
			near(t, "b", q.B, c.b, 1e-12)
			for _, theta := range []float64{c.theta, c.theta / 2, c.theta / 7} {
				form := form.LogPriorBase + nu*form.Eta(theta) - tau*form.LogPartition(theta) - form.LogNormalizer(nu,
					tau)
				near(t, "log prior density", form, q.LogProb(theta), 1e-11)
			}
			y := c.y[0]
			if !c.possible(y, known) {
				y = known.Or(y)
			}
			after := must.Get(PriorAt(c.f, nu+form.Statistic(y), tau+1, known))(t)
			updated := q.Update(c.term(t, y, known))
			near(t, "updated a", after.A, updated.A, 1e-12)
			near(t, "updated b", after.B, updated.B, 1e-12)
			evidence := form.LogBase(y) + form.LogNormalizer(nu+form.Statistic(y), tau+1) - form.LogNormalizer(nu, tau)
			near(t, "the paper's evidence", evidence, q.LogEvidence(c.term(t, y, known)), 1e-11)
			must.Refuse(PriorAt(c.f, nu, -5, known))(t, "tau")
		}
	})
}

func TestNetworkCoordinates(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		loc, logConc := c.prior().Coordinates()
		q := Standard{Conjugate: c.f.Conjugate()}.At(loc, logConc)
		near(t, "a", q.A, c.a, 1e-13)
		near(t, "b", q.B, c.b, 1e-13)
	})
}

// moments is a family whose mean and variance of y are known.
type moments interface {
	Family
	Moments(theta float64, known Known) (mean, variance float64)
}

// overdispersed is NB2, in which the known constant is the exposure, or BetaBinomial, with the variance of a mean.
type overdispersed struct {
	Family
	variance func(mean float64) float64
}

func (f overdispersed) Moments(theta float64, known Known) (mean, variance float64) {
	mean = theta * known.Or(1)
	return mean, f.variance(mean)
}

// checkSamples compares the mean and variance of draws of y with the family's.
func checkSamples(t *testing.T, f moments, theta float64, known Known) {
	t.Helper()
	const n = 20000
	rng := Stream(1, "samples/"+f.String())
	y := make([]float64, n)
	for i := range y {
		y[i] = f.Rand(theta, known, rng)
		must.Get(f.Reduce(y[i], known))(t)
	}
	mean, variance := f.Moments(theta, known)
	// Five standard errors; that of the variance from the sample's fourth moment.
	m, v := stat.MeanVariance(y, nil)
	must.Absolute(t, fmt.Sprintf("theta %g, known %v: mean", theta, known), m, mean, 5*math.Sqrt(variance/n))
	fourth := 0.
	for _, u := range y {
		fourth += math.Pow(u-mean, 4) / n
	}
	if se := math.Sqrt((fourth - variance*variance) / n); math.Abs(v-variance) > 5*se {
		t.Errorf("theta %g, known %v: variance %g, expected %g ± %g", theta, known, v, variance, se)
	}
}

func TestSamplesHaveTheMoments(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		for _, known := range c.knowns() {
			checkSamples(t, c.f, c.theta, known)
		}
		// The conjugate's own draws.
		q := c.prior()
		const n = 20000
		rng := Stream(2, "prior/"+c.f.String())
		theta := make([]float64, n)
		for i := range theta {
			theta[i] = q.Rand(rng)
		}
		must.Absolute(t, "prior mean", stat.Mean(theta, nil), q.Mean(), 5*math.Sqrt(q.Variance()/n))
	})
}

// TestCountsAtAllRates visits every branch of the samplers of counts, and every kind of overdispersion.
func TestCountsAtAllRates(t *testing.T) {
	for _, c := range []struct {
		f     PaperForm
		theta float64
		known Known
	}{
		{PaperPoisson{}, 0.05, own}, {PaperPoisson{}, 9.9, own}, {PaperPoisson{}, 10.1, own},
		{PaperPoisson{}, 3, Given(1e4)},
		{PaperBinomial{}, 0.85, Given(100)}, {PaperBinomial{}, 0.5, Given(40)}, {PaperBinomial{}, 0.002, Given(1000)},
		{PaperBinomial{}, 0.97, Given(3)},
		{PaperNegativeBinomial{}, 0.95, Given(0.3)}, {PaperNegativeBinomial{}, 0.02, Given(40)},
		{PaperGeometric{}, 0.01, own}, {PaperGeometric{}, 0.97, own},
	} {
		t.Run(c.f.String(), func(t *testing.T) { checkSamples(t, c.f, c.theta, c.known) })
	}
	for _, kappa := range []float64{0, 0.5, 2} {
		checkSamples(t, overdispersed{NB2{Dispersion: kappa}, func(m float64) float64 { return m * (1 + kappa*m) }},
			0.8, Given(5))
	}
	for _, rho := range []float64{0, 0.1, 0.7, 0.9999} {
		checkSamples(t, overdispersed{BetaBinomial{Correlation: rho}, func(m float64) float64 {
			return m * (1 - m/30) * (1 + 29*rho)
		}}, 0.2, Given(30))
	}
}

func TestMomentsAreThoseOfTheDensity(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		if c.possible(c.y[0]+0.5, own) {
			t.Skip("checked against samples; sums are for counts")
		}
		mean, variance := c.f.Moments(c.theta, own)
		var m, v float64
		for y := 0.; y < 2000 && c.possible(y, own); y++ {
			p := math.Exp(c.f.LogDensity(y, c.theta, own))
			m, v = m+y*p, v+(y-mean)*(y-mean)*p
		}
		near(t, "mean", m, mean, 1e-10)
		near(t, "variance", v, variance, 1e-10)
	})
}

func TestDefaultLinksFit(t *testing.T) {
	eachFamily(t, func(t *testing.T, c familyCase) {
		err := (Likelihood{Family: c.f}).Check()
		must.Be(t, err == nil, "%v", err)
	})
	must.Absolute(t, "gamma(2.5) link at 1", (Gamma{Shape: 2.5}).DefaultLink().At(1), 2.5/math.E, 1e-15)
	must.Equal(t, (Gamma{Shape: 1e7}).DefaultLink().At(0), 1e7, "gamma(1e7) link at 0")
	for _, shape := range []float64{math.NaN(), math.Inf(1), -1} {
		// no number of a formula, so no link has it as a factor
		want := fmt.Sprintf("gamma: the shape is %g; it must be a positive number", shape)
		err := (Likelihood{Family: Gamma{Shape: shape}}).Check()
		must.Be(t, err != nil && err.Error() == want, "the error is %v, want %s", err, want)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		f     Family
		y     float64
		known Known
		says  string
	}{
		{Normal{}, nan, own, "normal: y is NaN"},
		{Normal{}, inf, own, "normal: y is +Inf"},
		{Normal{SD: -1}, 0, own, "standard deviation is -1"},
		{Normal{}, 0, Given(-2), "standard deviation is -2"},
		{Normal{}, 0, Given(nan), "standard deviation is NaN"},
		{Normal{SD: 1e-200}, 1, own, "rescale"},
		{Normal{}, 0, Given(0), "standard deviation is 0"},
		{LogNormal{}, 0, own, "must be positive"},
		{LogNormal{}, nan, own, "NaN"},
		{LogNormal{}, 1, Given(-1), "must be a positive number"},
		{Poisson{}, -1, own, "count"},
		{Poisson{}, 1.5, own, "count"},
		{Poisson{}, nan, own, "NaN"},
		{Poisson{}, inf, own, "Inf"},
		{Poisson{}, 1, Given(-2), "exposure is -2"},
		{Exponential{}, -1, own, "waiting time"},
		{Exponential{}, nan, own, "NaN"},
		{Exponential{}, 1, Given(3), "no known constant"},
		{Gamma{}, 0, own, "must be positive"},
		{Gamma{Shape: inf}, 1, own, "shape is +Inf"},
		{Pareto{Scale: 2}, 1.9, own, "below the scale 2"},
		{Pareto{}, inf, own, "Inf"},
		{Pareto{Scale: -1}, 1, own, "scale is -1"},
		{Bernoulli{}, 2, own, "0 or 1"},
		{Bernoulli{}, 0.5, own, "0 or 1"},
		{Bernoulli{}, 1, Given(1), "no known constant"},
		{Bernoulli{}, 1, Given(0), "no known constant"},
		{Binomial{Trials: 30}, 31, own, "31 positive of 30 examined"},
		{Binomial{Trials: 30}, -1, own, "count"},
		{Binomial{Trials: 2.5}, 1, own, "trials is 2.5"},
		{Binomial{}, 1, Given(-3), "trials is -3"},
		{NegativeBinomial{}, -1, own, "count"},
		{NegativeBinomial{Successes: -1}, 1, own, "successes is -1"},
		{Geometric{}, 0.5, own, "count"},
		{Geometric{}, 1, Given(2), "no known constant"},
		{NormalVariance{}, nan, own, "NaN"},
		{NormalVariance{Mean: inf}, 1, own, "mean is +Inf"},
		{LogNormalVariance{}, -1, own, "must be positive"},
		{Weibull{}, 0, own, "must be positive"},
		{Weibull{Shape: -1}, 1, own, "shape is -1"},
		{Weibull{Shape: 400}, 1e5, own, "rescale"},
	} {
		t.Run(c.f.String()+"/"+c.says, func(t *testing.T) { must.Refuse(c.f.Reduce(c.y, c.known))(t, c.says) })
	}
}

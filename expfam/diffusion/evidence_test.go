package diffusion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// look is a trajectory that ends with what there is at one noise level, seen
// from the x_t that it starts with: the guided estimate of x₀, or x_t itself.
type look struct {
	sigma float64
	stay  bool
}

func (l look) String() string { return fmt.Sprintf("look(%g, %v)", l.sigma, l.stay) }

func (l look) Steps() []Step {
	last := Step{Level: level.At(l.sigma), B: 1}
	if l.stay {
		last.A, last.B = 1, 0
	}
	// The others say from where to where it goes, and change nothing.
	return []Step{{Level: level.At(100), A: 1}, last, {Level: level.At(0.01), A: 1}}
}

// seen is what a sampler sees of a likelihood at a noise level: rows of x_t, of
// E[x₀ | x_t] and of the guidance's shift, in float64.
func seen(t *testing.T, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations, guide Guidance,
	sigma float64) (x, mean, shift *mat.Dense) {
	t.Helper()
	run := func(g Guidance, m Method) *mat.Dense {
		return sample(t, prior, like, obs, Sampler{Draws: 3, Seed: 4, Guidance: g, Method: m,
			Engine: enginetest.Open(t, "go"), DType: dtypes.Float64}).X
	}
	x, mean = run(Unguided{}, look{sigma, true}), run(Unguided{}, look{sigma, false})
	shift = mat.NewDense(3, prior.Dim(), nil)
	shift.Sub(run(guide, look{sigma, false}), mean)
	return x, mean, shift
}

// conditional is Cov(x₀ | x_t) = K − K (K + σ² I)⁻¹ K.
func conditional(t *testing.T, k *mat.SymDense, sigma float64) *mat.SymDense {
	t.Helper()
	d := k.SymmetricDim()
	total := mat.NewSymDense(d, nil)
	total.CopySym(k)
	for j := range d {
		total.SetSym(j, j, k.At(j, j)+sigma*sigma)
	}
	var solved, lost mat.Dense
	must.Do(t, solved.Solve(total, k))
	lost.Mul(k, &solved)
	c := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			c.SetSym(i, j, k.At(i, j)-(lost.At(i, j)+lost.At(j, i))/2)
		}
	}
	return c
}

// slopes are the first derivative of a cell's log-evidence in m and its second,
// negated, for x₀ ~ N(m, s²) and the exact moments.
type slopes func(c expfam.Term, m, s2 float64) (g, h float64)

// gammaSlopes are those for log θ = c + kx: with a from log a − ψ(a) = k²s²/2
// and μ = E θ, a Gamma evidence with T events in an exposure of N.
func gammaSlopes(c, k float64, times bool) slopes {
	return func(cell expfam.Term, m, s2 float64) (float64, float64) {
		events, exposure := cell.Stat, cell.Size
		if times {
			events, exposure = exposure, events
		}
		low, high := 1e-3, 1e12
		for range 200 {
			if a := math.Sqrt(low * high); math.Log(a)-mathext.Digamma(a) > k*k*s2/2 {
				low = a
			} else {
				high = a
			}
		}
		mu := math.Exp(c + k*m + k*k*s2/2)
		u := exposure * mu / low
		return k * (events - exposure*mu) / (1 + u), k * k * exposure * mu * (1 + events/low) / ((1 + u) * (1 + u))
	}
}

func normalSlopes(c expfam.Term, m, s2 float64) (float64, float64) {
	return (c.Stat - c.Size*m) / (1 + c.Size*s2), c.Size / (1 + c.Size*s2)
}

type closedCase struct {
	like   expfam.Likelihood
	obs    expfam.Observations
	slopes slopes
}

// closed are the likelihoods whose evidence is known in closed form, with six
// cells of data, one of them missing and one of several observations.
var closed = []closedCase{
	{expfam.Likelihood{Family: expfam.Poisson{}},
		expfam.Observations{{Stat: 2, Size: 1}, {Size: 1}, {}, {Stat: 1, Size: 1}, {Stat: 9, Size: 3},
			{Stat: 1, Size: 0.5}}, gammaSlopes(0, 1, false)},
	{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")},
		expfam.Observations{{Stat: 120, Size: 1}, {Stat: 150, Size: 1}, {}, {Stat: 260, Size: 1}, {Stat: 700, Size: 3},
			{Stat: 30, Size: 0.5}}, gammaSlopes(5, 1, false)},
	{expfam.Likelihood{Family: expfam.Exponential{}}, expfam.Observations{{Stat: 2, Size: 1}, {Stat: 0.1, Size: 1}, {},
		{Stat: 1, Size: 1}, {Stat: 5, Size: 3}, {Stat: 0.7, Size: 1}}, gammaSlopes(0, -1, true)},
	{expfam.Likelihood{Family: expfam.Normal{}}, expfam.Observations{{Stat: 2, Size: 1}, {Stat: -1, Size: 1}, {},
		{Stat: 1, Size: 1}, {Stat: 5, Size: 4}, {Stat: 0.7, Size: 0.25}}, normalSlopes},
}

var lookedAt = []float64{10, 1, 0.1}

// compareShifts compares the shift of a guidance with the one that is wanted for a mean and the covariance of x₀ | x_t.
func compareShifts(t *testing.T, cases []closedCase, guide Guidance, tol float64,
	want func(c closedCase, sigma float64, mean []float64, cov *mat.SymDense) []float64) {
	for _, c := range cases {
		for _, sigma := range lookedAt {
			t.Run(fmt.Sprintf("%v/%g", c.like, sigma), func(t *testing.T) {
				_, mean, shift := seen(t, few, c.like, c.obs, guide, sigma)
				cov := conditional(t, few.Cov(), sigma)
				for k := range 3 {
					for j, v := range want(c, sigma, mean.RawRowView(k), cov) {
						near(t, fmt.Sprintf("draw %d, cell %d", k, j), shift.At(k, j), v, tol)
					}
				}
			})
		}
	}
}

// evidenceShift is Cov(x₀ | x_t) times the slopes of the evidences of all cells.
func evidenceShift(c closedCase, _ float64, mean []float64, cov *mat.SymDense) []float64 {
	pull := mat.NewVecDense(6, nil)
	for j, m := range mean {
		g, _ := c.slopes(c.obs[j], m, cov.At(j, j))
		pull.SetVec(j, g)
	}
	pull.MulVec(cov, pull)
	return pull.RawVector().Data
}

// Rounding of sums of about a hundred, and the shape a, solved to 1e-11 or so.
func TestEvidenceInClosedForm(t *testing.T) {
	compareShifts(t, closed, Evidence{}, 1e-9, evidenceShift)
}

// The pull of a cell without data is exactly 0: all missing, and one missing that is coupled to none.
func TestEvidenceOfMissingCells(t *testing.T) {
	alone := expfam.Must(gp.New([]float64{1, 0, -1}, mat.NewDiagDense(3, []float64{1, 4, 0.25})))
	for _, c := range closed {
		for _, guide := range []Guidance{Evidence{}, Tempered{}, Corrected{}} {
			t.Run(fmt.Sprintf("%v/%v", c.like, guide), func(t *testing.T) {
				_, _, shift := seen(t, few, c.like, make(expfam.Observations, 6), guide, 0.5)
				must.Equal(t, mat.Norm(shift, math.Inf(1)), 0, "nothing observed: shift", mat.Formatted(shift))
				_, _, shift = seen(t, alone, c.like, c.obs[:3], guide, 0.5)
				for k := range 3 {
					must.Be(t, shift.At(k, 2) == 0 && shift.At(k, 0) != 0, "one missing: shift %v", shift.RawRowView(k))
				}
			})
		}
	}
}

// curved are likelihoods for which Project takes quadrature.
var curved = []struct {
	like expfam.Likelihood
	y    []float64
}{
	{expfam.Likelihood{Family: expfam.Binomial{Trials: 30}, Link: expfam.MustLink("sigmoid(5*x)")},
		[]float64{3, 15, 30, 0, 27, 20}},
	{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("softplus(2*x)")}, []float64{0, 1, 3, 2, 0, 7}},
}

// The shift is (v/√α) times the gradient of the summed log-evidence, through the
// moments of the prior and the projection.
func TestEvidenceIsAGradient(t *testing.T) {
	type given struct {
		like expfam.Likelihood
		obs  expfam.Observations
	}
	var cases []given
	for _, c := range closed {
		cases = append(cases, given{c.like, c.obs})
	}
	for _, c := range curved {
		obs := observe(t, c.like, c.y...)
		obs[2] = expfam.Term{}
		cases = append(cases, given{c.like, obs})
	}
	e := enginetest.Open(t, "go")
	for _, c := range cases {
		for _, sigma := range lookedAt {
			t.Run(fmt.Sprintf("%v/%g", c.like, sigma), func(t *testing.T) {
				x, _, shift := seen(t, few, c.like, c.obs, Evidence{}, sigma)
				at := level.At(sigma)
				exec := must.Get(graph.NewExec(e.Backend, func(x *node) *node {
					constant := func(v float64) *node { return graph.Const(x.Graph(), [][]float64{{v}}) }
					mean, variance := few.Moments(x, level.Nodes{SqrtAlpha: constant(at.SqrtAlpha),
						V: constant(at.V)})
					loc, conc := expfam.Must(c.like.Terms()).Project(mean, variance)
					return graph.ReduceAllSum(c.like.Family.Conjugate().LogEvidence(loc, conc,
						graph.Const(x.Graph(), [][]float64{c.obs.Stats()}),
						graph.Const(x.Graph(), [][]float64{c.obs.Sizes()})))
				}))(t)
				defer exec.Finalize()
				row := append([]float64{}, x.RawRowView(0)...)
				for j := range row {
					// Noise of x_t has size sigma near the data: steps of a
					// hundredth of it, and fourth order, leave 1e-7.
					slope := differences(func(v float64) float64 {
						moved := append([]float64{}, row...)
						moved[j] = v
						return enginetest.Float64s(exec.MustCall([][]float64{moved})[0])[0]
					}, row[j], 0.01*math.Min(1, sigma))
					near(t, fmt.Sprintf("cell %d", j), shift.At(0, j), slope*at.V/at.SqrtAlpha, 1e-6)
				}
			})
		}
	}
}

// In single precision, on every engine, draws are finite and follow the data.
func TestEvidenceUnderCurvedLinks(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range enginetest.Short(e, 1, curved) {
			for _, guide := range enginetest.Short(e, 1, []Guidance{Corrected{}, Evidence{}}) {
				t.Run(fmt.Sprintf("%v/%v", c.like, guide), func(t *testing.T) {
					obs := observe(t, c.like, c.y...)
					obs[2] = expfam.Term{}
					post := sample(t, few, c.like, obs, Sampler{Draws: 10, Seed: 1, Engine: e, Guidance: guide,
						Method: Multistep{N: 25}})
					err := post.Check()
					must.Be(t, err == nil, "%v", err)
					mean := post.Latent().Mean()
					must.Be(t, mean[0] < mean[5], "mean of x₀ %.2f; the data rise from cell 0 to cell 5", mean)
				})
			}
		}
	})
}

func TestTemperedIsEvidenceDivided(t *testing.T) {
	compareShifts(t, closed, Tempered{}, 1e-9, func(c closedCase, sigma float64, mean []float64,
		cov *mat.SymDense) []float64 {
		var share float64
		for j, m := range mean {
			_, h := c.slopes(c.obs[j], m, cov.At(j, j))
			share += math.Min(cov.At(j, j)*h, 1) / 6
		}
		divisor := 1 + 0.5*(few.Coupling(sigma)-1)*share
		must.Be(t, sigma != 10 || divisor > 1.1, "the divisor is %g: nothing is tested", divisor)
		shift := evidenceShift(c, sigma, mean, cov)
		floats.Scale(1/divisor, shift)
		return shift
	})
}

// uncoupled hides all of a prior but what every prior has.
type uncoupled struct{ expfam.Prior }

func TestTemperedNeedsACoupling(t *testing.T) {
	s := Sampler{Draws: 2, Engine: enginetest.Open(t, "go"), Fresh: true, Guidance: Tempered{}}
	for name, run := range map[string]func() error{
		"compile": func() error { _, err := Compile(uncoupled{few}, normal, s); return err },
		"sample": func() error {
			_, err := Sample(uncoupled{few}, normal, make(expfam.Observations, 6), s)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			must.Err(t, run(),
				"the prior does not know how its cells are coupled; use a guidance that does not ask, such as "+
					"Corrected")
		})
	}
}

package hmc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/newton"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/speak"
)

// Joint draws a field together with the unknown parameters of its prior ([expfam.Parametric], such as gp.Unknown) and
// of its likelihood ([expfam.Likelihood.Unknown]). It is independent of package joint, and slower: other samplers are
// tested against it. The chains run in the scores t of the parameters and in z of x₀ = μ(t) + L(t) z, where L Lᵀ = K(t)
// and z is standard normal before the data. z is whitened by the Laplace approximation at the mean t of a short trial.
// Slopes in t are central differences.
//
// The draws, their diagnostics and their errors are those of [Sample]. R-hat and the effective sizes are also of the
// parameters, whose numbers follow those of the cells. The result is not stored.
func Joint(prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, end := speak.Work("Hamiltonian Monte Carlo", "divergent")
	defer end()
	return JointContext(ctx, prior, like, obs, o)
}

// JointContext is [Joint] with a context: it ends when ctx ends.
func JointContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations,
	options Options) (*expfam.Posterior, error) {
	began := time.Now()
	o, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	m, err := newMixed(prior, like, obs)
	if err != nil {
		return nil, fmt.Errorf("hmc: %w", err)
	}
	p := len(m.parameters)
	if err := m.whiten(make([]float64, p), slices.Repeat([]float64{1}, p)); err != nil {
		return nil, fmt.Errorf("hmc: %w", err)
	}
	// The trial finds where the scores of the parameters are, and how far they spread.
	short := Options{Warmup: 100, Draws: 200, Accept: o.Accept, Seed: o.Seed}
	both := model{m.density, len(m.mode) + p, m.cells + p, m.latent, "hmc/joint/",
		fmt.Sprintf("%d cells and %d parameters", m.cells, p)}
	if trial := both.run(ctx, short, "trial", func(float64) {}).x; trial != nil {
		centre, scale := make([]float64, p), make([]float64, p)
		for k := range p {
			centre[k], scale[k] = stat.MeanStdDev(mat.Col(nil, m.cells+k, trial), nil)
			scale[k] = math.Max(scale[k], 0.01)
		}
		if err := m.whiten(centre, scale); err != nil {
			return nil, fmt.Errorf("hmc: %w", err)
		}
	}
	post, failure := both.sample(ctx, o, began)
	if post == nil {
		return nil, failure
	}
	all := post.X
	post.X, post.Info.Missing = mat.DenseCopyOf(all.Slice(0, o.Chains*o.Draws, 0, m.cells)), obs.Blanks()
	var medians []float64
	for k, q := range m.parameters {
		values := mat.Col(nil, m.cells+k, all)
		for i, t := range values {
			values[i] = law.At(q.Law, t)
		}
		post.AddParameter(q, values)
		medians = append(medians, post.Parameters[k].Median())
	}
	if post.Likelihood, _, err = like.With(medians[m.own:], obs); err != nil {
		return nil, fmt.Errorf("hmc: %w", err)
	}
	return post, failure
}

// mixed is the joint model of a field and of its parameters.
type mixed struct {
	prior      func(values []float64) (mean []float64, cov *mat.SymDense, err error)
	parameters []law.Parameter
	own        int // number of parameters of the prior
	tuner      func(values []float64) (logLik, error)
	cells      int

	*whitened               // the coordinates w of z
	centre, scale []float64 // of t
}

func newMixed(prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations) (*mixed, error) {
	if err := traits.Check(prior); err != nil {
		return nil, err
	}
	m := &mixed{cells: prior.Dim()}
	switch p := prior.(type) {
	case expfam.Parametric:
		m.prior, m.parameters = p.Normal, p.Parameters()
	case Prior:
		m.prior = func([]float64) ([]float64, *mat.SymDense, error) { return p.Mean(), p.Cov(), nil }
	default:
		return nil, fmt.Errorf("%v is not Gaussian; take gp.Unknown or another prior of package gp", prior)
	}
	m.own = len(m.parameters)
	open, err := like.Unknowns()
	if err != nil {
		return nil, err
	}
	if m.parameters = append(m.parameters, open...); len(m.parameters) == 0 {
		return nil, errors.New("the model has no unknown parameters; take Sample")
	}
	if err := law.CheckAll(m.parameters); err != nil {
		return nil, err
	}
	tuner, err := like.Tuner(m.cells, obs, m.values(make([]float64, len(m.parameters)))[m.own:])
	m.tuner = func(values []float64) (logLik, error) { return tuner(values) }
	return m, err
}

// values returns the parameters at scores, in their own units.
func (m *mixed) values(t []float64) []float64 { return law.Values(m.parameters, t) }

// given returns the prior and the log-likelihood at scores of the parameters.
func (m *mixed) given(t []float64) (mean []float64, l *mat.Dense, data logLik, err error) {
	values := m.values(t)
	mean, cov, err := m.prior(values[:m.own])
	if err != nil {
		return nil, nil, data, err
	}
	if l, err = root(cov); err != nil {
		return nil, nil, data, err
	}
	data, err = m.tuner(values[m.own:])
	return mean, l, data, err
}

// whiten sets the coordinates by the Laplace approximation of z given the scores at the centre.
func (m *mixed) whiten(centre, scale []float64) error {
	mean, l, data, err := m.given(centre)
	if err != nil {
		return err
	}
	m.centre, m.scale = centre, scale
	m.whitened, err = whiten(mean, l, data)
	return err
}

// place returns z and t at coordinates u = (w, s).
func (m *mixed) place(u []float64) (z, t []float64) {
	rank := len(m.mode)
	z, t = m.whitened.place(u[:rank]), make([]float64, len(m.centre))
	for k := range t {
		t[k] = m.centre[k] + m.scale[k]*u[rank+k]
	}
	return z, t
}

// at returns the log density of z and t up to a constant, and its slope in z if slope is not nil.
func (m *mixed) at(z, t, slope []float64) float64 {
	sum := law.LogDensity(t)
	mean, l, data, err := m.given(t)
	if err != nil || math.IsInf(sum, -1) {
		return math.Inf(-1)
	}
	inX := make([]float64, m.cells)
	sum += data.LogLikSlope(at(mean, l, z), inX)
	for _, v := range z {
		sum -= v * v / 2
	}
	if slope != nil {
		g := mat.NewVecDense(len(z), slope)
		g.MulVec(l.T(), mat.NewVecDense(m.cells, inX))
		g.SubVec(g, mat.NewVecDense(len(z), z))
	}
	return newton.Finite(sum)
}

// density is the log density of u with its gradient; see [density].
func (m *mixed) density(u, gradient []float64) float64 {
	const h = 1e-4
	rank := len(m.mode)
	z, t := m.place(u)
	value := m.at(z, t, gradient[:rank])
	if math.IsInf(value, -1) {
		return value
	}
	m.pull(gradient[:rank])
	for k := range t {
		own := t[k]
		t[k] = own + h
		up := m.at(z, t, nil)
		t[k] = own - h
		gradient[rank+k] = (up - m.at(z, t, nil)) / (2 * h) * m.scale[k]
		t[k] = own
	}
	return value
}

// latent writes x₀ and the scores at coordinates.
func (m *mixed) latent(u, out []float64) {
	z, t := m.place(u)
	if mean, l, _, err := m.given(t); err == nil { // else the density is −∞ there, and no chain stays there
		copy(out, at(mean, l, z))
		copy(out[m.cells:], t)
	}
}

package joint

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

// model is the joint model of a field and its parameters, those of the prior before those of the likelihood.
type model struct {
	name       string // of the prior
	normal     func(values []float64) (mean []float64, cov *mat.SymDense, err error)
	parameters []law.Parameter
	own        int // number of parameters of the prior
	like       expfam.Likelihood
	obs        expfam.Observations
	cells      int
	lattice    expfam.Lattice // of the prior, nil if it is none

	tuner func(values []float64) (latent.Data, error)
	known setting // of a prior without parameters, else empty

	sparse *latent.Sparse // of a prior with a sparse precision, else nil
	modes  *modes         // where the searches for its modes start

	approximate bool // [Options].Approximate
	flat        bool // the evidence is that of the data alone, for [Largest]
}

// target is the posterior of the field given the scores of the parameters, in coordinates u in which it is near N(0,
// I).
type target interface {
	Rank() int
	LogScale() float64
	LogEvidence() float64
	Place(u []float64, x ...[]float64)
	Density() latent.Density
}

// newModel checks the prior, the likelihood and the data.
func newModel(prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations) (*model, error) {
	if prior == nil {
		return nil, errors.New("there is no prior; give gp.Unknown or another prior of package gp")
	}
	if err := traits.Check(prior); err != nil {
		return nil, err
	}
	m := &model{name: prior.String(), like: like, obs: obs, cells: prior.Dim()}
	m.lattice, _ = prior.(expfam.Lattice)
	switch p := prior.(type) {
	case expfam.Parametric:
		m.normal, m.parameters = p.Normal, p.Parameters()
	case interface {
		Mean() []float64
		Cov() *mat.SymDense
	}:
		m.normal = func([]float64) ([]float64, *mat.SymDense, error) { return p.Mean(), p.Cov(), nil }
	default:
		return nil, fmt.Errorf("%v has no mean and covariance; take gp.Unknown or another prior of package gp", prior)
	}
	m.own = len(m.parameters)
	open, err := like.Unknowns()
	if err != nil {
		return nil, err
	}
	m.parameters = append(m.parameters, open...)
	if _, precise := prior.(precise); len(m.parameters) == 0 && !precise {
		return nil, fmt.Errorf("neither the prior %v nor the likelihood %v has unknown parameters; take "+
			"diffusion.Sample or hmc.Sample", prior, like)
	}
	if err := law.CheckAll(m.parameters); err != nil {
		return nil, err
	}
	zero := make([]float64, len(m.parameters))
	if m.tuner, err = like.Tuner(m.cells, obs, m.values(zero)[m.own:]); err != nil {
		return nil, err
	}
	if done, err := m.precision(prior, zero); done || err != nil {
		return m, err
	}
	if m.own == 0 {
		if m.known, err = m.field(nil); err != nil {
			return nil, err
		}
		m.known.root, _ = latent.LowRank(m.known.cov)
	}
	if err := m.fits(); err != nil {
		return nil, err
	}
	if m.own == 0 && m.known.root == nil {
		if m.known.root, err = latent.Cholesky(m.known.cov); err != nil {
			return nil, err
		}
	}
	m.known.cov = nil
	// The laws' medians find faults of the data and of the prior before the long work.
	_, err = m.target(zero)
	return m, err
}

// rank returns the number of columns of the root of a dense covariance.
func (m *model) rank() int {
	if m.known.root == nil {
		return m.cells
	}
	_, rank := m.known.root.Dims()
	return rank
}

// fits refuses dense covariances whose factors, of the search and the pool, take too long.
func (m *model) fits() error {
	const factors = 150
	n, rank := float64(m.cells), float64(m.rank())
	return latent.Cost{Flops: factors * n * rank * rank, Bytes: 64 * n * rank}.Fits(
		fmt.Sprintf("the covariance of %d cells", m.cells),
		"take a prior with a sparse precision, such as gmrf.Prior or mesh.Matern, or fewer cells")
}

// precise is a prior with a sparse precision.
type precise interface {
	Sparse() (*latent.Field, error)
}

// precision makes the model of a prior with a sparse precision. It reports whether the prior has one.
func (m *model) precision(prior expfam.Prior, zero []float64) (bool, error) {
	p, ok := prior.(precise)
	if !ok {
		return false, nil
	}
	f, err := p.Sparse()
	if err != nil {
		return false, nil // the dense way says what is wrong, if anything is
	}
	data, err := m.tuner(m.values(zero)[m.own:])
	if err != nil {
		return false, err
	}
	if m.sparse, err = latent.NewSparse(f, data, f.Offset); err != nil {
		return false, err
	}
	m.modes = &modes{}
	_, err = m.mode(zero)
	return true, err
}

// values returns the parameters at scores, in their own units.
func (m *model) values(t []float64) []float64 { return law.Values(m.parameters, t) }

// target returns the posterior of the field given the scores of the parameters, whitened by its Laplace approximation.
func (m *model) target(t []float64) (target, error) {
	if m.sparse != nil {
		return m.about(t)
	}
	g, err := m.setting(t)
	if err != nil {
		return nil, err
	}
	if g.root == nil {
		if g.root, err = latent.Cholesky(g.cov); err != nil {
			return nil, err
		}
	}
	if g.cov == nil || m.cells <= leaveCells {
		return orNil(latent.ByLaplace(g.mean, g.root, g.data))
	}
	a, err := latent.LaplaceOf(g.mean, g.cov, g.data)
	if err != nil {
		return nil, err
	}
	return orNil(a.Target(g.mean, g.root, g.data))
}

// orNil returns t, or nil with an error.
func orNil(t *latent.Target, err error) (target, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// logEvidence returns the Laplace approximation of the log evidence of scores under a dense covariance, without the
// target of many cells.
func (m *model) logEvidence(t []float64) (float64, error) {
	if m.known.root != nil || m.cells <= leaveCells {
		target, err := m.target(t)
		if err != nil {
			return 0, err
		}
		return target.LogEvidence(), nil
	}
	g, err := m.setting(t)
	if err != nil {
		return 0, err
	}
	a, err := latent.LaplaceOf(g.mean, g.cov, g.data)
	return a.LogEvidence, err
}

// setting has the prior and the likelihood of the field for values of the parameters.
type setting struct {
	mean []float64
	cov  *mat.SymDense // nil if the prior has no parameters
	root *mat.Dense    // nil until it is needed, if the prior has parameters
	data latent.Data
}

func (m *model) setting(t []float64) (g setting, err error) {
	values := m.values(t)
	if g = m.known; g.root == nil {
		if g, err = m.field(values[:m.own]); err != nil {
			return g, err
		}
	}
	g.data, err = m.tuner(values[m.own:])
	return g, err
}

// field returns the setting of values of the prior's parameters, without data.
func (m *model) field(values []float64) (g setting, err error) {
	if g.mean, g.cov, err = m.normal(values); err != nil {
		return g, err
	}
	for _, v := range g.cov.RawSymmetric().Data {
		if !finite(v) {
			return g, fmt.Errorf("the covariance of %s has an entry %g; check the kernel and the laws", m.name, v)
		}
	}
	return g, nil
}

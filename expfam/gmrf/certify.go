package gmrf

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// certify returns the certificate of draws whose hyperparameters are those of points: draw i has those of point
// which[i]. There is none where the draws are not those of x₀ in the posterior's likelihood.
func (m *model) certify(post *expfam.Posterior, obs expfam.Observations, points []weighted,
	which []int) (*expfam.Certificate, error) {
	if m.mixed != nil {
		return nil, errors.New("certify: the field is drawn together with the variance between examinations")
	}
	return post.CertifyEach(obs, which, func(k int) any {
		h := points[k].hyper
		return given{prior: m.prior, hyper: h, spectrum: m.lattice.spectrum(m.prior.Alpha, h.length)}
	})
}

// given is the prior of x₀ at hyperparameters.
type given struct {
	prior    Prior
	hyper    hyper
	spectrum *spectrum
}

func (g given) Mean() []float64 {
	return slices.Repeat([]float64{g.prior.Level}, len(g.spectrum.order))
}

func (g given) Lattice() (rows, cols int) { return g.prior.Grid.Rows, g.prior.Grid.Cols }

// Multiply returns the covariance times v: a common level, the field, and independent effects.
func (g given) Multiply(v []float64) ([]float64, bool) {
	s := g.spectrum
	z := mat.NewDense(s.rows, s.cols, nil)
	for k, j := range s.order {
		z.RawMatrix().Data[k] = v[j] / s.scale[k]
	}
	z = s.analyse(z)
	z.MulElem(z, s.inverse)
	shared, out := g.prior.LevelSD*g.prior.LevelSD*floats.Sum(v), make([]float64, len(v))
	for k, w := range s.synthesise(z).RawMatrix().Data {
		j := s.order[k]
		out[j] = shared + g.hyper.sd*g.hyper.sd*w/s.scale[k] + g.hyper.nugget*g.hyper.nugget*v[j]
	}
	return out, true
}

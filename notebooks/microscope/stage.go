package microscope

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
)

// stage is a cell that was checked and has its defaults.
type stage struct {
	Cell
	terms *expfam.Terms
	scan  []float64 // a grid of x₀ from end to end of the prior
	prior []float64 // the log density of the prior at scan
	like  []float64 // the log-likelihood at scan
}

const (
	scanReach  = 10   // standard deviations of the prior on either side of its mean
	scanPoints = 1601 // of the grid on which the mass is found
	sumPoints  = 512  // of the grid of an integral
	sumFall    = 40   // by which the logarithm of the integrand falls from its top to both ends
)

func (m Cell) stage() (*stage, error) {
	if m.Prior == nil {
		m.Prior = distuv.UnitNormal
	}
	if !(m.Level.SqrtAlpha > 0 && m.Level.V > 0) {
		return nil, fmt.Errorf("microscope: level %+v; both parts must be positive, as those of VP{}.Level(t) with "+
			"t > 0", m.Level)
	}
	terms, err := m.Likelihood.Terms()
	if err != nil {
		return nil, fmt.Errorf("microscope: %w", err)
	}
	if err := terms.Cellwise(); err != nil {
		return nil, fmt.Errorf("microscope: %w", err)
	}
	if _, general := terms.Family.(expfam.General); general {
		return nil, fmt.Errorf("microscope: %v has no closed-form evidence to look at; use Binomial",
			m.Likelihood.Family)
	}
	s := &stage{Cell: m, terms: terms}
	mean, reach := m.Prior.Mean(), scanReach*m.Prior.StdDev()
	s.scan = floats.Span(make([]float64, scanPoints), mean-reach, mean+reach)
	s.prior, s.like = s.logs(s.scan)
	return s, nil
}

// logs returns the log density of the prior and the log-likelihood at every x. Where a link overflows, far from
// the data, the likelihood is 0.
func (s *stage) logs(x []float64) (prior, like []float64) {
	prior, like = make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		prior[i] = s.Prior.LogProb(v)
		like[i] = s.terms.LogLik(v, s.Term)
		if math.IsNaN(like[i]) {
			like[i] = math.Inf(-1)
		}
	}
	return prior, like
}

// noise returns −(x_t − √α x₀)²/(2v).
func (s *stage) noise(x, x0 float64) float64 {
	gap := x - s.Level.SqrtAlpha*x0
	return -gap * gap / (2 * s.Level.V)
}

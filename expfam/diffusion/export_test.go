package diffusion

import "github.com/expfam/lab/expfam"

// The forms of methods that no user sets, for the tests outside of the package.

// EulerMaruyama is the predictor without correctors.
func EulerMaruyama(n int, vp expfam.VP) PredictorCorrector {
	return PredictorCorrector{N: n, VP: vp, alone: true}
}

// LanczosSteps are covariance steps with so many Jacobian products for a root of the covariance.
func LanczosSteps(n, lanczos int) CovarianceSteps { return CovarianceSteps{N: n, lanczos: lanczos} }

// From returns the restarts that begin at a noise level.
func (r Restarts) From(start float64) Restarts {
	r.start = start
	return r
}

// BatchWithin returns the default batch that fits into a number of bytes.
func BatchWithin(prior expfam.Prior, s Sampler, budget float64) (int, error) {
	s, err := s.orDefault(prior)
	return s.batchWithin(prior, budget), err
}

package diffusion

import (
	"cmp"
	"fmt"

	"github.com/expfam/lab/expfam/level"
)

// ODE is the method DPM-Solver++(2M) (Lu et al. 2022): the probability-flow ODE in second order on a grid of equal
// steps in log-SNR. It ends with the estimate of x₀. Only the first x_t is random. It evaluates the networks N times.
//
// It shows why samplers add noise: a stochastic scheme such as [Multistep] forgets the
// errors that the guidance makes at high noise, and the ODE keeps them. With a guidance
// that leaves out correlations between cells its posteriors are far too narrow.
type ODE struct {
	N  int // default 25
	VP level.VP
}

// Steps returns N − 1 deterministic steps and the final estimate.
func (m ODE) Steps() []Step { return multistep(m.N, m.VP, true) }

// Refine returns the method that ends at the noise level that the data require, with steps of the same length.
func (m ODE) Refine(d Demand) Method {
	m.N, m.VP = refined(m.N, m.VP, d)
	return m
}

func (m ODE) String() string { return fmt.Sprintf("ode(n=%d, %v)", cmp.Or(m.N, defaultN), m.VP) }

// Check implements [expfam.Checker].
func (m ODE) Check() error { return checkN(m, m.N, m.VP) }

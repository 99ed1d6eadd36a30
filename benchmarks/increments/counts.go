package increments

import (
	"fmt"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
)

// Counts is a likelihood of data y_k given z_k = (H s)_k/power. Here power is the square root of the median power of
// the problem's signals behind the operator, so that z is of order one.
type Counts struct {
	Name       string
	Likelihood expfam.Likelihood
}

// Counted returns the benchmark's two kinds of data that are not normal: Poisson with mean 10 exp(z), and Binomial of
// 20 trials with the probability 1/(1 + exp(−2z)).
func Counted() []*Counts {
	return []*Counts{
		{"Poisson", expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("10*exp(x)")}},
		{"Binomial", expfam.Likelihood{Family: expfam.Binomial{Trials: 20}, Link: expfam.MustLink("sigmoid(2*x)")}},
	}
}

func (c *Counts) String() string { return fmt.Sprintf("%s, %v", c.Name, c.Likelihood) }

// draw draws a datum given z.
func (c *Counts) draw(z float64, rng *rand.Rand) float64 {
	return c.Likelihood.Family.Rand(c.Likelihood.Link.At(z), expfam.Known{}, rng)
}

// logLik returns the log-likelihood of all z.
func (c *Counts) logLik(z, y []float64) (float64, error) {
	terms, err := c.Likelihood.Terms()
	if err != nil {
		return 0, err
	}
	obs, err := c.Likelihood.Observe1(y...)
	if err != nil {
		return 0, err
	}
	return terms.LogLikSlope(z, obs, make([]float64, len(z))), nil
}

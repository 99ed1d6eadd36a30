package learn_test

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/neartest"
	"github.com/expfam/lab/internal/must"
)

type node = graph.Node

// few is a prior whose moments are known.
var few = gp.RBF{Cells: 6, Length: 0.3}

var (
	normal  = Likelihood{Family: Normal{}}
	poisson = Likelihood{Family: Poisson{}}
)

func observe(t testing.TB, like Likelihood, y ...float64) Observations {
	t.Helper()
	return must.Get(like.Observe1(y...))(t)
}

func sample(t testing.TB, prior Prior, like Likelihood, obs Observations, s diffusion.Sampler) *Posterior {
	t.Helper()
	s.Fresh = true
	return must.Get(diffusion.Sample(prior, like, obs, s))(t)
}

var near = neartest.Relative

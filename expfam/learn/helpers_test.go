package learn_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
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
	obs, err := like.Observe1(y...)
	if err != nil {
		t.Fatal(err)
	}
	return obs
}

func sample(t testing.TB, prior Prior, like Likelihood, obs Observations, s Sampler) *Posterior {
	t.Helper()
	s.Fresh = true
	post, err := Sample(prior, like, obs, s)
	if err != nil {
		t.Fatal(err)
	}
	return post
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g (relative difference %.2g, tolerance %.2g)", what, got, want, math.Abs(got-want)/(1+math.Abs(want)), tol)
	}
}

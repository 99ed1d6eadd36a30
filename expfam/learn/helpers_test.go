package learn_test

import (
	"errors"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
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

// stop interrupts a training after a step, and returns its error.
func stop(t *testing.T, c learn.Training, after int) error {
	t.Helper()
	c.Progress = func(step, _ int, _ float64) {
		if step == after {
			storetest.Interrupt(t)
		}
	}
	p, err := learn.Train(few, c)
	must.Need(t, p == nil && errors.Is(err, ErrInterrupted), "network %v, error %v", p, err)
	return err
}

// resume trains, and returns the step from which the training went on.
func resume(t *testing.T, c learn.Training) (p *learn.Prior, first int) {
	t.Helper()
	first = -1
	c.Progress = func(step, _ int, _ float64) {
		if first < 0 {
			first = step
		}
	}
	return learntest.Train(t, few, c), first
}

func sample(t testing.TB, prior Prior, like Likelihood, obs Observations, s diffusion.Sampler) *Posterior {
	t.Helper()
	s.Fresh = true
	return must.Get(diffusion.Sample(prior, like, obs, s))(t)
}

var near = must.Relative

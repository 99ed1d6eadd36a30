package learn_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// Whatever is wrong with the store, networks are those of a run without one, and
// the log says before the first step that they may not be kept.
func TestNetworksOutliveTheStore(t *testing.T) {
	training := learntest.Tiny(t)
	training.Steps = 20
	network := learntest.Train(t, few, training)
	inference := must.Get(learn.TrainInference(few, poisson, training))(t)
	training.Fresh = false

	storetest.Broken(t, func(t *testing.T, log *bytes.Buffer) {
		warned := func() {
			t.Helper()
			must.Be(t, strings.Contains(log.String(), "level=WARN"), "nothing was said before the first step")
		}
		c := training
		c.Progress = func(int, int, float64) { warned() }
		p, err := learn.Train(few, c)
		must.Be(t, err == nil && same(p, network), "Train: %v, want %v; error %v", p, network, err)
		if n, err := learn.TrainInference(few, poisson, c); err != nil || n.String() != inference.String() {
			t.Errorf("TrainInference: %v, want %v; error %v", n, inference, err)
		}
		c.Progress = func(step, _ int, _ float64) {
			if step == 10 {
				storetest.Interrupt(t)
			}
		}
		_, err = learn.Train(few, c)
		must.Be(t, errors.Is(err, ErrInterrupted) && strings.Contains(err.Error(), "nothing of it is stored"),
			"interrupted Train: %v", err)
	})
}

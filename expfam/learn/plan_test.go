package learn_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/speaktest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// In a cell a training speaks of its own accord, before the engine compiles and with its plan.
func TestTrainSpeaks(t *testing.T) {
	bars := speaktest.Listen(t)
	c := learntest.Tiny(t)
	c.Fresh = true
	must.Get(learn.Train(few, c))(t)
	if b := bars.One(t); b.First != 0 || b.Last != c.Steps || b.Total != c.Steps || !b.Ended ||
		!strings.Contains(b.Plan, "steps of") {
		t.Errorf("%+v", b)
	}
	c.Progress = func(int, int, float64) {}
	must.Get(learn.Train(few, c))(t)
	must.Be(t, bars.All()[1].Total == 0 && bars.All()[1].Plan != "", "with a Progress of its own: %+v", bars.All()[1])
}

// The plan of a training, and the losses that it shows, go on from where a former run was interrupted.
func TestPlanAndWatchOfAResumedTraining(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	c := learntest.Tiny(t)
	c.Fresh = false
	ctx, cancel := context.WithCancel(t.Context())
	var seen []float64
	c.Watch = func(total int, steps, train, heldOut []float64) {
		must.Be(t, total == c.Steps && len(train) == len(steps) && len(heldOut) == len(steps),
			"%d steps in all, %d, %d and %d points", total, len(steps), len(train), len(heldOut))
		seen = slices.Clone(steps)
		if len(steps) == 30 {
			cancel()
		}
	}
	plans := 0
	c.Plan = func(p learn.Plan) {
		plans++
		must.Be(t, p.Steps == c.Steps && p.Batch == c.Batch && p.Parameters >= 1 && p.Memory >= 1 && p.Seconds >= 0 &&
			p.Done >= 1 && p.Done <= c.Steps,
			"plan %+v", p)
		must.Be(t, p.Done >= 2, "the step that compiles is in the speed: %+v", p)
	}
	_, err := learn.TrainContext(ctx, few, c)
	must.Need(t, errors.Is(err, ErrInterrupted), "%v", err)
	before := seen
	var first []float64
	c.Watch = func(_ int, steps, _, heldOut []float64) {
		if first == nil {
			first = slices.Clone(steps)
		}
		seen = slices.Clone(steps)
		must.Be(t, !math.IsNaN(heldOut[len(heldOut)-1]), "a loss is missing")
	}
	prior := must.Get(learn.TrainContext(t.Context(), few, c))(t)
	must.Be(t, slices.Equal(first, before) && slices.Equal(seen, prior.Curve.Step),
		"first %v, want those of the interrupted run, %v; in the end %v, want %v", first, before, seen,
		prior.Curve.Step)
	must.Equal(t, plans, 2, "plans of two runs")
}

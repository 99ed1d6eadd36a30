package learn_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// A training ends with its context as it does with an interrupt, and the same call goes
// on where it stopped, between two steps or while the coupling is measured.
func TestTrainEndsWithItsContext(t *testing.T) {
	c := learntest.Tiny(t)
	whole := learntest.Train(t, few, c)
	c.Fresh = false
	for _, x := range []struct {
		name string
		stop func(c *learn.Training, cancel func()) Simulator
		want string
	}{
		{"between two steps", func(c *learn.Training, cancel func()) Simulator {
			c.Progress = func(step, _ int, _ float64) {
				if step == 40 {
					cancel()
				}
			}
			return few
		}, "interrupted at step 4"},
		{"while the coupling is measured", func(c *learn.Training, cancel func()) Simulator {
			var over atomic.Bool
			c.Progress = func(step, total int, _ float64) { over.Store(step == total) }
			return watchedSimulator{few, func() {
				if over.Load() {
					cancel()
				}
			}}
		}, "after the last step, while the network was measured; run it again to go on"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Setenv("EXPFAM_STORE", t.TempDir())
			ctx, cancel := context.WithCancel(t.Context())
			c := c
			sim := x.stop(&c, cancel)
			p, err := learn.TrainContext(ctx, sim, c)
			must.Need(t, p == nil && errors.Is(err, ErrInterrupted) && strings.Contains(err.Error(), x.want),
				"network %v, error %v", p, err)
			steps := 0
			c.Progress = func(int, int, float64) { steps++ }
			if _, ok := sim.(watchedSimulator); ok {
				sim = watchedSimulator{few, func() {}}
			}
			p, err = learn.TrainContext(t.Context(), sim, c)
			must.Be(t, err == nil && same(p, whole), "%v, whole %v; error %v", p, whole, err)
			_, ok := sim.(watchedSimulator)
			must.Be(t, !ok || steps <= 0, "steps were done again")
		})
	}
	t.Run("inference", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		n, err := learn.TrainInferenceContext(ctx, few, poisson, c)
		must.Be(t, n == nil && errors.Is(err, ErrInterrupted), "network %v, error %v", n, err)
	})
}

// fuse is a context that ends at the n-th look at it.
type fuse struct {
	context.Context
	left *atomic.Int64
}

func (f fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A training may end at any look at its context, also between a step and its loss on held-out draws, which takes long
// for large networks: the same call goes on to the same network and the same curve.
func TestTrainEndsAnywhere(t *testing.T) {
	c := learntest.Tiny(t)
	c.Batch = 32 // eight batches of held-out draws
	whole := learntest.Train(t, few, c)
	c.Fresh = false
	for i, looks := range []int64{3, 14, 15, 20, 21, 22, 23, 24, 300} {
		if i%2 == 1 && !*fulltest.Full {
			continue
		}
		t.Setenv("EXPFAM_STORE", t.TempDir())
		left := &atomic.Int64{}
		left.Store(looks)
		if p, err := learn.TrainContext(fuse{t.Context(), left}, few, c); p != nil || !errors.Is(err, ErrInterrupted) {
			t.Fatalf("after %d looks: network %v, error %v", looks, p, err)
		}
		p, err := learn.TrainContext(t.Context(), few, c)
		must.Be(t, err == nil && same(p, whole) && slices.Equal(p.Curve.HeldOut, whole.Curve.HeldOut) &&
			slices.Equal(p.Curve.Train, whole.Curve.Train),
			"after %d looks: %v, whole %v; error %v", looks, p, whole, err)
	}
}

// Warnings of a training go where its context says.
func TestTrainLogsToTheContext(t *testing.T) {
	storetest.Broken(t, func(t *testing.T, others *bytes.Buffer) {
		var log bytes.Buffer
		ctx := WithLogger(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		c := learntest.Tiny(t)
		c.Fresh, c.Steps = false, 5
		_, err := learn.TrainContext(ctx, few, c)
		must.Be(t, err == nil, "%v", err)
		must.Be(t, strings.Contains(log.String(), "level=WARN") && others.Len() <= 0,
			"the logger of the context has %q, the process's %q", &log, others)
	})
}

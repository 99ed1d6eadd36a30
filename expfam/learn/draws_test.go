package learn_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// jealous is a simulator that serves one goroutine only. It calls draw with the number of draws so far.
type jealous struct {
	coins
	draw          func(drawn int64)
	drawn, inside *atomic.Int64
	shared        *atomic.Bool // two goroutines have drawn at the same time
}

func newJealous(draw func(drawn int64)) jealous {
	return jealous{draw: draw, drawn: new(atomic.Int64), inside: new(atomic.Int64), shared: new(atomic.Bool)}
}

func (j jealous) Draw(rng *rand.Rand, x []float64) {
	if j.inside.Add(1) > 1 {
		j.shared.Store(true)
	}
	defer j.inside.Add(-1)
	runtime.Gosched() // another goroutine that is ready to draw draws now
	j.coins.Draw(rng, x)
	j.draw(j.drawn.Add(1))
}

// A simulator that is not Concurrent is never asked for two draws at the same time, and for none after the training.
func TestDrawsAreOneAfterAnother(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(c *learn.Training, cancel func())
	}{
		{"all steps", func(*learn.Training, func()) {}},
		{"an interrupt", func(c *learn.Training, cancel func()) {
			c.Progress = func(step, _ int, _ float64) {
				if step == 8 {
					cancel()
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			config, sim := learntest.Tiny(t), newJealous(func(int64) {})
			config.Steps = 40
			c.edit(&config, cancel)
			_, err := learn.TrainContext(ctx, sim, config)
			must.Need(t, err == nil || errors.Is(err, ErrInterrupted), "%v", err)
			must.Be(t, sim.inside.Load() <= 0, "the simulator draws after the training has ended")
			must.Be(t, !sim.shared.Load(), "two goroutines drew at the same time")
		})
	}
}

// A training ends at the draw at which its context ends, also before the first step.
func TestTrainEndsWhileItDraws(t *testing.T) {
	for _, c := range []struct {
		name  string
		after int64 // draws
		want  string
	}{
		{"scale", 300, "interrupted while the mean and sd of the cells were estimated; run it again"},
		{"spectrum", 10300, "was measured on draws; run it again"},
		{"held-out draws", 20300, "interrupted at step 0 of 40"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			sim := newJealous(func(drawn int64) {
				if drawn == c.after {
					cancel()
				}
			})
			config := learntest.Tiny(t)
			config.Net, config.Steps, config.Batch = nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1},
				Embedding: 8}, 40, 1000
			_, err := learn.TrainContext(ctx, sim, config)
			must.Be(t, errors.Is(err, ErrInterrupted) && strings.Contains(err.Error(), c.want),
				"error %v, want %q in it", err, c.want)
			must.Equal(t, sim.drawn.Load(), c.after, "draws")
		})
	}
}

// A draw that panics, or that is not finite, is an error at any point of a training. It does not end the process.
func TestDrawsThatFail(t *testing.T) {
	for _, c := range []struct {
		name  string
		after int64 // draws
	}{
		{"scale", 300},
		{"spectrum", 10300},
		{"held-out draws", 10100},
		{"batches", 10300},
		{"coupling", 10256 + 4*64 + 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := learntest.Tiny(t)
			config.Steps = 4
			if c.name == "spectrum" {
				config.Net = nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1}, Embedding: 8}
			}
			var none []float64
			_, err := learn.Train(newJealous(func(drawn int64) {
				if drawn == c.after {
					none[3] = 1
				}
			}), config)
			if err == nil || !strings.HasPrefix(err.Error(),
				"train: a draw of coins failed: runtime error: index out of range [3]") {
				t.Errorf("a draw that panics: error %v", err)
			}
			_, err = learn.Train(holed{newJealous(func(int64) {}), c.after}, config)
			if err == nil || err.Error() != "train: a draw of coins has NaN in cell 5; every draw must be finite" {
				t.Errorf("a draw that is not finite: error %v", err)
			}
		})
	}
}

// holed has NaN in one of its draws.
type holed struct {
	jealous
	at int64
}

func (h holed) Draw(rng *rand.Rand, x []float64) {
	if h.jealous.Draw(rng, x); h.drawn.Load() == h.at {
		x[5] = math.NaN()
	}
}

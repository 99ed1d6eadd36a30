package diffusion_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// A run ends with its context as it does with an interrupt, and keeps what is finished.
func TestSampleEndsWithItsContext(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	s := Sampler{Draws: 10, Batch: 4, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go")}
	whole := sample(t, few, normal, obs, s)
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(expfam.WithLogger(t.Context(), slog.New(slog.NewTextHandler(&log, nil))))
	stopped := s
	stopped.Progress = func(done, _ int, _ float64) {
		if done == 12 {
			cancel()
		}
	}
	others := storetest.Logged(t)
	post, err := SampleContext(ctx, few, normal, obs, stopped)
	must.Need(t, errors.Is(err, expfam.ErrInterrupted) &&
		strings.Contains(err.Error(), "after 8 of 10 draws; they are stored"), "error %v", err)
	must.Be(t, mat.Equal(post.X, whole.X.Slice(0, 8, 0, 6)), "the draws before the end differ")
	must.Be(t, strings.Contains(log.String(), "10 draws in 3 batches of 4") && others.Len() <= 0,
		"the logger of the context has %q, the process's %q", &log, others)
	if _, err := SampleContext(ctx, few, normal, obs, s); !errors.Is(err, expfam.ErrInterrupted) {
		t.Errorf("a run under a context that is over: %v", err)
	}
	if _, err := CompileContext(ctx, few, normal, s); !errors.Is(err, expfam.ErrInterrupted) {
		t.Errorf("compiling under a context that is over: %v", err)
	}
	live := Live{Prior: few, Sampler: s}
	defer live.Close()
	if _, err := live.SampleContext(ctx, normal, obs); !errors.Is(err, expfam.ErrInterrupted) {
		t.Errorf("a live sampler under a context that is over: %v", err)
	}
	if again, err := SampleContext(t.Context(), few, normal, obs, s); err != nil || !mat.Equal(again.X, whole.X) {
		t.Errorf("the run that goes on: %v", err)
	}
}

// Whoever brings a context listens to interrupts himself.
func TestSampleContextHearsNoInterrupt(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	sent := false
	s := Sampler{Draws: 4, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"), Fresh: true,
		Progress: func(int, int, float64) {
			if !sent {
				sent = true
				storetest.Interrupt(t)
			}
		}}
	if _, err := SampleContext(t.Context(), few, normal, make(expfam.Observations, 6), s); err != nil ||
		len(heard) != 1 {
		t.Errorf("%d interrupts arrived; error %v", len(heard), err)
	}
}

// Warnings of the store go where the context says.
func TestStoreLogsToTheContext(t *testing.T) {
	storetest.Broken(t, func(t *testing.T, others *bytes.Buffer) {
		var log bytes.Buffer
		ctx := expfam.WithLogger(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		s := Sampler{Draws: 4, Seed: 1, Method: Multistep{N: 3}, Engine: enginetest.Open(t, "go")}
		if _, err := SampleContext(ctx, few, normal, make(expfam.Observations, 6), s); err != nil {
			t.Error(err)
		}
		must.Be(t, strings.Contains(log.String(), "level=WARN") && others.Len() <= 0,
			"the logger of the context has %q, the process's %q", &log, others)
	})
}

// What is measured of a prior before the first step ends with the context too, and is measured by the next run.
func TestMeasuringEndsWithItsContext(t *testing.T) {
	prior := hidden{few.Gaussian(), 0}
	blur := expfam.Likelihood{Family: expfam.Normal{}, Operator: &operator.Convolution{Cols: 6}}
	obs := observe(t, blur, 1, 0.5, 0, -0.5, 0, 1)
	for _, c := range []struct {
		name string
		like expfam.Likelihood
		s    Sampler
	}{{"for the default method", normal, Sampler{}}, {"for an operator", blur, Sampler{Method: Restarts{}}}} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("EXPFAM_STORE", t.TempDir())
			c.s.Draws, c.s.Engine = 2, enginetest.Open(t, "go")
			ctx, cancel := context.WithCancel(t.Context())
			measured := func() int {
				return len(expfam.Must(filepath.Glob(filepath.Join(os.Getenv("EXPFAM_STORE"), "correlation", "*"))))
			}
			c.s.Plan = func(Plan) { cancel() } // after compiling
			if c.s.Method == nil {
				cancel()
			}
			if post, err := SampleContext(ctx, prior, c.like, obs, c.s); post != nil ||
				!errors.Is(err, expfam.ErrInterrupted) {
				t.Errorf("the error is %v", err)
			}
			if n := measured(); n > 0 {
				t.Errorf("%d tables of correlations were measured after the end", n)
			}
			if _, err := SampleContext(t.Context(), prior, c.like, obs, c.s); err != nil || measured() != 1 {
				t.Errorf("the next run: %v, with %d tables", err, measured())
			}
		})
	}
}

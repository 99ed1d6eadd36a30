package expfam_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/storetest"
)

// Whatever is wrong with the store, results are those of a run without one, and
// the log says before the first step that they may not be kept.
func TestResultsOutliveTheStore(t *testing.T) {
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	base := Sampler{Draws: 10, Batch: 4, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"), Plan: func(Plan) {}, Fresh: true}
	draws := sample(t, few, normal, obs, base)
	training := tiny(t)
	training.Steps = 20
	network := train(t, few, training)
	poisson := Likelihood{Family: Poisson{}}
	inference, err := TrainInference(few, poisson, training)
	if err != nil {
		t.Fatal(err)
	}
	base.Fresh, training.Fresh = false, false

	storetest.Broken(t, func(t *testing.T, log *bytes.Buffer) {
		warned := func() {
			t.Helper()
			if !strings.Contains(log.String(), "level=WARN") {
				t.Error("nothing was said before the first step")
			}
		}
		s := base
		s.Progress = func(int, int, float64) { warned() }
		if post, err := Sample(few, normal, obs, s); err != nil || !mat.Equal(post.X, draws.X) {
			t.Errorf("Sample: %v", err)
		}
		s.Progress = func(done, _ int, _ float64) {
			if done == 12 {
				interrupt(t)
			}
		}
		post, err := Sample(few, normal, obs, s)
		if !errors.Is(err, ErrInterrupted) || strings.Contains(err.Error(), "they are stored") {
			t.Errorf("interrupted Sample: %v", err)
		} else if !mat.Equal(post.X, draws.X.Slice(0, 8, 0, 6)) {
			t.Error("the draws before the interrupt differ")
		}
		c := training
		c.Progress = func(int, int, float64) { warned() }
		if p, err := Train(few, c); err != nil || !same(p, network) {
			t.Errorf("Train: %v, want %v; error %v", p, network, err)
		}
		if n, err := TrainInference(few, poisson, c); err != nil || n.String() != inference.String() {
			t.Errorf("TrainInference: %v, want %v; error %v", n, inference, err)
		}
		c.Progress = func(step, _ int, _ float64) {
			if step == 10 {
				interrupt(t)
			}
		}
		if _, err := Train(few, c); !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "nothing of it is stored") {
			t.Errorf("interrupted Train: %v", err)
		}
		stored, err := Stored(Must(normal.Terms()), obs, func() (*Posterior, error) { warned(); return draws, nil }, "test")
		if err != nil || stored != draws {
			t.Errorf("Stored: %v", err)
		}
	})
}

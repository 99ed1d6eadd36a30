package diffusion_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

// Whatever is wrong with the store, results are those of a run without one, and
// the log says before the first step that they may not be kept.
func TestResultsOutliveTheStore(t *testing.T) {
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	base := Sampler{Draws: 10, Batch: 4, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"),
		Plan: func(Plan) {}, Fresh: true}
	draws := sample(t, few, normal, obs, base)
	base.Fresh = false

	storetest.Broken(t, func(t *testing.T, log *bytes.Buffer) {
		warned := func() {
			t.Helper()
			must.Be(t, strings.Contains(log.String(), "level=WARN"), "nothing was said before the first step")
		}
		s := base
		s.Progress = func(int, int, float64) { warned() }
		if post, err := Sample(few, normal, obs, s); err != nil || !mat.Equal(post.X, draws.X) {
			t.Errorf("Sample: %v", err)
		}
		s.Progress = func(done, _ int, _ float64) {
			if done == 12 {
				storetest.Interrupt(t)
			}
		}
		post, err := Sample(few, normal, obs, s)
		if !errors.Is(err, expfam.ErrInterrupted) || strings.Contains(err.Error(), "they are stored") {
			t.Errorf("interrupted Sample: %v", err)
		} else if !mat.Equal(post.X, draws.X.Slice(0, 8, 0, 6)) {
			t.Error("the draws before the interrupt differ")
		}
		stored, err := expfam.Must(expfam.Must(normal.Terms()).Forward(6)).Stored(t.Context(), obs,
			func() (*expfam.Posterior, error) { warned(); return draws, nil }, "test")
		must.Be(t, err == nil && stored == draws, "Stored: %v", err)
	})
}

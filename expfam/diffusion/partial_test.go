package diffusion_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// An interrupted run goes on from the batches it finished, and ends as one that
// was not interrupted. Pure Go draws the same bits in any batch.
func TestInterruptedRunGoesOn(t *testing.T) {
	const steps = 5
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	base := Sampler{Draws: 10, Batch: 4, Seed: 1, Method: Multistep{N: steps}, Engine: enginetest.Open(t, "go")}
	run := func(t *testing.T, stop int, edit func(*Sampler)) (post *expfam.Posterior, seen [][2]int, err error) {
		t.Helper()
		s := base
		s.Plan = func(Plan) {}
		s.Progress = func(done, total int, _ float64) {
			seen = append(seen, [2]int{done, total})
			if done == stop {
				storetest.Interrupt(t)
			}
		}
		edit(&s)
		post, err = Sample(few, normal, obs, s)
		return post, seen, err
	}
	kept := func(kind string) int {
		files, _ := filepath.Glob(filepath.Join(os.Getenv("EXPFAM_STORE"), kind, "*"))
		return len(files)
	}
	as := func(*Sampler) {}
	for _, c := range []struct {
		name string
		edit func(*Sampler)
		want [2]int // the first report; the last is the total twice
		left int    // batches that are kept for longer runs
	}{
		{"the same", as, [2]int{2*steps + 1, 3 * steps}, 0},
		{"another batch", func(s *Sampler) { s.Batch = 3 }, [2]int{3*steps + 1, 4 * steps}, 0},
		{"more draws", func(s *Sampler) { s.Draws = 17 }, [2]int{2*steps + 1, 5 * steps}, 0},
		{"fewer draws", func(s *Sampler) { s.Draws = 6 }, [2]int{}, 0},
		{"draws in the first batch", func(s *Sampler) { s.Draws = 3 }, [2]int{}, 1},
		{"another seed", func(s *Sampler) { s.Seed = 2 }, [2]int{1, 3 * steps}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("EXPFAM_STORE", t.TempDir())
			whole, _ := must.Get2(run(t, -1, func(s *Sampler) { c.edit(s); s.Fresh = true }))(t)
			post, _, err := run(t, 2*steps+2, as)
			must.Need(t, errors.Is(err, expfam.ErrInterrupted) &&
				strings.Contains(err.Error(), "after 8 of 10 draws; they are stored"), "error %v", err)
			n, _ := post.Dims()
			must.Need(t, n == 8 && kept("draws") == 2, "%d draws, %d files", n, kept("draws"))
			post, seen := must.Get2(run(t, -1, c.edit))(t)
			must.Be(t, mat.Equal(post.X, whole.X), "the draws differ from those of a run without interrupt")
			var first [2]int
			for i, s := range seen {
				if i == 0 {
					first = s
				} else if s != [2]int{first[0] + i, first[1]} {
					t.Errorf("report %d is %v after %v", i, s, first)
				}
			}
			if n := len(seen); first != c.want || n > 0 && seen[n-1][0] != first[1] {
				t.Errorf("reports begin with %v, want %v, and end with %v", first, c.want, seen[max(n-1, 0):])
			}
			must.Be(t, kept("draws") == c.left && kept("posterior") == 1, "%d batches and %d posteriors are kept",
				kept("draws"), kept("posterior"))
		})
	}
	t.Run("interrupted again", func(t *testing.T) {
		t.Setenv("EXPFAM_STORE", t.TempDir())
		whole, _, _ := run(t, -1, func(s *Sampler) { s.Fresh = true })
		for i, stop := range []int{steps + 1, 2*steps + 1} {
			if post, _, err := run(t, stop, as); !errors.Is(err, expfam.ErrInterrupted) || kept("draws") != i+1 {
				t.Fatalf("posterior %v, %d files, error %v", post != nil, kept("draws"), err)
			}
		}
		for _, f := range expfam.Must(filepath.Glob(filepath.Join(os.Getenv("EXPFAM_STORE"), "draws", "*"))) {
			storetest.Damage(t, f)
		}
		log := storetest.Logged(t)
		post, seen, err := run(t, -1, as)
		must.Be(t, err == nil && len(seen) == 3*steps && mat.Equal(post.X, whole.X) &&
			strings.Contains(log.String(), "corrupt"), "damaged files: %d steps, error %v, log %s", len(seen), err, log)
	})
	t.Run("with a corrector", func(t *testing.T) {
		t.Setenv("EXPFAM_STORE", t.TempDir())
		langevin := func(s *Sampler) { s.Method = PredictorCorrector{N: 20} }
		whole, _, _ := run(t, -1, func(s *Sampler) { langevin(s); s.Fresh = true })
		n := len(PredictorCorrector{N: 20}.Steps())
		if _, _, err := run(t, n+1, langevin); !errors.Is(err, expfam.ErrInterrupted) {
			t.Fatal(err)
		}
		if _, seen, err := run(t, 1, func(s *Sampler) { langevin(s); s.Batch = 3 }); !errors.Is(err,
			expfam.ErrInterrupted) || seen[0][0] != 1 {
			t.Errorf("batches of another size are used: %v, error %v", seen, err)
		}
		post, seen, err := run(t, -1, langevin)
		must.Be(t, err == nil && len(seen) == 2*n && mat.Equal(post.X, whole.X), "%d steps, want %d; error %v",
			len(seen), 2*n, err)
	})
}

// A finished run is the beginning of every longer one, and holds every shorter.
func TestRunsShareDraws(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	for _, c := range []struct{ draws, steps int }{{8, 10}, {11, 5}, {9, 0}, {11, 0}, {3, 0}, {13, 5}, {12, 0}} {
		steps := 0
		s := Sampler{Draws: c.draws, Batch: 4, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"),
			Plan: func(Plan) {}, Progress: func(int, int, float64) { steps++ }}
		post := must.Get(Sample(few, normal, obs, s))(t)
		s.Fresh = true
		counted := steps
		if whole, err := Sample(few, normal, obs, s); err != nil || !mat.Equal(post.X, whole.X) {
			t.Errorf("%d draws differ from a run of their own; error %v", c.draws, err)
		}
		must.Be(t, counted == c.steps && post.Info.Evaluations == 5 && post.Info.Seconds > 0 &&
			!math.IsInf(post.Info.Seconds, 0), "%d draws took %d steps, want %d; %+v", c.draws, counted, c.steps,
			post.Info)
	}
}

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
	_, err = SampleContext(ctx, few, normal, obs, s)
	must.Be(t, errors.Is(err, expfam.ErrInterrupted), "a run under a context that is over: %v", err)
	_, err = CompileContext(ctx, few, normal, s)
	must.Be(t, errors.Is(err, expfam.ErrInterrupted), "compiling under a context that is over: %v", err)
	live := Live{Prior: few, Sampler: s}
	defer live.Close()
	_, err = live.SampleContext(ctx, normal, obs)
	must.Be(t, errors.Is(err, expfam.ErrInterrupted), "a live sampler under a context that is over: %v", err)
	again, err := SampleContext(t.Context(), few, normal, obs, s)
	must.Be(t, err == nil && mat.Equal(again.X, whole.X), "the run that goes on: %v", err)
}

// endsLater is a context that ends at the third question after its end was ordered.
type endsLater struct {
	context.Context
	ordered atomic.Bool
	asked   atomic.Int32
}

func (c *endsLater) Err() error {
	if c.ordered.Load() && c.asked.Add(1) > 2 {
		return context.Canceled
	}
	return nil
}

// A step of many blocks does not wait for its last block when the context ends: on a slow engine, each of them takes
// seconds.
func TestContextEndsBetweenBlocks(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	steps, ctx := 0, &endsLater{Context: t.Context()}
	s := Sampler{Draws: 640, Batch: 640, Seed: 1, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go"),
		Plan: func(Plan) {}, Progress: func(done, _ int, _ float64) { steps = done; ctx.ordered.Store(true) }}
	_, err := SampleContext(ctx, few, normal, observe(t, normal, 1, 0.5, 0, -0.5, 0, 1), s)
	must.Be(t, errors.Is(err, expfam.ErrInterrupted) && steps == 1, "%d steps, error %v", steps, err)
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
	_, err := SampleContext(t.Context(), few, normal, make(expfam.Observations, 6), s)
	must.Be(t, err == nil && len(heard) == 1, "%d interrupts arrived; error %v", len(heard), err)
}

// Warnings of the store go where the context says.
func TestStoreLogsToTheContext(t *testing.T) {
	storetest.Broken(t, func(t *testing.T, others *bytes.Buffer) {
		var log bytes.Buffer
		ctx := expfam.WithLogger(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		s := Sampler{Draws: 4, Seed: 1, Method: Multistep{N: 3}, Engine: enginetest.Open(t, "go")}
		_, err := SampleContext(ctx, few, normal, make(expfam.Observations, 6), s)
		must.Be(t, err == nil, "%v", err)
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
			post, err := SampleContext(ctx, prior, c.like, obs, c.s)
			must.Be(t, post == nil && errors.Is(err, expfam.ErrInterrupted), "the error is %v", err)
			n := measured()
			must.Be(t, n <= 0, "%d tables of correlations were measured after the end", n)
			_, err = SampleContext(t.Context(), prior, c.like, obs, c.s)
			must.Be(t, err == nil && measured() == 1, "the next run: %v, with %d tables", err, measured())
		})
	}
}

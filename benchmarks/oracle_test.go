package benchmarks

import (
	"flag"
	"math"
	"testing"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

var (
	full = fulltest.Full // score on all data sets, many minutes, instead of a few
	// For the tests that evaluate networks 1999 times per draw.
	dataSets  = flag.Int("datasets", 10, "data sets of the paper's route")
	firstSeed = flag.Uint64("first", 1001, "seed of the first of them")
)

// oracle is what an independent float64 implementation with exact scores, on other data sets of the same model, found
// for a method on a case: distances over 10 to 50 data sets at 500 draws.
type oracle struct {
	method  string
	sampler diffusion.Sampler
	long    bool // with -full alone: 1999 evaluations, or what another of these shows too
	c       Case

	med, ci, w1 float64
}

func oracles() []oracle {
	clip := diffusion.Sampler{Guidance: diffusion.Evidence{}, Method: diffusion.Paper}
	paper := diffusion.Sampler{Guidance: diffusion.Evidence{}, Method: diffusion.PredictorCorrector{}}
	corrected := diffusion.Sampler{Guidance: diffusion.Corrected{Steps: 30}, Method: diffusion.Multistep{N: 25}}
	tempered := diffusion.Sampler{Guidance: diffusion.Tempered{},
		Method: diffusion.Restarts{First: 12, Count: 6, Each: 4, Last: 5, Low: 0.1, High: 1, Final: 0.25}}
	// 30 cells: conjugate gradients end there.
	exact := diffusion.Sampler{Guidance: diffusion.Quadrature{Steps: 30}, Method: diffusion.Multistep{N: 13}}
	short := diffusion.Sampler{Method: diffusion.Multistep{N: 25}}
	return []oracle{
		{"predictor-corrector", paper, true, Normal, 0.075, 0.946, 0.091},
		{"predictor-corrector", paper, true, PoissonLow, 0.103, 0.950, 0.114},
		{"predictor-corrector", paper, true, PoissonHigh, 0.089, 0.880, 0.130},
		{"predictor-corrector", paper, true, Exponential, 0.094, 0.953, 0.108},
		{"predictor-corrector-clip-10", clip, true, PoissonHigh, 0.163, 2.600, 1.161},
		{"corrected-exact-25", corrected, true, Normal, 0.049, 1.020, 0.063},
		{"corrected-exact-25", corrected, false, PoissonLow, 0.061, 1.02, 0.073},
		{"corrected-exact-25", corrected, false, PoissonHigh, 0.061, 1.01, 0.070},
		{"corrected-exact-25", corrected, false, Exponential, 0.075, 1.03, 0.085},
		{"tempered-restarts-6", tempered, false, Normal, 0.049, 0.945, 0.068},
		{"tempered-restarts-6", tempered, false, PoissonLow, 0.052, 0.947, 0.072},
		{"tempered-restarts-6", tempered, false, PoissonHigh, 0.082, 0.916, 0.116},
		{"tempered-restarts-6", tempered, false, Exponential, 0.065, 0.949, 0.082},
		{"quadrature-exact-13", exact, false, PoissonLow, 0.049, 1.04, 0.074},
		{"quadrature-exact-13", exact, true, PoissonHigh, 0.046, 1.01, 0.061},
		{"quadrature-exact-13", exact, false, Exponential, 0.049, 1.04, 0.076},
		{"quadrature-cg3-25", short, false, PoissonLow, 0.053, 1.03, 0.070},
		{"quadrature-cg3-25", short, false, PoissonHigh, 0.051, 1.03, 0.071},
		{"quadrature-cg3-25", short, false, Exponential, 0.051, 1.03, 0.066},
	}
}

// TestOracle compares the samplers, with the exact Gaussian-process prior and no network anywhere, with an independent
// implementation. The methods of a case share its data sets, the truth of which takes seconds; without -full these are
// the ones of TestLearned.
func TestOracle(t *testing.T) {
	cases, seeds, slack := daily, Seeds(1001, 2), 2.5 // two data sets hardly tell their own spread
	if *full {
		cases, seeds, slack = Cases, Seeds(1, 10), 1
	}
	for _, c := range cases {
		var rows []oracle
		var methods []Method
		for _, o := range oracles() {
			if o.c.Name == c.Name && (*full || !o.long) {
				rows, methods = append(rows, o), append(methods, Method{o.method, problem.Prior, o.sampler})
			}
		}
		if rows == nil {
			continue
		}
		scores := must.Get(c.Run(methods, seeds))(t)
		for k, want := range rows {
			t.Run(want.method+"/"+c.Name, func(t *testing.T) {
				s := scores[k]
				t.Log(s)
				// 0.02 and 0.03 are the accuracy asked for; 3 standard errors
				// allow for data sets that are not the reference's.
				within := func(name string, got, want, tol float64) {
					must.Be(t, math.Abs(got-want) <= tol, "%s %.3f, want %.3f ± %.3f", name, got, want, tol)
				}
				within("med", s.Med, want.med, slack*max(0.02, 3*s.W1SE))
				within("W1", s.W1, want.w1, slack*max(0.02, 3*s.W1SE))
				within("CI", s.CI, want.ci, slack*max(0.03, 3*s.CISE))
			})
		}
	}
}

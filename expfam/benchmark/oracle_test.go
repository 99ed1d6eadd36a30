package benchmark

import (
	"flag"
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
)

var (
	full = flag.Bool("full", false, "score on all data sets (many minutes) instead of a few")
	// For the tests that evaluate networks 1999 times a draw.
	dataSets  = flag.Int("datasets", 10, "data sets of the paper's route")
	firstSeed = flag.Uint64("first", 1001, "seed of the first of them")
)

// row is what an independent float64 implementation with exact scores, on
// other data sets of the same model, found for a method: distances over 10 to
// 50 data sets at 500 draws.
type row struct {
	c           Case
	med, ci, w1 float64
}

// TestOracle compares the samplers, with the exact Gaussian-process prior and
// no network anywhere, with an independent implementation.
func TestOracle(t *testing.T) {
	exact := expfam.Quadrature{Steps: 30} // 30 cells: conjugate gradients end there
	for _, c := range []struct {
		name    string
		sampler expfam.Sampler
		long    bool // 1999 evaluations: with -full alone
		rows    []row
	}{
		{"predictor-corrector", expfam.Sampler{Guidance: expfam.Evidence{}, Method: expfam.PredictorCorrector{}}, true, []row{
			{Normal, 0.075, 0.946, 0.091}, {PoissonLow, 0.103, 0.950, 0.114},
			{PoissonHigh, 0.089, 0.880, 0.130}, {Exponential, 0.094, 0.953, 0.108}}},
		{"predictor-corrector-clip-10", expfam.Sampler{Guidance: expfam.Evidence{}, Method: expfam.Paper}, true, []row{
			{PoissonHigh, 0.163, 2.600, 1.161}}},
		{"corrected-exact-25", expfam.Sampler{Guidance: expfam.Corrected{Steps: 30}, Method: expfam.Multistep{N: 25}}, false, []row{
			{Normal, 0.049, 1.020, 0.063}, {PoissonLow, 0.061, 1.02, 0.073},
			{PoissonHigh, 0.061, 1.01, 0.070}, {Exponential, 0.075, 1.03, 0.085}}},
		{"tempered-restarts-6", expfam.Sampler{Guidance: expfam.Tempered{},
			Method: expfam.Restarts{First: 12, Count: 6, Each: 4, Last: 5, Low: 0.1, High: 1, Final: 0.25}}, false, []row{
			{Normal, 0.049, 0.945, 0.068}, {PoissonLow, 0.052, 0.947, 0.072},
			{PoissonHigh, 0.082, 0.916, 0.116}, {Exponential, 0.065, 0.949, 0.082}}},
		{"quadrature-exact-13", expfam.Sampler{Guidance: exact, Method: expfam.Multistep{N: 13}}, false, []row{
			{PoissonLow, 0.049, 1.04, 0.074}, {PoissonHigh, 0.046, 1.01, 0.061}, {Exponential, 0.049, 1.04, 0.076}}},
		{"quadrature-cg3-25", expfam.Sampler{Method: expfam.Multistep{N: 25}}, false, []row{
			{PoissonLow, 0.053, 1.03, 0.070}, {PoissonHigh, 0.051, 1.03, 0.071}, {Exponential, 0.051, 1.03, 0.066}}},
	} {
		for _, want := range c.rows {
			t.Run(c.name+"/"+want.c.Name, func(t *testing.T) {
				n, slack := 3, 2.5 // three data sets hardly tell their own spread
				if *full {
					n, slack = 10, 1
				} else if c.long {
					t.Skip("1999 evaluations a draw: run with -full")
				}
				scores, err := want.c.Run([]Method{{c.name, Prior, c.sampler}}, Seeds(1, n))
				if err != nil {
					t.Fatal(err)
				}
				s := scores[0]
				t.Log(s)
				// 0.02 and 0.03 are the accuracy asked for; 3 standard errors
				// allow for data sets that are not the reference's.
				within := func(name string, got, want, tol float64) {
					if !(math.Abs(got-want) <= tol) {
						t.Errorf("%s %.3f, want %.3f ± %.3f", name, got, want, tol)
					}
				}
				within("med", s.Med, want.med, slack*max(0.02, 3*s.W1SE))
				within("W1", s.W1, want.w1, slack*max(0.02, 3*s.W1SE))
				within("CI", s.CI, want.ci, slack*max(0.03, 3*s.CISE))
			})
		}
	}
}

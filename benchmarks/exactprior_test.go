package benchmarks

import (
	"testing"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestExactPrior: under the exact prior the default draws are as good as exact ones on all cases of the paper. Of 500
// exact draws W1 is .056 sd. The draws before their transitions stand beside them, with the seconds of both.
func TestExactPrior(t *testing.T) {
	cases, seeds := []Case{Normal}, Seeds(3001, 3)
	if *fulltest.Full {
		cases, seeds = Cases, Seeds(3001, 20)
	}
	e := benchtest.Fast(t)
	if !*fulltest.Full {
		e = benchtest.Open(t, "go") // has less to compile
	}
	var before, after float64
	for _, c := range cases {
		scores := must.Get(c.Run([]Method{
			{"default", problem.Prior, diffusion.Sampler{Engine: e}},
			{"without transitions", problem.Prior, diffusion.Sampler{Engine: e, Moves: -1}},
		}, seeds))(t)
		s := scores[0]
		t.Log(s)
		t.Log(scores[1])
		before, after = before+scores[1].Seconds, after+s.Seconds
		// Three standard errors over data sets come on top. Three data sets alone hardly know theirs.
		worst, off := 0.060+3*s.W1SE, 0.02+3*s.CISE
		if !*fulltest.Full {
			worst, off = 0.08, 0.08
		}
		must.Be(t, s.W1 <= worst && s.CI >= 1-off && s.CI <= 1+off && s.Evaluations <= 10 && s.Failed <= 0, "%v", s)
	}
	t.Logf("%.3f s before, %.3f s after, %.2f times", before, after, after/before)
}

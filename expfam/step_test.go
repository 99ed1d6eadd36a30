package expfam_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
)

// Independent cells of a normal prior are drawn exactly, in two steps, by noise of their own standard deviation.
func TestSpreadDrawsIndependentCells(t *testing.T) {
	low := LevelAt(0.3)
	steps := given{{Level: LevelAt(40), B: low.SqrtAlpha, S: 0.3 * low.SqrtAlpha, Spread: low.SqrtAlpha}, {Level: low, B: 1, Spread: 1}}
	prior, y := levels{40, 0, 1}, 1.2
	obs := make(Observations, prior.cells)
	for j := range obs {
		obs[j] = Term{Stat: y, Size: 1}
	}
	x := sample(t, prior, normal, obs, Sampler{Draws: 192, Seed: 1, Engine: enginetest.Open(t, "go"), Method: steps}).X.RawMatrix().Data
	// 7680 independent values of N(y/2, 1/2): standard errors of 0.008 and 0.006, four times.
	if mean := stat.Mean(x, nil); math.Abs(mean-y/2) > 0.032 {
		t.Errorf("mean %.3f, want %g", mean, y/2)
	}
	if sd := stat.StdDev(x, nil); math.Abs(sd-math.Sqrt(0.5)) > 0.024 {
		t.Errorf("sd %.3f, want %.3f", sd, math.Sqrt(0.5))
	}
}

// Light steps take one Jacobian product, and the others three.
func TestLightStepsTakeOneProduct(t *testing.T) {
	prior := levels{5, 1, 0.5}
	obs := make(Observations, prior.cells)
	obs[0] = Term{Stat: 1, Size: 1}
	for _, m := range []Restarts{{}, {Light: true}} {
		want := 3 * 30
		if m.Light { // of the last seven steps and the estimate
			want = 3*22 + 8
		}
		post := sample(t, prior, normal, obs, Sampler{Draws: 2, Engine: enginetest.Open(t, "go"), Method: m})
		if got := post.Info.Products; got != want {
			t.Errorf("%v takes %d products, want %d", m, got, want)
		}
	}
}

package benchmark

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
)

// TestField trains the U-Net on a Gaussian field, whose posterior under Normal
// data is known in closed form: what the network and the sampler get wrong on a
// grid is all that is left. Training takes some ten minutes the first time.
func TestField(t *testing.T) {
	if !*full {
		t.Skip("trains a U-Net: run with -full")
	}
	const side, length, sd, draws = 32, 4, 0.5, 200
	cov := mat.NewSymDense(side*side, nil)
	for i := range side * side {
		for j := range i + 1 {
			h := math.Sqrt(3) / length * math.Hypot(float64(i/side-j/side), float64(i%side-j%side))
			cov.SetSym(i, j, (1+h)*math.Exp(-h))
		}
	}
	exact, err := gp.New(nil, cov)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := learn.Train(exact, learn.Training{Net: nn.UNet{Rows: side, Columns: side}, Steps: 3000, Batch: 32, Rate: 1.5e-3,
		Progress: func(step, total int, loss float64) { t.Logf("step %d of %d: held-out loss %.4f", step, total, loss) }})
	if err != nil {
		t.Fatal(err)
	}
	like := expfam.Likelihood{Family: expfam.Normal{SD: sd}}
	var all []expfam.Distance
	for seed := range *dataSets {
		rng := expfam.Stream(uint64(seed), "benchmark/field")
		x0 := make([]float64, side*side)
		exact.Draw(rng, x0)
		obs := make(expfam.Observations, len(x0))
		for j := range obs {
			y := x0[j] + sd*rng.NormFloat64()
			if rng.Float64() < 0.8 {
				obs[j] = expfam.Term{Stat: y / (sd * sd), Size: 1 / (sd * sd)}
			}
		}
		truth, err := gp.Exact(exact, like, obs)
		if err != nil {
			t.Fatal(err)
		}
		post, err := expfam.Sample(prior, like, obs, expfam.Sampler{Draws: draws, Batch: 20, Seed: uint64(seed)})
		if err != nil {
			t.Fatal(err)
		}
		d, err := post.Distance(truth, x0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v, %.1f s", d, post.Info.Seconds)
		all = append(all, d)
	}
	mean := expfam.MeanDistance(all)
	// 200 draws of the exact posterior have W1 0.09.
	if !(mean.W1 < 0.2) || !(math.Abs(mean.Coverage-0.95) <= 0.03) {
		t.Errorf("W1/sd %.3f and coverage %.3f; want below 0.2 and 0.95 ± 0.03", mean.W1, mean.Coverage)
	}
}

package learn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// coins are 0 or 2 in all cells at once.
type coins struct{}

func (coins) String() string            { return "coins" }
func (coins) Dim() int                  { return 16 }
func (coins) Stationary() bool          { return true }
func (coins) Bounds() (low, hi float64) { return 0, 2 }

func (coins) Draw(rng *rand.Rand, x []float64) {
	side := float64(2 * rng.IntN(2))
	for j := range x {
		x[j] = side
	}
}

// Draws lie where x₀ does, however far out the data are, after a file and on another grid as well.
func TestBounds(t *testing.T) {
	config := learntest.Tiny(t)
	config.Engine = enginetest.Fast(t)
	config.Net, config.Steps, config.Batch = nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1},
		Embedding: 8, Plain: true}, 2, 8
	trained := learntest.Train(t, coins{}, config)
	path := filepath.Join(t.TempDir(), "coins.safetensors")
	must.Do(t, trained.Save(path))
	loaded := must.Get(learn.Load(path, config.Net))(t)
	must.Equal(t, loaded.String(), trained.String(), loaded, "after", trained, "was saved")
	free := *loaded
	free.Scale.Low, free.Scale.High = 0, 0
	resized := must.Get(loaded.Grid(8, 9))(t)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		priors := map[string]Prior{"loaded": loaded, "resized": resized}
		switch { // one an engine, as each takes its time to compile or to convolve
		case *fulltest.Full:
		case e.String() == "go":
			delete(priors, "loaded")
		default:
			delete(priors, "resized")
		}
		reach := func(p Prior) (low, high float64) {
			obs := make(Observations, p.Dim())
			for j := range obs {
				// 100 values around 20 sin j, each with sd 1
				obs[j] = Term{Stat: 2000 * math.Sin(float64(j)), Size: 100}
			}
			post := must.Get(diffusion.Sample(p, Likelihood{Family: Normal{}}, obs,
				diffusion.Sampler{Draws: 4, Engine: e, Method: diffusion.Multistep{N: 3}, Fresh: true}))(t)
			x := post.X.RawMatrix().Data
			return slices.Min(x), slices.Max(x)
		}
		for name, p := range priors {
			// What is left of the noise has sd 0.003.
			if low, high := reach(p); !(math.Abs(low) < 0.02 && math.Abs(high-2) < 0.02) {
				t.Errorf("%s: draws from %g to %g, want 0 to 2", name, low, high)
			}
		}
		if low, high := reach(&free); !(low < -1 && high > 3) {
			t.Errorf("without bounds draws reach from %g to %g: this test shows nothing", low, high)
		}
	})
}

// fencedDraws has draws, positive in all cells, and bounds.
type fencedDraws struct{ low, high float64 }

func (fencedDraws) String() string              { return "fenced draws" }
func (fencedDraws) Dim() int                    { return 3 }
func (f fencedDraws) Bounds() (low, hi float64) { return f.low, f.high }

func (fencedDraws) Draw(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.ExpFloat64()
	}
}

// Bounds may be infinite. Bounds that are no interval, and draws beyond them, are errors.
func TestBoundsOfDraws(t *testing.T) {
	config := learntest.Tiny(t)
	config.Steps = 1
	for _, f := range []fencedDraws{{0, math.Inf(1)}, {math.Inf(-1), math.Inf(1)}, {0, 1e6}, {0, 0}} {
		trained := learntest.Train(t, f, config)
		path := filepath.Join(t.TempDir(), "fenced.safetensors")
		must.Do(t, trained.Save(path))
		loaded, err := learn.Load(path)
		if err != nil {
			t.Errorf("bounds %g and %g: %v", f.low, f.high, err)
			continue
		}
		if low, high := loaded.Bounds(); low != f.low || high != f.high || loaded.String() != trained.String() {
			t.Errorf("bounds %g and %g after %g and %g were saved", low, high, f.low, f.high)
		}
	}
	for f, want := range map[fencedDraws]string{
		{2, 0}:           "the Bounds of fenced draws are 2 and 0; the first must be the smaller",
		{math.NaN(), 1}:  "are NaN and 1",
		{0, 2}:           "outside",
		{1, math.Inf(1)}: "outside",
	} {
		if want == "outside" {
			want = fmt.Sprintf("and its Bounds are %g and %g; correct the draws", f.low, f.high)
		}
		must.Refuse(learn.Train(f, config))(t, want)
	}
}

func TestScaleOfFarCells(t *testing.T) {
	s := must.Get(learn.ScaleOf(odd{"far", func(rng *rand.Rand) float64 { return 1e9 + rng.NormFloat64() }}, 10000,
		Stream(1, "scale")))(t)
	// 5 standard errors, 1/√n and 1/√2n.
	must.Be(t, math.Abs(s.Mean[2]-1e9) <= 0.05 && math.Abs(s.SD[2]-1) <= 0.036, "mean %.9g, sd %g", s.Mean[2], s.SD[2])
}

// waves is a field of 4×4 cells, the same in every cell but for its phase.
type waves struct{ stationary bool }

func (waves) String() string { return "waves" }
func (waves) Dim() int       { return 16 }

func (w waves) Stationary() bool { return w.stationary }

func (waves) Draw(rng *rand.Rand, x []float64) {
	phase, height := 2*math.Pi*rng.Float64(), rng.NormFloat64()
	for j := range x {
		x[j] = 3 + height*math.Sin(phase+float64(j%4)+0.5*float64(j/4))
	}
}

func TestScaleOfStationary(t *testing.T) {
	s := must.Get(learn.ScaleOf(waves{true}, 4000, Stream(1, "scale")))(t)
	each := must.Get(learn.ScaleOf(waves{}, 4000, Stream(1, "scale")))(t)
	// The law of total variance over the cells of the same draws.
	var mean, square float64
	for j := range each.Mean {
		mean += each.Mean[j] / 16
		square += (each.SD[j]*each.SD[j] + each.Mean[j]*each.Mean[j]) / 16
	}
	for j := range s.Mean {
		must.Be(t, math.Abs(s.Mean[j]-mean) <= 1e-12 && math.Abs(s.SD[j]-math.Sqrt(square-mean*mean)) <= 1e-12,
			"cell %d: mean %g, sd %g; want %g and %g", j, s.Mean[j], s.SD[j], mean, math.Sqrt(square-mean*mean))
	}
}

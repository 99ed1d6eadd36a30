package learn_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
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

// Draws lie where x₀ does, however far out the data are, after a file and on
// another grid as well.
func TestBounds(t *testing.T) {
	config := learntest.Tiny(t)
	config.Engine = enginetest.Fast(t)
	config.Net, config.Steps, config.Batch = nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1}, Embedding: 8, Plain: true}, 2, 8
	trained := learntest.Train(t, coins{}, config)
	path := filepath.Join(t.TempDir(), "coins.safetensors")
	if err := trained.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := learn.Load(path, config.Net)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.String() != trained.String() {
		t.Errorf("%v after %v was saved", loaded, trained)
	}
	free := *loaded
	free.Scale.Low, free.Scale.High = 0, 0
	large := nn.UNet{Rows: 4, Columns: 8, Channels: 4, Multiples: []int{1}, Embedding: 8, Plain: true}
	resized, err := loaded.Resize(large, 32)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		priors := map[string]*learn.Prior{"loaded": loaded, "resized": resized}
		switch { // one an engine, as each takes its time to compile or to convolve
		case *fulltest.Full:
		case e.String() == "go":
			delete(priors, "loaded")
		default:
			delete(priors, "resized")
		}
		reach := func(p *learn.Prior) (low, high float64) {
			obs := make(Observations, p.Dim())
			for j := range obs {
				obs[j] = Term{Stat: 2000 * math.Sin(float64(j)), Size: 100} // 100 values around 20 sin j, each with sd 1
			}
			post, err := Sample(p, Likelihood{Family: Normal{}}, obs, Sampler{Draws: 4, Engine: e, Method: Multistep{N: 3}, Fresh: true})
			if err != nil {
				t.Fatal(err)
			}
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

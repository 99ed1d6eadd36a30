package expfam_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
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

// A mean of x₀ | x_t lies where x₀ does, however far x_t is out, after a file and
// on another grid as well.
func TestBounds(t *testing.T) {
	config := tiny(t)
	config.Net, config.Steps, config.Batch = nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}, 4, 8
	trained := train(t, coins{}, config)
	path := filepath.Join(t.TempDir(), "coins.safetensors")
	if err := trained.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadPrior(path, config.Net)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.String() != trained.String() {
		t.Errorf("%v after %v was saved", loaded, trained)
	}
	free := *loaded
	free.Scale.Low, free.Scale.High = 0, 0
	large := nn.UNet{Rows: 4, Columns: 8, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}
	resized, err := loaded.Resize(large, 32)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		reach := func(p *Learned) (low, high float64) {
			x := [][]float32{make([]float32, p.Dim())}
			for j := range x[0] {
				x[0][j] = 50 * float32(math.Sin(float64(j)))
			}
			mean := enginetest.Call(t, e, func(x *graph.Node) *graph.Node {
				l := LevelAt(1)
				g := x.Graph()
				level := func(v float64) *graph.Node { return graph.Const(g, [][]float32{{float32(v)}}) }
				m, _ := p.Moments(x, LevelNodes{SqrtAlpha: level(l.SqrtAlpha), V: level(l.V)})
				return m
			}, x)[0]
			low, high = math.Inf(1), math.Inf(-1)
			for _, m := range mean {
				low, high = min(low, m), max(high, m)
			}
			return low, high
		}
		for name, p := range map[string]*Learned{"trained": trained, "loaded": loaded, "resized": resized} {
			if low, high := reach(p); low != 0 || high != 2 {
				t.Errorf("%s: means from %g to %g, want 0 to 2", name, low, high)
			}
		}
		if low, high := reach(&free); !(low < -1 && high > 3) {
			t.Errorf("without bounds means reach from %g to %g: this test shows nothing", low, high)
		}
	})
}

package nn

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// A resized U-Net has its weights, and a spectrum with the values of its own grid there and no others beyond, although
// the knots of the longest waves were free to be anything.
func TestResize(t *testing.T) {
	net := UNet{Rows: 64, Columns: 64, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}
	params := net.Params(64*64, 2)
	weights := Initial(params, expfam.Stream(1, "resize"))
	at, from := 0, 0
	for _, p := range params {
		if p.Name == spectrumName {
			from = at
		}
		at += p.Size()
	}
	for k := range spectrumKnots {
		weights[from+k] = 0.1 * float32(k%5)
	}
	// The one mode beside the last knots has log S = 0.26·69 − 0.74·23, as a network had that was measured without the
	// squared differences.
	copy(weights[from+11:], []float32{0.48, -1.44, 69, -23, -23})
	for _, c := range []struct{ rows, cols, wantRows, wantCols int }{{128, 128, 128, 128}, {33, 100, 34, 100}} {
		resized, same, err := net.Resize(weights, c.rows, c.cols, 2)
		must.Do(t, err)
		if rows, cols := resized.Lattice(); rows != c.wantRows || cols != c.wantCols {
			t.Errorf("%d×%d cells got a network of %d×%d", c.rows, c.cols, rows, cols)
		}
		for j := range weights {
			must.Be(t, j >= from && j < from+spectrumKnots || same[j] == weights[j], "weight %d has changed", j)
		}
		_, cycles := modes(64)
		hat, _ := knots(cycles, cycles)
		worst := 0.0
		for f := 0; f < len(hat); f += spectrumKnots {
			var before, after float64
			for k := range spectrumKnots {
				before += hat[f+k] * float64(weights[from+k])
				after += hat[f+k] * float64(same[from+k])
			}
			worst = max(worst, math.Abs(after-before))
		}
		// A change of log S changes the gain S/(S + r²) by a quarter of it at most: here 0.07.
		must.Be(t, worst < 0.28, "log S at a mode of the grid has moved by %g", worst)
		for k := range spectrumKnots {
			must.Be(t, math.Abs(float64(same[from+k])) < 3, "knot %d of log S is %g", k, same[from+k])
		}
	}
	own, same, err := net.Resize(weights, 64, 64, 2)
	must.Do(t, err)
	must.Equal(t, own.String(), net.String(), "the same grid")
	must.Be(t, same[from+13] == 69, "the spectrum of the same grid has changed")
	for name, other := range map[string]UNet{
		"attention":  {Rows: 64, Columns: 64, Channels: 4, Multiples: []int{1, 2}, Embedding: 8, Attention: 32},
		"group norm": {Rows: 64, Columns: 64, Channels: 4, Multiples: []int{1, 2}, Embedding: 8, Groups: 2},
	} {
		_, _, err := other.Resize(nil, 128, 128, 2)
		must.Be(t, err != nil, "%s: resized", name)
	}
}

package nn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// excessOf returns asinh(z_b)/3 for x_t/√α = x in units of sd, of a network that was trained on squares of trained
// cells a side, or on the grid of x where trained is 0.
func excessOf(t *testing.T, x [][]float32, rows, columns int, r float64, trained int) []float64 {
	t.Helper()
	estimate := make([][]float32, len(x))
	for k := range x {
		estimate[k] = make([]float32, len(x[k]))
		for j, v := range x[k] {
			estimate[k][j] = v / float32(1+r*r)
		}
	}
	return enginetest.Call(t, enginetest.Fast(t), func(e, l *Node) []*Node {
		f := wiener(Reshape(e, len(x), 1, rows, columns), l)
		return []*Node{f.excess(cmp.Or(trained, rows), cmp.Or(trained, columns))}
	}, estimate, [][]float32{{float32(math.Log(r))}})[0]
}

// The statistics of noise alone have the mean 0 and the variance 2S/(2S + 1e-3) with S = Σ w², whatever its level.
// Those of a wave stand for its power at its frequency: with the mode of index (8, 0) times a, they are asinh of
// a²/r² w_b/√(2 Σ w_b²) less what a mode without noise lacks.
func TestExcess(t *testing.T) {
	const rows, columns, batch = 16, 32, 400
	rng := rand.New(rand.NewPCG(1, 2))
	for _, r := range []float64{0.05, 1, 20} {
		x := make([][]float32, batch)
		for k := range x {
			x[k] = make([]float32, rows*columns)
			for j := range x[k] {
				x[k][j] = float32(r * rng.NormFloat64())
			}
		}
		out := excessOf(t, x, rows, columns, r, 0)
		_, alongDown := modes(rows)
		_, alongAcross := modes(columns)
		at, _ := knots(alongDown, alongAcross)
		for b := range spectrumKnots {
			var second, fourth float64
			for f := range rows * columns {
				w := at[f*spectrumKnots+b]
				second, fourth = second+w*w, fourth+w*w*w*w
			}
			var sum, squares float64
			for k := range batch {
				z := math.Sinh(3 * out[k*spectrumKnots+b])
				sum += z / batch
				squares += z * z / batch
			}
			if second == 0 { // no frequency is near this knot
				must.Be(t, sum == 0 && squares == 0,
					"r = %g: knot %d, which no frequency is near, has mean %g", r, b, sum)
				continue
			}
			// Σ w (χ² − 1) has the variance 2 Σ w² and the fourth cumulant 48 Σ w⁴. Four standard errors of 400 draws.
			variance := 2 * second / (2*second + 1e-3)
			meanError := 4 * math.Sqrt(variance/batch)
			squareError := 4 * variance * math.Sqrt((2+12*fourth/(second*second))/batch)
			must.Be(t, math.Abs(sum) <= meanError && math.Abs(squares-variance) <= squareError,
				"r = %g: knot %d has mean %.3f and mean square %.3f, want 0 ± %.3f and %.3f ± %.3f", r, b, sum,
				squares, meanError, variance, squareError)
		}
	}
	down, alongDown := modes(rows)
	across, alongAcross := modes(columns)
	at, _ := knots(alongDown, alongAcross)
	const u, v, a, r = 8, 3, 5, 0.5
	x := [][]float32{make([]float32, rows*columns)}
	for i := range rows {
		for j := range columns {
			x[0][i*columns+j] = float32(a * down.At(i, u) * across.At(j, v))
		}
	}
	out := excessOf(t, x, rows, columns, r, 0)
	for b := range spectrumKnots {
		var sum, squares float64
		for f := range rows * columns {
			w := at[f*spectrumKnots+b]
			squares += w * w
			if sum -= w; f == u*columns+v {
				sum += w * a * a / (r * r)
			}
		}
		if want := math.Asinh(sum/math.Sqrt(2*squares+1e-3)) / 3; math.Abs(out[b]-want) > 2e-4 {
			// float32, where z is negative
			t.Errorf("knot %d: %.6f, want %.6f", b, out[b], want)
		}
	}
}

// A rough surface has the same statistics on the grid of the training and on one of sixteen times its cells. On a
// smaller grid, where fewer frequencies show it, they are smaller.
func TestExcessOfLargerGrids(t *testing.T) {
	const trained, r, rougher = 16, 0.5, 1.3
	means := func(side, batch int) (mean [spectrumKnots]float64) {
		rng, x := rand.New(rand.NewPCG(7, 8)), make([][]float32, batch)
		for k := range x {
			x[k] = make([]float32, side*side)
			for j := range x[k] {
				x[k][j] = float32(math.Sqrt(rougher) * r * rng.NormFloat64())
			}
		}
		for i, v := range excessOf(t, x, side, side, r, trained) {
			mean[i%spectrumKnots] += math.Sinh(3*v) / float64(batch)
		}
		return mean
	}
	own, large, small := means(trained, 400), means(4*trained, 25), means(trained/2, 1600)
	for b := range 4 { // the knots of most frequencies
		// Each knot has thousands of the 102400 coefficients, so 0.3 is known to 0.02. The knots' weights at the border
		// of the frequencies differ a little between grids.
		must.Be(t, math.Abs(large[b]/own[b]-1) < 0.15, "knot %d: %.2f on a larger grid, %.2f on its own", b, large[b],
			own[b])
		must.Be(t, small[b] < 0.65*own[b], "knot %d: %.2f on a smaller grid, %.2f on its own", b, small[b], own[b])
	}
}

// An adaptive network begins as the same network without adaptation, whose weights it can take over.
func TestAdaptiveBeginsAsItWas(t *testing.T) {
	const rows, columns, heads = 8, 8, 2
	fixed := UNet{Rows: rows, Columns: columns, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}
	adaptive := fixed
	adaptive.Adaptive = true
	rng := rand.New(rand.NewPCG(3, 4))
	values := map[string][]float32{}
	for _, p := range fixed.Params(rows*columns, heads) {
		values[p.Name] = make([]float32, p.Size())
		for i := range values[p.Name] {
			values[p.Name][i] = float32(0.3 * rng.NormFloat64())
		}
	}
	apply := func(n UNet) []float64 {
		params := n.Params(rows*columns, heads)
		flat := Initial(params, rand.New(rand.NewPCG(5, 6)))
		at := 0
		for _, p := range params {
			copy(flat[at:at+p.Size()], values[p.Name])
			at += p.Size()
		}
		x := make([]float32, rows*columns)
		for j := range x {
			x[j] = float32(math.Sin(float64(j * j)))
		}
		return enginetest.Call(t, enginetest.Fast(t), func(flat, x, l *Node) []*Node {
			return n.Apply(Unpack(flat, params), Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)
		}, flat, [][]float32{x}, [][]float32{{-1}})[0]
	}
	was, is := apply(fixed), apply(adaptive)
	for j := range was {
		must.Need(t, was[j] == is[j], "cell %d: %g, and %g without adaptation", j, is[j], was[j])
	}
}

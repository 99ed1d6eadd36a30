package learn_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// The loss with windows is 0.6 of that of whole images plus 0.4 of that of the upper left quarter of each image, as
// the loss of a training on images of this size.
func TestWindowsAreTrainedOn(t *testing.T) {
	const side, half, batch = 16, 8, 3
	large := nn.UNet{Rows: side, Columns: side, Channels: 4, Multiples: []int{1, 2}, Adaptive: true}
	small := large
	small.Rows, small.Columns = half, half
	scale := func(side int) learn.Scale {
		return learn.Scale{Mean: slices.Repeat([]float64{0.1}, side*side), SD: slices.Repeat([]float64{0.7}, side*side)}
	}
	params := large.Params(side*side, 2)
	rng := expfam.Stream(1, "windows")
	random := func(n int, sd float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = sd * rng.NormFloat64()
		}
		return v
	}
	rounded, weights := make([]float32, nn.Count(params)), make([]float64, nn.Count(params))
	for i, v := range random(len(weights), 0.1) {
		rounded[i], weights[i] = float32(v), float64(float32(v))
	}
	_, resized, err := large.Resize(rounded, half, half, 2)
	must.Do(t, err)
	smaller := make([]float64, len(resized)) // on windows the longest waves have another spectrum
	for i, v := range resized {
		smaller[i] = float64(v)
	}
	x0, x := random(batch*side*side, 1), random(batch*side*side, 1)
	window := func(x []float64) (out []float64) {
		for b := range batch {
			for i := range half {
				at := b*side*side + i*side
				out = append(out, x[at:at+half]...)
			}
		}
		return out
	}
	loss := func(training learn.Training, net nn.UNet, weights, x0, x []float64) float64 {
		exec := must.Get(NewExec(enginetest.Open(t, "go").Backend, func(w, x0, x, sigma *Node) *Node {
			root := Inverse(Sqrt(OnePlus(Square(sigma))))
			l := level.Nodes{SqrtAlpha: root, V: Mul(Square(sigma), Square(root))}
			return learn.LossOf(training, net, scale(net.Rows))(nn.Unpack(w, params), x0, x, l)
		}))(t)
		defer exec.Finalize()
		out := must.Get(exec.Call(weights, tensors.FromFlatDataAndDimensions(x0, batch, net.Rows*net.Rows),
			tensors.FromFlatDataAndDimensions(x, batch, net.Rows*net.Rows), [][]float64{{0.3}, {1}, {4}}))(t)
		return tensors.ToScalar[float64](out[0])
	}
	plain, windows := learn.Training{Faint: 0.5}, learn.Training{Faint: 0.5, Windows: true, Net: large}
	got := loss(windows, large, weights, x0, x)
	want := 0.6*loss(plain, large, weights, x0, x) + 0.4*loss(plain, small, smaller, window(x0), window(x))
	// The weights of Resize are rounded to float32.
	must.Be(t, math.Abs(got/want-1) < 1e-6, "a loss of %.15g, want %.15g", got, want)

	for name, c := range map[string]struct {
		net  nn.Network
		want string
	}{
		"cells of their own": {nn.MLP{}, "belong to its cells"},
		"no half":            {nn.UNet{Rows: 8, Columns: 8}, "halved once more"},
		"no grid":            {nn.UNet{}, "set Rows and Columns"},
		"no quarter":         {nn.UNet{Rows: 8, Columns: 6}, "must be divisible by 8"},
		"impossible":         {nn.UNet{Rows: 8, Columns: 8, Channels: -1}, "Channels -1"},
	} {
		t.Run(name, func(t *testing.T) {
			must.Refuse(learn.NetworkKey(cellsOf(64), learn.Training{Net: c.net, Windows: true}))(t, c.want)
		})
	}
}

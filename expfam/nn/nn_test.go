package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// networks are of all kinds, one of each first.
var networks = []nn.Network{
	nn.Experts{Experts: 3, Blocks: 1, Width: 8, Embedding: 6}, nn.MLP{Layers: 1, Width: 8, Embedding: 6},
	nn.UNet{Rows: 4, Columns: 8, Channels: 4, Multiples: []int{1, 2}, Attention: 2, Groups: 2, Offset: true},
	nn.Modes{Parameters: 2, Blocks: 1, Width: 8, Embedding: 6},
	nn.UNet{Rows: 4, Columns: 8, Channels: 6, Multiples: []int{1, 2, 2}, Blocks: 2},
	nn.UNet{Rows: 4, Columns: 8, Channels: 4, Multiples: []int{1, 2}, Adaptive: true},
	nn.UNet{Rows: 2, Columns: 14, Channels: 4, Multiples: []int{1, 2}, Adaptive: true, Parameters: 4},
	nn.Experts{}, nn.Experts{Blocks: -1}, nn.MLP{},
}

const cells, heads = 32, 2

// eachNetwork runs a test of all networks on pure Go, and of one of each kind on an
// engine that takes seconds to compile them; with -full of all.
func eachNetwork(t *testing.T, e *engine.Engine, run func(t *testing.T, n nn.Network, params []nn.Param)) {
	for _, n := range enginetest.Short(e, 3, networks) {
		t.Run(n.String(), func(t *testing.T) { run(t, n, n.Params(cells, heads)) })
	}
}

// busy are weights none of which is 0, so that every path carries something.
func busy(params []nn.Param) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	flat := make([]float32, nn.Count(params))
	for i := range flat {
		flat[i] = float32(0.3 * rng.NormFloat64())
	}
	return flat
}

func TestParams(t *testing.T) {
	eachNetwork(t, enginetest.Open(t, "go"), func(t *testing.T, n nn.Network, params []nn.Param) {
		names, size := map[string]bool{}, 0
		for _, p := range params {
			must.Be(t, !names[p.Name], "two parameters are called %s", p.Name)
			names[p.Name] = true
			size += p.Size()
		}
		initial := nn.Initial(params, rand.New(rand.NewPCG(3, 4)))
		must.Need(t, len(initial) == size && nn.Count(params) == size,
			"%d initial values, count %d, sizes %d", len(initial), nn.Count(params), size)
		at := 0
		for _, p := range params {
			var squares float64
			for _, v := range initial[at : at+p.Size()] {
				squares += float64(v) * float64(v)
			}
			sd := math.Sqrt(squares / float64(p.Size()))
			// 6 standard errors of an sd, 1/√(2n).
			must.Be(t, math.Abs(sd-p.SD) <= 6*p.SD/math.Sqrt(2*float64(p.Size())),
				"%s has initial values of sd %g, want %g", p.Name, sd, p.SD)
			at += p.Size()
		}
	})
	t.Run("names tell architectures apart", func(t *testing.T) {
		seen := map[string]bool{}
		for _, n := range networks {
			must.Be(t, !seen[n.String()], "%v twice", n)
			seen[n.String()] = true
		}
	})
}

// Unpack cuts a vector into the parameters in their order, without gap.
func TestUnpack(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		params := nn.Experts{Experts: 3, Blocks: 1, Width: 8, Embedding: 6}.Params(cells, heads)
		flat := busy(params)
		out := enginetest.Call(t, e, func(x *graph.Node) []*graph.Node {
			w := nn.Unpack(x, params)
			parts := make([]*graph.Node, len(params))
			for i, p := range params {
				w[p.Name].AssertDims(p.Shape...)
				parts[i] = w[p.Name]
			}
			return parts
		}, flat)
		at := 0
		for i, p := range params {
			for k, v := range out[i] {
				must.Need(t, v == float64(flat[at+k]), "%s[%d] is %g, want %g", p.Name, k, v, flat[at+k])
			}
			at += p.Size()
		}
		must.Equal(t, at, len(flat), "values used")
	})
}

func inputs(batch int, logSigma float32) (x, levels [][]float32) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range batch {
		row := make([]float32, cells)
		for j := range row {
			row[j] = float32(rng.NormFloat64())
		}
		x, levels = append(x, row), append(levels, []float32{logSigma})
	}
	return x, levels
}

// One level for the batch and the same level for each draw are one function.
func TestOneLevelForAll(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		eachNetwork(t, e, func(t *testing.T, n nn.Network, params []nn.Param) {
			flat := busy(params)
			// Group norms may divide by a spread near zero, which magnifies rounding thousands of times where an engine
			// sums in two orders. ONNX Runtime convolves float32 alone, and sums in one order.
			dtype, tol := dtypes.Float64, 1e-10
			if strings.HasPrefix(e.String(), "onnx") {
				dtype, tol = dtypes.Float32, 2e-5
			}
			exec := must.Get(graph.NewExec(e.Backend, func(flat, x, l *graph.Node) []*graph.Node {
				flat, x, l = graph.ConvertDType(flat, dtype), graph.ConvertDType(x, dtype), graph.ConvertDType(l, dtype)
				out := n.Apply(nn.Unpack(flat, params), nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)
				for _, h := range out {
					h.AssertDims(3, cells)
				}
				return out
			}))(t)
			defer exec.Finalize()
			apply := func(x, levels [][]float32) [][]float64 {
				out := must.Get(exec.Call(flat, x, levels))(t)
				var all [][]float64
				for _, o := range out {
					all = append(all, enginetest.Float64s(o))
				}
				return all
			}
			for _, level := range []float32{-5, 0.3, 5} {
				x, levels := inputs(3, level)
				each, one := apply(x, levels), apply(x, levels[:1])
				for h := range each {
					var scale float64
					for _, v := range each[h] {
						scale = max(scale, math.Abs(v))
					}
					for i, v := range each[h] {
						must.Be(t, math.Abs(one[h][i]-v) <= tol*scale && v != 0,
							"level %g, head %d, value %d: %g and %g", level, h, i, one[h][i], v)
					}
				}
			}
		})
	})
}

// Every parameter that is learned has a gradient on every engine, and with weights that are not 0 it is none of 0.
func TestGradients(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		eachNetwork(t, e, func(t *testing.T, n nn.Network, params []nn.Param) {
			x, levels := inputs(4, 0)
			for k := range levels {
				levels[k][0] = float32(k) - 2
			}
			out := enginetest.Call(t, e, func(flat, x, l *graph.Node) []*graph.Node {
				w := nn.Unpack(flat, params)
				var sum *graph.Node
				for _, h := range n.Apply(w, nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads) {
					if s := graph.ReduceAllSum(graph.Square(h)); sum == nil {
						sum = s
					} else {
						sum = graph.Add(sum, s)
					}
				}
				leaves := []*graph.Node{x}
				for _, p := range params {
					leaves = append(leaves, w[p.Name])
				}
				return graph.Gradient(sum, leaves...)
			}, busy(params), x, levels)
			for i, values := range out {
				name := "x"
				if i > 0 {
					name = params[i-1].Name
				}
				var largest float64
				for _, v := range values {
					must.Need(t, !math.IsNaN(v) && !math.IsInf(v, 0), "gradient of %s has %g", name, v)
					largest = max(largest, math.Abs(v))
				}
				measured := slices.Contains([]string{"spectrum", "basis", "logvalues", "typical"}, name)
				must.Be(t, (largest == 0) == measured,
					"gradient of %s is up to %g; only what is measured beforehand has none", name, largest)
			}
		})
	})
}

// Initial heads: those that start at 0 are exactly 0, whatever x is.
func TestInitialHeads(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		eachNetwork(t, e, func(t *testing.T, n nn.Network, params []nn.Param) {
			if _, measured := n.(nn.Modes); measured {
				t.Skip("it starts at Wiener's filter with measured components: TestModesStartAtWiener")
			}
			x, levels := inputs(3, 0.5)
			initial := nn.Initial(params, rand.New(rand.NewPCG(7, 8)))
			out := enginetest.Call(t, e, func(flat, x, l *graph.Node) []*graph.Node {
				return n.Apply(nn.Unpack(flat, params), nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)
			}, initial, x, levels)
			first := 0
			switch n.(type) {
			case nn.Experts, nn.UNet:
				first = 1 // the experts of the first head start small, Wiener's filter as that of natural images
			}
			for h := first; h < heads; h++ {
				for _, v := range out[h] {
					if v != 0 {
						t.Fatalf("head %d starts at %v", h, fmt.Sprint(out[h]))
					}
				}
			}
			for _, v := range out[0] {
				// Experts of sd 0.3/√(experts·d) and gates of order one give at most some tenths; the filter adds at
				// most 1 + r² times the mean of a block of normal values.
				must.Be(t, math.Abs(v) <= 4, "head 0 starts at %g", v)
			}
		})
	})
}

package engine_test

import (
	"math"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	g "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// What ONNX Runtime, or the binding of GoMLX to it, cannot do and the library goes
// around. A case that fails is good news: docs/workarounds.md says what can go.
func TestLimitsOfONNX(t *testing.T) {
	e, err := engine.Open("onnx")
	if err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir()) // compute-onnx leaves failed_model.onnx where it runs
	sum := func(f func(x *g.Node) *g.Node) func(x *g.Node) *g.Node {
		return func(x *g.Node) *g.Node { return g.Gradient(g.ReduceAllSum(f(x)), x)[0] }
	}
	pair := []float64{0.5, 0.25}
	for _, c := range []struct {
		name string
		f    func(x *g.Node) *g.Node
		x    any
	}{
		{"gradient of a slice", sum(func(x *g.Node) *g.Node { return g.Slice(x, g.AxisRange(0, 1)) }), pair},
		{"x sigmoid(x) in float64", func(x *g.Node) *g.Node { return g.Mul(x, g.Sigmoid(x)) }, pair},
		{"gradient of a single logarithm", sum(g.Log), []float64{0.5}},
		{"gradient of a strided convolution", sum(func(x *g.Node) *g.Node {
			return g.Convolve(x, g.Ones(x.Graph(), shapes.Make(dtypes.Float32, 3, 1, 1))).Strides(2).PadSame().Done()
		}), [][][]float32{{{1}, {2}, {3}, {4}}}},
		{"Expm1", g.Expm1, pair},
		{"Rsqrt", g.Rsqrt, pair},
		{"Clamp", func(x *g.Node) *g.Node {
			return g.Clip(x, g.Scalar(x.Graph(), dtypes.Float64, 0), g.Scalar(x.Graph(), dtypes.Float64, 1))
		}, pair},
		{"Pad", func(x *g.Node) *g.Node {
			return g.Pad(x, g.Scalar(x.Graph(), dtypes.Float64, 0), compute.PadAxis{Start: 1})
		}, pair},
		{"IsFinite", func(x *g.Node) *g.Node { return g.IsFinite(x) }, pair},
	} {
		t.Run(c.name, func(t *testing.T) {
			exec := must.Get(g.NewExec(e.Backend, c.f))(t)
			defer exec.Finalize()
			out, err := exec.Call(c.x)
			must.Be(t, err != nil, "it works now, and gives %v", out)
		})
	}
	t.Run("Erf in float64 has the digits of float32", func(t *testing.T) {
		exec := must.Get(g.NewExec(e.Backend, g.Erf))(t)
		defer exec.Finalize()
		got := must.Get(exec.Call1(pair))(t).Value().([]float64)[0]
		must.Be(t, math.Abs(got-math.Erf(pair[0])) > 1e-9, "erf(%g) is %.17g now", pair[0], got)
	})
}

// CallOnDevice of GoMLX drops the device: the pure-Go engine has one, and takes work for another.
func TestCallOnDeviceDropsIt(t *testing.T) {
	e := must.Get(engine.Open("go"))(t)
	exec := must.Get(g.NewExec(e.Backend, g.OnePlus))(t)
	defer exec.Finalize()
	must.Refuse2(exec.CallWithGraphOnDevice(7, []float64{1}))(t)
	if _, err := exec.CallOnDevice(7, []float64{1}); err != nil {
		t.Errorf("CallOnDevice knows the device now (%v)", err)
	}
}

// Operations at the same time deadlock in pure Go. Where they do, this takes a
// second; a machine that is too slow to finish in one tells nothing.
func TestParallelOperationsDeadlock(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("whether operations wait for each other is chance, and rarer on an idle machine: run with -full")
	}
	products := func(x *g.Node) *g.Node {
		sum := x
		for i := range 40 {
			sum = g.Add(sum, g.MatMul(g.AddScalar(x, float64(i)), x))
		}
		return sum
	}
	for range 200 {
		backend := must.Get(compute.NewWithConfig("go:parallelism=4,ops_parallel"))(t)
		exec := must.Get(g.NewExec(backend, products))(t)
		ended := make(chan error, 1)
		go func() {
			_, err := exec.Call(tensors.FromShape(shapes.Make(dtypes.Float32, 256, 256)))
			ended <- err
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Second):
			return // its goroutines wait until the tests end
		}
	}
	t.Error("forty products at the same time ended 200 times: ops_parallel may be allowed")
}

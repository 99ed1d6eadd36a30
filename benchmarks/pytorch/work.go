package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

const (
	images   = 8 // in a piece of work
	part     = 4 // images in each part of a batch of training
	products = 3 // number of products with the transposed Jacobian, as in the default sampler
	heads    = 2
	weights  = "../notebooks/weights/images-score.safetensors"
)

// work is the network that ships, applied to images of noise at σ = 1.
type work struct {
	e      *engine.Engine
	net    nn.UNet
	cells  int
	params []nn.Param
	flat   []float32
	x      []float32
	sample []*graph.Exec // one a worker, for one image
	train  []*graph.Exec // one a worker, for a part of the images
}

func newWork(e *engine.Engine, side int) (*work, error) {
	file, err := store.Read(weights)
	if err != nil {
		return nil, err
	}
	flat, found := file.Tensor("weights")
	if !found {
		return nil, fmt.Errorf("%s has no weights", weights)
	}
	prior, err := learn.Load(weights)
	if err != nil {
		return nil, err
	}
	net := prior.Net.(nn.UNet)
	net.Rows, net.Columns = side, side
	w := &work{e: e, net: net, cells: side * side, flat: flat.Data.([]float32)}
	w.params = w.net.Params(w.cells, heads)
	rng := expfam.Stream(1, "benchmarks/pytorch")
	for range images * side * side {
		w.x = append(w.x, float32(rng.NormFloat64()))
	}
	for range e.Workers() {
		exec, err := graph.NewExec(e.Backend, w.sampling)
		if err != nil {
			return nil, err
		}
		w.sample = append(w.sample, exec)
		if exec, err = graph.NewExec(e.Backend, w.training); err != nil {
			return nil, err
		}
		w.train = append(w.train, exec)
	}
	return w, nil
}

func (w *work) close() {
	for _, exec := range append(w.sample, w.train...) {
		exec.Finalize()
	}
}

func (w *work) input(x *graph.Node) nn.Input {
	zero := graph.Zeros(x.Graph(), shapes.Make(x.DType(), x.Shape().Dim(0), 1))
	return nn.Input{X: x, Estimate: x, LogSigma: zero, LogNoise: zero}
}

// sampling returns the graph of the heads, and of the last of several products with the transposed Jacobian of the
// mean. Each product is the gradient of ⟨mean, v⟩ with respect to x, where v is the product before it; the first v is
// x.
func (w *work) sampling(x *graph.Node) []*graph.Node {
	flat := graph.Const(x.Graph(), tensors.FromFlatDataAndDimensions(w.flat, len(w.flat)))
	out := w.net.Apply(nn.Unpack(flat, w.params).Frozen(), w.input(x), heads)
	v := x
	for range products {
		v = graph.Gradient(graph.ReduceAllSum(graph.Mul(out[0], graph.StopGradient(v))), x)[0]
	}
	return append(out, v)
}

// training returns the graph of the gradients of all weights.
func (w *work) training(flat, x *graph.Node) []*graph.Node {
	named := nn.Unpack(flat, w.params)
	out := w.net.Apply(named, w.input(x), heads)
	loss := graph.Add(graph.ReduceAllMean(graph.Square(graph.Sub(out[0], x))),
		graph.ReduceAllMean(graph.Square(graph.Sub(out[1], x))))
	var leaves []*graph.Node
	for _, p := range w.params {
		leaves = append(leaves, named[p.Name])
	}
	return graph.Gradient(loss, leaves...)
}

func (w *work) do(kind string) error {
	if kind == "sampling" {
		_, err := w.draw()
		return err
	}
	return w.share(images/part, func(worker, i int) error {
		flat := tensors.FromFlatDataAndDimensions(w.flat, len(w.flat))
		x := tensors.FromFlatDataAndDimensions(w.x[i*part*w.cells:(i+1)*part*w.cells], part, w.cells)
		out, err := w.e.Call(w.train[worker], flat, x)
		return errors.Join(err, engine.Release(append(out, flat, x)...))
	})
}

// share has the workers do n pieces of work, each taking the next when it is done with one.
func (w *work) share(n int, do func(worker, i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for worker := range w.sample {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(worker, i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// draw returns the results of sampling. As in the sampler, images go through the network one by one.
func (w *work) draw() (results [heads + 1][]float32, err error) {
	for k := range results {
		results[k] = make([]float32, len(w.x))
	}
	err = w.share(images, func(worker, i int) error {
		x := tensors.FromFlatDataAndDimensions(w.x[i*w.cells:(i+1)*w.cells], 1, w.cells)
		out, err := w.e.Call(w.sample[worker], x)
		if err != nil {
			return err
		}
		for k, o := range out {
			if err := tensors.ConstFlatData(o,
				func(flat []float32) { copy(results[k][i*w.cells:], flat) }); err != nil {
				return err
			}
		}
		return engine.Release(append(out, x)...)
	})
	return results, err
}

// write writes weights and inputs into files for the peer.
func (w *work) write(folder string) error {
	var f store.File
	at := 0
	for _, p := range w.params {
		f.Tensors = append(f.Tensors, store.Tensor{Name: p.Name, Shape: p.Shape, Data: w.flat[at : at+p.Size()]})
		at += p.Size()
	}
	zero := make([]float32, images)
	f.Tensors = append(f.Tensors, store.Tensor{Name: "input.x", Shape: []int{images, w.cells}, Data: w.x},
		store.Tensor{Name: "input.logsigma", Shape: []int{images, 1}, Data: zero}, store.Tensor{Name: "input.lognoise",
			Shape: []int{images, 1}, Data: zero})
	if err := store.Write(filepath.Join(folder, "in.safetensors"), &f); err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{"Side": w.net.Rows, "Channels": 16, "Multiples": []int{1, 2, 4, 4},
		"Products": products})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "in.json"), config, 0o644)
}

// agrees compares the peer's results with the library's.
func (w *work) agrees(folder string) error {
	ours, err := w.draw()
	if err != nil {
		return err
	}
	for k, name := range []string{"mean", "variance", "product"} {
		content, err := os.ReadFile(filepath.Join(folder, name+".f32"))
		if err != nil {
			return err
		}
		values := make([]float32, len(content)/4)
		if _, err := binary.Decode(content, binary.LittleEndian, values); err != nil {
			return err
		}
		if len(values) != len(ours[k]) {
			return fmt.Errorf("the peer's %s has %d values, not %d", name, len(values), len(ours[k]))
		}
		var largest, apart float64
		for i, v := range values {
			largest = max(largest, math.Abs(float64(v)))
			apart = max(apart, math.Abs(float64(v-ours[k][i])))
		}
		// Sums of up to 1152 terms of float32 in other orders, through 35 convolutions.
		if !(apart <= 1e-4*largest) {
			return fmt.Errorf("%s differs by %.2g, of %.2g at most", name, apart, largest)
		}
		fmt.Printf("%s: %.1g apart, of %.2g at most\n", name, apart, largest)
	}
	return nil
}

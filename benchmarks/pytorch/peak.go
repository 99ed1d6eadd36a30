package main

import (
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
)

// peak returns the highest rate that the workers reached, in floating-point operations a second. Each of them computes
// its own products of matrices of 1024 × 1024, the operation that engines do best.
func (w *work) peak() (float64, error) {
	const n, times = 1024, 8
	execs := make([]*graph.Exec, len(w.sample))
	for i := range execs {
		exec, err := graph.NewExec(w.e.Backend, func(x *graph.Node) *graph.Node { return graph.MatMul(x, x) })
		if err != nil {
			return 0, err
		}
		defer exec.Finalize()
		execs[i] = exec
	}
	var rates []float64
	for range 5 {
		start := time.Now()
		err := w.share(times, func(worker, _ int) error {
			x := tensors.FromFlatDataAndDimensions(make([]float32, n*n), n, n)
			out, err := w.e.Call(execs[worker], x)
			if err != nil {
				return err
			}
			return engine.Release(append(out, x)...)
		})
		if err != nil {
			return 0, err
		}
		rates = append(rates, times*2*n*n*n/time.Since(start).Seconds())
	}
	return slices.Max(rates), nil
}

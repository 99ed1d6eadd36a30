package expfam

import (
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/internal/host"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// matrixOf returns the weights of H. It returns an error unless the weights are finite, Apply is the product with
// H, and Adjoint is the product with the transpose of H.
func matrixOf(op Operator) (*sparse.Matrix, error) {
	rows, cols := op.Dims()
	apply, err := hostCall(op, op.Apply)
	if err != nil {
		return nil, err
	}
	adjoint, err := hostCall(op, op.Adjoint)
	if err != nil {
		return nil, err
	}
	defer apply.Finalize()
	defer adjoint.Finalize()
	var h *sparse.Matrix
	if listed, ok := op.(RowOperator); ok {
		h = sparse.New(rows, cols, listed.Row)
	} else if h, err = probed(op, apply); err != nil {
		return nil, err
	}
	for k := range h.Rows {
		for i := h.Start[k]; i < h.Start[k+1]; i++ {
			if w := h.Weight[i]; math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("datum %d of the operator %v has the weight %g at cell %d; weights must be "+
					"finite", k, op, w, h.Cell[i])
			}
		}
	}
	return h, agrees(op, h, apply, adjoint)
}

// hostCall makes one direction of an operator, Apply or Adjoint, callable in float64.
func hostCall(op Operator, f func(*Node) *Node) (*Exec, error) {
	backend, err := host.Float64()
	if err != nil {
		return nil, err
	}
	exec, err := NewExec(backend, f)
	if err != nil {
		return nil, fmt.Errorf("the operator %v: %w", op, err)
	}
	return exec, nil
}

// probeRows is the number of unit vectors to which the operator is applied at a time.
const probeRows = 64

// probed finds H by applying the operator to the unit vectors.
func probed(op Operator, apply *Exec) (*sparse.Matrix, error) {
	rows, cols := op.Dims()
	columns := make([][]float64, cols)
	for first := 0; first < cols; first += probeRows {
		in := make([]float64, probeRows*cols)
		for i := range min(probeRows, cols-first) {
			in[i*cols+first+i] = 1
		}
		out, err := product(op, apply, in, probeRows, cols, rows)
		if err != nil {
			return nil, err
		}
		for i := range min(probeRows, cols-first) {
			columns[first+i] = out[i*rows : (i+1)*rows]
		}
	}
	return sparse.New(rows, cols, func(k int, visit func(int, float64)) {
		for j, column := range columns {
			visit(j, column[k])
		}
	}), nil
}

// product applies one direction of an operator to a batch of rows, and checks the shape of the result. The rows
// have the given width, and the rows of the result must have the width want.
func product(op Operator, exec *Exec, in []float64, batch, width, want int) ([]float64, error) {
	arg := tensors.FromFlatDataAndDimensions(in, batch, width)
	out, err := exec.Call(arg)
	if err != nil {
		return nil, fmt.Errorf("the operator %v: %w", op, err)
	}
	if dims := out[0].Shape().Dimensions; len(dims) != 2 || dims[0] != batch || dims[1] != want {
		return nil, fmt.Errorf("the operator %v makes %v of %d rows of %d; want %d rows of %d", op, dims, batch, width,
			batch, want)
	}
	flat, err := tensors.CopyFlatData[float64](out[0])
	if err != nil {
		return nil, err
	}
	return flat, errors.Join(arg.FinalizeAll(), out[0].FinalizeAll())
}

// agrees returns an error unless Apply and Adjoint give at a random vector what H and its transpose give. A wrong
// Adjoint differs there with probability 1.
func agrees(op Operator, h *sparse.Matrix, apply, adjoint *Exec) error {
	rng := Stream(0, "operator")
	random := func(width int) []float64 {
		out := make([]float64, width)
		for i := range out {
			out[i] = rng.NormFloat64()
		}
		return out
	}
	for _, d := range []struct {
		name  string
		exec  *Exec
		from  int
		to    int
		times func(out, in []float64)
	}{{"Apply", apply, h.Cols, h.Rows, h.MulVec}, {"Adjoint", adjoint, h.Rows, h.Cols, h.MulTransVec}} {
		in, want := random(d.from), make([]float64, d.to)
		got, err := product(op, d.exec, in, 1, d.from, d.to)
		if err != nil {
			return err
		}
		d.times(want, in)
		scale := 0.0
		for _, v := range want {
			scale = math.Max(scale, math.Abs(v))
		}
		for i, v := range want {
			// The tolerance is for rounding: operators may compute in float32 or by Fourier transforms.
			if !(math.Abs(got[i]-v) <= 1e-5*(scale+1e-300)) {
				return fmt.Errorf("the operator %v: its %s has %.6g at %d of a random vector, where its weights "+
					"have %.6g; an Adjoint is the product with the transpose", op, d.name, got[i], i, v)
			}
		}
	}
	return nil
}

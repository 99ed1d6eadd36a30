package diffusion

import (
	"errors"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/engine"
)

// block is the state of some draws between two steps: x, and the estimate D' of the step before.
type block struct{ x, previous *tensors.Tensor }

// view is what a step reports about its draws: squares is Σx², and the other fields are the
// largest s, |m| and s (s + |m|) of x₀ | x_t under the prior.
type view struct{ squares, sd, mean, product float64 }

// add joins the views of two blocks. NaN stays NaN.
func (v view) add(w view) view {
	return view{v.squares + w.squares, math.Max(v.sd, w.sd), math.Max(v.mean, w.mean), math.Max(v.product, w.product)}
}

// stepInputs are the inputs of a step of a block beside the block's state.
type stepInputs struct {
	kind
	row, noise, table []float64          // scalars of the step, noise z, table of correlations
	more              []float64          // noise of cells and data, in a drawn step
	data              [2]*tensors.Tensor // statistics and sizes of the observations
}

// step moves a block by one evaluation of a graph, and returns its view of the draws.
func (r *run) step(exec *graph.Exec, b *block, in stepInputs) (seen view, err error) {
	dtype := r.graphs.dtype
	z, scalars := tensorAs(dtype, in.noise, r.block, r.prior.Dim()), tensorAs(dtype, in.row, 1, len(in.row))
	own := []*tensors.Tensor{z, scalars}
	args := []*tensors.Tensor{b.x, b.previous, z, in.data[0], in.data[1], scalars}
	if in.table != nil {
		t := tensorAs(dtype, in.table, r.covariance.tableDims(in.kind)...)
		own, args = append(own, t), append(args, t)
	}
	if in.more != nil {
		t := tensorAs(dtype, in.more, r.block, len(in.more)/r.block)
		own, args = append(own, t), append(args, t)
	}
	results, err := exec.Call(arguments(args)...)
	if err != nil {
		return seen, errors.Join(err, engine.Release(own...))
	}
	var values [4]float64
	for k := range values {
		value, err := doubles(results[outNorm+k])
		if err != nil {
			return seen, err
		}
		values[k] = value[0]
	}
	if err := engine.Release(append(append(own, b.x, b.previous), results[outNorm:]...)...); err != nil {
		return seen, err
	}
	*b = block{results[outX], results[outEstimate]}
	return view{values[0], values[1], values[2], values[3]}, nil
}

// collect puts the draws of x, the numbers of a block, into the rows of out from row first on. It leaves out draws
// that would fall outside the rows of out; first may be negative.
func collect(out *mat.Dense, x *tensors.Tensor, first int) error {
	values, err := doubles(x)
	if err != nil {
		return err
	}
	draws, d := out.Dims()
	for k := max(0, -first); (k+1)*d <= len(values) && first+k < draws; k++ {
		out.SetRow(first+k, values[k*d:(k+1)*d])
	}
	return nil
}

// tensorAs returns a tensor of values with dimensions dims, in Float64 or Float32.
func tensorAs(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(slices.Clone(values), dims...)
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}

// doubles returns the content of a tensor of either precision, in float64.
func doubles(t *tensors.Tensor) ([]float64, error) {
	if t.DType() == dtypes.Float64 {
		return tensors.CopyFlatData[float64](t)
	}
	single, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(single))
	for i, v := range single {
		values[i] = float64(v)
	}
	return values, nil
}

// arguments returns the tensors in the type that the call of a graph takes.
func arguments(t []*tensors.Tensor) []any {
	out := make([]any, len(t))
	for i, v := range t {
		out[i] = v
	}
	return out
}

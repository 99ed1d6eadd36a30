package diffusion

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
)

// observationTensors returns the statistics and the sizes of observations.
func (s *setup) observationTensors(g *graphs, obs expfam.Observations) [2]*tensors.Tensor {
	return [2]*tensors.Tensor{tensorAs(g.data, obs.Stats(), 1, len(obs)), tensorAs(g.data, obs.Sizes(), 1, len(obs))}
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

// float64s returns the content of a tensor of either precision, in float64.
func float64s(t *tensors.Tensor) ([]float64, error) {
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

package sparse

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

const (
	// denseAt is the share of non-zero weights from which a product with the dense matrix is faster than a product
	// with the weights alone.
	denseAt = 0.1
	// denseBelow is the number of entries up to which the matrix is always used as a dense matrix.
	denseBelow = 1 << 16
	// wideAt is the width of a group from which one product of matrices per row is faster on ONNX Runtime than the
	// product with the weights followed by a sum.
	wideAt = 16
	// chunk is the largest number of padded weights in a group, unless there would be more than chunks groups. The
	// values that a product gathers for a group are then 4 MB for a batch of 32 float32 images, and stay in the cache
	// until they are summed.
	chunk, chunks = 1 << 15, 32
)

// Apply returns H x for every row x of the batch: (batch, Cols) becomes (batch, Rows). It has no gradient.
// All products in one graph share the weights.
func (m *Matrix) Apply(x *Node) *Node {
	// The gradient stops at the result, so that the graph gets no gradients that nobody asks for.
	return StopGradient(m.apply(x))
}

func (m *Matrix) apply(x *Node) *Node {
	p := m.productOf(x.DType())
	gr := x.Graph()
	if p.dense != nil {
		return MatMul(x, ConstCachedTensor(gr, p.dense))
	}
	batch, cells := x.Shape().Dimensions[0], Transpose(x, 0, 1)
	var parts []*Node // (rows, batch)
	for _, p := range p.groups {
		seen := Reshape(Gather(cells, ConstCachedTensor(gr, p.cells)), p.rows, p.width, batch)
		if p.width >= wideAt {
			parts = append(parts, Reshape(Einsum("row,rwb->rob", ConstCachedTensor(gr, p.weights), seen), p.rows,
				batch))
		} else {
			weights := Reshape(ConstCachedTensor(gr, p.weights), p.rows, p.width, 1)
			parts = append(parts, ReduceSum(Mul(seen, weights), 1))
		}
	}
	if len(parts) == 1 {
		return Transpose(parts[0], 0, 1)
	}
	return Transpose(Gather(Concatenate(parts, 0), ConstCachedTensor(gr, p.order)), 0, 1)
}

// product holds the constants with which a graph multiplies by a matrix.
type product struct {
	dense  *tensors.Tensor // Hᵀ with all its zeros, or nil
	groups []group
	order  *tensors.Tensor // the place of row k among the rows of all groups; nil for one group
}

// group is a set of rows with similar numbers of weights. They are padded to one width with weights of 0.
type group struct {
	rows, width    int
	cells, weights *tensors.Tensor // (rows·width, 1) and (rows, 1, width)
}

// productOf returns the constants in a dtype, which are made once.
func (m *Matrix) productOf(dtype dtypes.DType) *product {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.products[dtype]; p != nil {
		return p
	}
	p := new(product)
	size := float64(m.Rows) * float64(m.Cols)
	if size <= denseBelow || float64(len(m.Cell)) >= denseAt*size {
		p.dense = tensor(dtype, m.dense(), m.Cols, m.Rows)
	} else {
		p.groups, p.order = m.grouped(dtype)
	}
	if m.products == nil {
		m.products = map[dtypes.DType]*product{}
	}
	m.products[dtype] = p
	return p
}

// grouped sorts the rows by their number of weights and cuts them into groups. A group ends before a row that would be
// padded by more than half of its weights, and before it has more than chunk of them.
func (m *Matrix) grouped(dtype dtypes.DType) (groups []group, order *tensors.Tensor) {
	length := func(k int) int { return m.Start[k+1] - m.Start[k] }
	sorted := make([]int, m.Rows)
	for k := range sorted {
		sorted[k] = k
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return length(b) - length(a) })
	place, most := make([]int32, m.Rows), max(chunk, len(m.Cell)/chunks)
	for first := 0; first < len(sorted); {
		width := max(1, length(sorted[first]))
		end := first
		for end < len(sorted) && (3*length(sorted[end]) >= 2*width || width <= 4) &&
			(end == first || (end+1-first)*width <= most) {
			end++
		}
		slices.Sort(sorted[first:end])
		rows := end - first
		cells, weights := make([]int32, rows*width), make([]float64, rows*width)
		for i, k := range sorted[first:end] {
			place[k] = int32(first + i)
			for n, at := 0, m.Start[k]; at < m.Start[k+1]; n, at = n+1, at+1 {
				cells[i*width+n], weights[i*width+n] = int32(m.Cell[at]), m.Weight[at]
			}
		}
		groups = append(groups, group{rows, width, tensors.FromFlatDataAndDimensions(cells, rows*width, 1),
			tensor(dtype, weights, rows, 1, width)})
		first = end
	}
	if len(groups) > 1 {
		order = tensors.FromFlatDataAndDimensions(place, m.Rows, 1)
	}
	return groups, order
}

// dense returns Hᵀ with all its zeros, row by row.
func (m *Matrix) dense() []float64 {
	out := make([]float64, m.Rows*m.Cols)
	for k := range m.Rows {
		m.Row(k, func(j int, w float64) { out[j*m.Rows+k] += w })
	}
	return out
}

// tensor returns a tensor of the values, converted to dtype.
func tensor(dtype dtypes.DType, values []float64, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}

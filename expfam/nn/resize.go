package nn

import (
	"errors"
	"fmt"
	"maps"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// Resizer is a network on a grid whose weights serve grids of other sizes.
type Resizer interface {
	Network
	// Lattice returns the sides of the grid.
	Lattice() (rows, cols int)
	// Resize returns the network for the smallest grid that it can have with at least so many rows and columns, and its
	// weights. The argument weights, in the order of Params, were trained on the grid of the receiver.
	Resize(weights []float32, rows, cols, heads int) (resized Resizer, same []float32, err error)
	// Resized returns on the graph what Resize makes of weights for another grid.
	Resized(w Weights) (Weights, error)
}

// Resize returns the network for sides that are rounded up to multiples of 2ⁿ⁻¹ for n resolutions; see [Resizer]. The
// weights are the same but for the spectrum of Wiener's filter, which [UNet.extended] continues to longer waves. A
// network with attention, with a group norm or with parameters depends on its grid, and is refused.
func (n UNet) Resize(weights []float32, rows, cols, heads int) (Resizer, []float32, error) {
	n = n.orDefault()
	if n.Attention > 0 || n.Groups > 0 || n.Parameters > 0 {
		return nil, nil, errors.New("attention, group norms and cells of parameters depend on the size of the grid; " +
			"train a U-Net without them")
	}
	times, resized := 1<<(len(n.Multiples)-1), n
	resized.trainedRows, resized.trainedColumns = n.trained()
	resized.Rows, resized.Columns = (rows+times-1)/times*times, (cols+times-1)/times*times
	if rows < 1 || cols < 1 {
		return nil, nil, fmt.Errorf("a grid of %d×%d cells; give at least 1 row and column", rows, cols)
	}
	same, at := append([]float32(nil), weights...), 0
	for _, p := range n.Params(n.Rows*n.Columns, heads) {
		if p.Name == spectrumName && (resized.Rows != n.Rows || resized.Columns != n.Columns) {
			known, err := n.extended(same[at : at+p.Size()])
			if err != nil {
				return nil, nil, err
			}
			copy(same[at:], known)
		}
		at += p.Size()
	}
	return resized, same, nil
}

// Resized returns weights with the spectrum of [UNet.extended], which is linear in the spectrum; see [Resizer].
func (n UNet) Resized(w Weights) (Weights, error) {
	spectrum, ok := w[spectrumName]
	if !ok {
		return w, nil
	}
	matrix := mat.NewDense(spectrumKnots, spectrumKnots, nil)
	for k := range spectrumKnots {
		unit := make([]float32, spectrumKnots)
		unit[k] = 1
		column, err := n.extended(unit)
		if err != nil {
			return nil, err
		}
		matrix.SetCol(k, wide(column))
	}
	own := maps.Clone(w)
	by := ConvertDType(Const(spectrum.Graph(), tensors.FromFlatDataAndDimensions(matrix.RawMatrix().Data,
		spectrumKnots, spectrumKnots)), spectrum.DType())
	own[spectrumName] = MatMul(StopGradient(by), spectrum)
	return own, nil
}

// extended returns knots that give log S the same values at the modes of the network's grid, and that continue it to
// longer waves. Few modes lie between the last knots that a grid has, one alone beside the last. So the measured
// values there may be anything that adds up to this mode's value, and the same waves of a larger grid would get any
// spectrum. The result minimises the squared change of log S over all modes plus a small multiple of the squared
// differences of neighbouring knots.
func (n UNet) extended(spectrum []float32) ([]float32, error) {
	_, down := modes(n.Rows)
	_, across := modes(n.Columns)
	at, _ := knots(down, across)
	hat := mat.NewDense(len(at)/spectrumKnots, spectrumKnots, at)
	var logS, right mat.VecDense
	logS.MulVec(hat, mat.NewVecDense(spectrumKnots, wide(spectrum)))
	right.MulVec(hat.T(), &logS)
	var square mat.SymDense
	square.SymOuterK(1, hat.T())
	for k := 1; k < spectrumKnots; k++ {
		square.SetSym(k, k, square.At(k, k)+roughness)
		square.SetSym(k-1, k-1, square.At(k-1, k-1)+roughness)
		square.SetSym(k-1, k, square.At(k-1, k)-roughness)
	}
	var root mat.Cholesky
	var found mat.VecDense
	if !root.Factorize(&square) || root.SolveVecTo(&found, &right) != nil {
		return nil, errors.New("the spectrum of Wiener's filter is not finite; train the network anew")
	}
	out := make([]float32, spectrumKnots)
	for k := range out {
		out[k] = float32(found.AtVec(k))
	}
	return out, nil
}

// roughness is the weight of the squared differences of log S at neighbouring knots, where a mode has the weight 1.
const roughness = 1e-3

// wide returns values in float64.
func wide(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

package nn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Images differ in roughness, and the roughness of an image is known long before its details are: noise of sd 0.1 on a
// plane adds a tenth to the variance of x_t at σ = 0.3, which 4096 cells show with five standard errors. A cell sees
// it only through averages over the whole image. Convolutions have to learn such averages, and learn them badly,
// because they are worth little in squared error. An adaptive U-Net computes them. Its statistics are, for each knot
// b of the spectrum, how far the power of x_t exceeds that of the noise, in standard errors of the noise's power:
//
//	z_b = Σ_f w_b(f) (|c_f|²/r² − 1) / √(2 Σ_f w_b(f)²),
//
// where c_f are the coefficients of x_t/√α in units of sd, and w_b(f) the weight of knot b at frequency f. A network of
// two layers sees asinh(z_b) and the noise level. It changes log S at the knots, so that Wiener's filter is one of
// this image (an empirical Bayes estimate of its spectrum), and it joins the embedding of the noise level, by which
// it scales and shifts the channels of every block.

// adaptParams lists the parameters of the adaptation for embeddings of the given width. The outputs begin at 0.
func adaptParams(width int) []Param {
	list := denseParams("adapt0", spectrumKnots+width, width, 1)
	list = append(list, denseParams("adapt1", width, width, 1)...)
	list = append(list, denseParams("adapt.spectrum", width, spectrumKnots, 0)...)
	return append(list, denseParams("adapt.level", width, width, 0)...)
}

// excess returns asinh(z_b)/3, (batch, knots), for a network that was trained on a grid of rows × columns. A larger
// grid has more frequencies beside a knot, so the same roughness has a larger z_b there, and the network would take the
// image for a rougher one: on 256×256 cells for one with four times the excess. So on larger grids z_b is in standard
// errors of the training's grid, and 0 for a knot that no frequency of that grid is near.
func (f *filter) excess(rows, columns int) *Node {
	d := f.waves.Shape().Dimensions
	squares := knotSquares(f.at)
	trained := squares
	if rows*columns < d[1]*d[2] {
		_, down := modes(rows)
		_, across := modes(columns)
		at, _ := knots(down, across)
		trained = knotSquares(at)
	}
	weights := make([]float64, len(f.at))
	for i, w := range f.at {
		own, most := squares[i%spectrumKnots], trained[i%spectrumKnots]
		weights[i] = w / math.Sqrt(2*own+1e-3) // z is 0 for a knot that no frequency is near
		if own > most {
			weights[i] *= math.Sqrt(most / own)
		}
	}
	power := Mul(Square(f.waves), Div(Square(OnePlus(f.square)), f.square))
	kernel := ConvertDType(Const(f.e.Graph(), tensors.FromFlatDataAndDimensions(weights, d[1]*d[2], spectrumKnots)),
		f.waves.DType())
	z := product(Reshape(AddScalar(power, -1), d[0], d[1]*d[2]), StopGradient(kernel))
	return MulScalar(Log(Add(z, Sqrt(OnePlus(Square(z))))), 1./3)
}

// knotSquares returns Σ_f w_b(f)² for each knot.
func knotSquares(at []float64) []float64 {
	squares := make([]float64, spectrumKnots)
	for i, w := range at {
		squares[i%spectrumKnots] += w * w
	}
	return squares
}

// adapt returns the change of log S at the knots, (batch, knots), and what is added to the embedding, (batch, width).
// Both end where the blocks do ([trust]): in stronger noise the measured spectrum is the best.
func (w Weights) adapt(excess, level, logNoise *Node) (spectrum, embedding *Node) {
	batch := excess.Shape().Dim(0)
	if level.Shape().Dim(0) != batch {
		level = BroadcastToDims(level, batch, level.Shape().Dim(1))
	}
	h := silu(w.dense("adapt1", silu(w.dense("adapt0", Concatenate([]*Node{excess, level}, 1)))))
	return Mul(w.dense("adapt.spectrum", h), trust(logNoise)), w.dense("adapt.level", h)
}

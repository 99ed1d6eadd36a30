package nn

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// What is left of an image in strong noise are its lowest frequencies, which a
// stack of convolutions must amplify a thousandfold and learns to only slowly. The
// U-Net has them given, by Wiener's filter: in the products of two modes, one
// along each side, which are nearly independent, with S(f) their variance at a
// frequency over the variance of a cell, the best linear estimate multiplies every
// coefficient by
//
//	S/(S + r²),  r = σ/sd.
//
// log S is linear in log f between knots half an octave apart, measured on draws of
// the prior ([UNet.Measure]) over that of natural images, S ∝ 1/f² (Field 1987). Modes are
// the eigenvectors of the covariance exp(−|i−j|/32), sines and cosines that do not
// reflect at the borders: on procedural images of 64×64 cells at σ = 20 the filter
// is then as good as that of their whole covariance, and with the cosine transform's
// 0.3% worse.

// Knots are at 2^−½, the diagonal of the finest waves, 2^−1 … cycles a cell.
const (
	spectrumKnots = 16
	// spectrumBegin makes 1/f² a variance of about 1 on grids of some 50×50 cells.
	spectrumBegin = 0.02
	// modeLength, in cells, is that of the covariance whose eigenvectors are the modes.
	modeLength = 32
)

// spectrumParams are log S at the knots over 1/f².
func spectrumParams() Param { return Param{Name: "spectrum", Shape: []int{spectrumKnots, 1}} }

// modes are the eigenvectors of exp(−|i−j|/32) on n cells, one a column, and their
// frequencies in cycles a cell: the inverse is tridiagonal but for a factor, and
// has the eigenvalues 1 + ρ² − 2ρ cos 2πf with ρ = exp(−1/32).
func modes(n int) (basis *mat.Dense, frequency []float64) {
	rho := math.Exp(-1. / modeLength)
	inverse := mat.NewSymDense(n, nil)
	for i := range n {
		inverse.SetSym(i, i, 1+rho*rho)
		if i > 0 {
			inverse.SetSym(i, i-1, -rho)
		}
	}
	inverse.SetSym(0, 0, 1)
	inverse.SetSym(n-1, n-1, 1)
	var eigen mat.EigenSym
	if !eigen.Factorize(inverse, true) {
		panic(fmt.Sprintf("nn: the modes of %d cells", n)) // of a tridiagonal matrix the algorithm converges
	}
	basis, frequency = new(mat.Dense), eigen.Values(nil)
	eigen.VectorsTo(basis)
	for k, v := range frequency {
		frequency[k] = math.Acos(min(max((1+rho*rho-v)/(2*rho), -1), 1)) / (2 * math.Pi)
	}
	return basis, frequency
}

// knots has, for every pair of frequencies along both sides, the weights of the
// knots in log S and the 1/f² that S is a multiple of.
func knots(down, across []float64) (at, begin []float64) {
	for _, u := range down {
		for _, v := range across {
			f := math.Hypot(u, v)
			place := min(max(-2*math.Log2(f)-1, 0), spectrumKnots-1)
			for k := range spectrumKnots {
				at = append(at, max(0, 1-math.Abs(place-float64(k))))
			}
			begin = append(begin, spectrumBegin/(f*f))
		}
	}
	return at, begin
}

// spectrum is S, (1, rows, columns), for the frequencies along both. Its
// parameters are measured and not learned.
func (w Weights) spectrum(down, across []float64) *Node {
	at, begin := knots(down, across)
	p := widen(StopGradient(w["spectrum"]))
	constant := func(flat []float64, dims ...int) *Node {
		return ConvertDType(Const(p.Graph(), tensors.FromFlatDataAndDimensions(flat, dims...)), p.DType())
	}
	return Mul(Reshape(Exp(MatMul(constant(at, len(begin), spectrumKnots), p)), 1, len(down), len(across)), constant(begin, 1, len(down), len(across)))
}

// trust is the part of the blocks' correction that counts, 1/(1 + (r/8)²): the
// stronger the noise the less there is to gain on the filter, and the more of what
// the blocks have learned is chance.
func trust(logNoise *Node) *Node {
	return Inverse(OnePlus(Exp(MulScalar(AddScalar(widen(logNoise), -math.Log(8)), 2))))
}

// wiener is the linear estimate for e, (batch, 1, rows, columns), the best scalar
// denoiser's estimate in units of sd, and the part of head 0 that makes it the
// network's mean: (x̂ − e)/(r/√(1 + r²)). Written with
//
//	S/(S + r²) (1 + r²) − 1 = r² (S − 1)/(S + r²)
//
// nothing cancels where the noise is weak.
func (w Weights) wiener(e, logNoise *Node) (estimate, head *Node) {
	d := e.Shape().Dimensions
	rows, columns, wide := d[2], d[3], widen(e)
	// turn transforms the last axis by m and puts it before the other.
	turn := func(x, m *Node) *Node {
		at := x.Shape().Dimensions
		y := product(Reshape(x, -1, at[2]), StopGradient(ConvertDType(m, x.DType())))
		return Transpose(Reshape(y, at...), 1, 2)
	}
	constant := func(m *mat.Dense) *Node {
		return Const(e.Graph(), tensors.FromFlatDataAndDimensions(m.RawMatrix().Data, m.RawMatrix().Rows, m.RawMatrix().Cols))
	}
	acrossBasis, acrossFrequency := modes(columns)
	downBasis, downFrequency := modes(rows)
	across, down := constant(acrossBasis), constant(downBasis)
	waves := turn(turn(Reshape(wide, -1, rows, columns), across), down)
	s := w.spectrum(downFrequency, acrossFrequency)
	square := Exp(MulScalar(Reshape(widen(logNoise), -1, 1, 1), 2))
	gain := Mul(Sqrt(Mul(square, OnePlus(square))), Div(AddScalar(s, -1), Add(s, square)))
	head = turn(turn(Mul(waves, gain), Transpose(across, 0, 1)), Transpose(down, 0, 1))
	head = Reshape(head, d...)
	estimate = Add(wide, Mul(head, Reshape(Sqrt(Div(square, OnePlus(square))), -1, 1, 1, 1)))
	return ConvertDType(estimate, e.DType()), ConvertDType(head, e.DType())
}

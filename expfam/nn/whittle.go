package nn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Measured is a network with parameters that are not learned but measured on draws of the prior before the training.
type Measured interface {
	// Measure returns these parameters by name. It takes n draws by calling draw, which fills x. A draw has the
	// given number of cells, each with mean 0 and sd 1.
	Measure(cells, n int, draw func(x []float64)) (map[string][]float32, error)
}

// Unscaled is a [Measured] network whose Measure gets x₀ − μ in the unit of x₀.
type Unscaled interface{ Unscaled() }

// Measure estimates the spectrum by maximum likelihood, as if the coefficients of the modes were independent and normal
// (Whittle 1953). Let V be the mean square of each coefficient over the draws. Measure minimises
//
//	Σ log S(f) + V/S(f)
//
// over log S at the knots, plus a small multiple of the squared differences of neighbours. The longest waves of a grid
// are few, and do not determine the knots beside them without it; see [UNet.extended]. If the spectrum were
// learned together with the other weights, it would fit the errors of the blocks at frequent noise levels. It would
// then not be the best linear estimate at high noise, where the linear part decides.
func (n UNet) Measure(cells, draws int, draw func(x []float64)) (map[string][]float32, error) {
	if n.Plain {
		return nil, nil
	}
	downBasis, down := modes(n.Rows)
	acrossBasis, across := modes(n.Columns)
	at, begin := knots(down, across)
	cells -= n.Parameters
	x, square := make([]float64, cells+n.Parameters), make([]float64, cells)
	var half, waves mat.Dense
	for range draws {
		draw(x)
		half.Mul(downBasis.T(), mat.NewDense(n.Rows, n.Columns, x[:cells]))
		waves.Mul(&half, acrossBasis)
		for k, v := range waves.RawMatrix().Data {
			square[k] += v * v / float64(draws)
		}
	}
	// The 1e-6 in u is a small part of the variance begin. It keeps u positive even for smooth draws.
	logS, ratio := mat.NewVecDense(cells, nil), mat.NewVecDense(cells, nil)
	hat := mat.NewDense(cells, spectrumKnots, at)
	evaluate := func(p []float64) (loss float64) {
		logS.MulVec(hat, mat.NewVecDense(spectrumKnots, p))
		for k, v := range square {
			u := (v/begin[k] + 1e-6) * math.Exp(-logS.AtVec(k))
			ratio.SetVec(k, 1-u)
			loss += (logS.AtVec(k) + u) / float64(cells)
		}
		for k := 1; k < spectrumKnots; k++ {
			loss += roughness / 2 * (p[k] - p[k-1]) * (p[k] - p[k-1]) / float64(cells)
		}
		return loss
	}
	problem := optimize.Problem{Func: evaluate, Grad: func(gradient, p []float64) {
		evaluate(p)
		g := mat.NewVecDense(spectrumKnots, gradient)
		g.MulVec(hat.T(), ratio)
		for k := 1; k < spectrumKnots; k++ {
			slope := roughness * (p[k] - p[k-1])
			gradient[k], gradient[k-1] = gradient[k]+slope, gradient[k-1]-slope
		}
		g.ScaleVec(1/float64(cells), g)
	}}
	result, err := optimize.Minimize(problem, make([]float64, spectrumKnots),
		&optimize.Settings{GradientThreshold: 1e-8}, &optimize.BFGS{})
	// A line search may fail because of rounding errors. The minimum is then found already.
	if err != nil && (result == nil || !(floats.Norm(result.Gradient, math.Inf(1)) < 1e-4)) {
		return nil, fmt.Errorf("the spectrum of the draws: %w", err)
	}
	found := make([]float32, spectrumKnots)
	for k, v := range result.X {
		found[k] = float32(v)
	}
	return map[string][]float32{spectrumName: found}, nil
}

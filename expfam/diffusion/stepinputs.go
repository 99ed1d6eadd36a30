package diffusion

import (
	"math"

	"github.com/gomlx/compute/shapes"
)

// The numbers of a step enter its graph as one row. The open constants of the link follow them in the same row.
const (
	inSqrtAlpha = iota
	inV
	inA
	inB
	inC
	inS
	inSNR
	inClip
	inCoupling
	inRest
	inSkew
	inputs
)

// The outputs of a step's graph. In the comments m and s are the mean and the standard
// deviation of x₀ | x_t per cell, under the prior.
const (
	outX        = iota // x after the step, (batch, d)
	outEstimate        // the estimate of x₀ given x_t and y, (batch, d)
	outNorm            // Σx² over the batch
	outSD              // the largest s
	outDistance        // the largest |m|
	outProduct         // the largest s (s + |m|)
	outVar             // s² of the first draw, (1, d)
)

// shapes returns the shapes of the arguments of [compiler.graph] for a batch.
func (c *compiler) shapes(v variant, batch int, k kind) []shapes.Shape {
	d := c.prior.Dim()
	draws, data := shapes.Make(v.dtype, batch, d), shapes.Make(v.data, 1, c.forward.Data())
	all := []shapes.Shape{draws, draws, draws, data, data, shapes.Make(v.dtype, 1, inputs+len(c.values))}
	if dims := c.covariance.tableDims(k); dims != nil {
		all = append(all, shapes.Make(v.dtype, dims...))
	}
	if c.imputes(k) {
		all = append(all, shapes.Make(v.dtype, batch, 2*d))
	}
	if k == drawn {
		all = append(all, shapes.Make(v.dtype, batch, d+c.forward.Data()))
	}
	return all
}

// scalars returns the numbers of a step as one row, in the order of the indices inSqrtAlpha and
// so on, with the values of the link's open constants after them.
func (s *setup) scalars(g *graphs, step Step, rest bool) []float64 {
	row := append(make([]float64, inputs), s.values...)
	row[inSqrtAlpha], row[inV] = step.Level.SqrtAlpha, step.Level.V
	row[inA], row[inB], row[inC], row[inS] = step.A, step.B, step.C, step.S
	row[inSNR], row[inClip] = step.SNR, step.Clip
	if step.Clip == 0 {
		row[inClip] = math.MaxFloat32
	}
	row[inRest], row[inSkew] = step.Spread, step.Skew
	if rest {
		row[inRest] = 1
	}
	if g.coupled {
		row[inCoupling] = s.model.coupling(step.Level.Sigma())
	}
	return row
}

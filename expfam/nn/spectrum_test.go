package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// covariance is the sum of S(f) times the products of the eigenvectors of exp(−|i−j|/32) along both sides, which have
// the eigenvalues (1−ρ²)/(1 + ρ² − 2ρ cos 2πf); log S is linear between the knots, where it begins as 0.02/f² and is
// shifted.
func covariance(t *testing.T, rows, columns int, shift []float64) *mat.SymDense {
	t.Helper()
	rho := math.Exp(-1. / 32)
	modes := func(n int) (v *mat.Dense, f []float64) {
		c := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				c.SetSym(i, j, math.Pow(rho, float64(i-j)))
			}
		}
		var eigen mat.EigenSym
		must.Need(t, eigen.Factorize(c, true), "no eigenvalues")
		v = new(mat.Dense)
		eigen.VectorsTo(v)
		for _, value := range eigen.Values(nil) {
			f = append(f, math.Acos((1+rho*rho-(1-rho*rho)/value)/(2*rho))/(2*math.Pi))
		}
		return v, f
	}
	down, along := modes(rows)
	across, beside := modes(columns)
	c := mat.NewSymDense(rows*columns, nil)
	v := mat.NewVecDense(rows*columns, nil)
	for k := range rows {
		for l := range columns {
			f := math.Hypot(along[k], beside[l])
			place := -2*math.Log2(f) - 1
			at := min(max(int(math.Floor(place)), 0), 14)
			part := min(max(place-float64(at), 0), 1)
			s := 0.02 / (f * f) * math.Exp((1-part)*shift[at]+part*shift[at+1])
			for i := range rows * columns {
				v.SetVec(i, down.At(i/columns, k)*across.At(i%columns, l))
			}
			c.SymRankOne(c, s, v)
		}
	}
	return c
}

// With all else 0 the U-Net is C (C + r²)⁻¹ y, by dense linear algebra, at every noise level.
func TestWiener(t *testing.T) {
	var variance float64
	begin := covariance(t, 32, 32, make([]float64, 16))
	for i := range 32 * 32 {
		variance += begin.At(i, i) / (32 * 32)
	}
	must.Absolute(t, "the variance of a cell of 32×32 begins as", variance, 1, 0.3)
	shift, narrow := make([]float64, 16), make([]float32, 16)
	for k := range shift {
		shift[k] = 0.5 * math.Sin(float64(3*k))
		narrow[k] = float32(shift[k])
	}
	for _, c := range []struct{ rows, columns int }{{8, 8}, {4, 12}, {16, 2}} {
		t.Run(fmt.Sprintf("%dx%d", c.rows, c.columns), func(t *testing.T) {
			net := nn.UNet{Rows: c.rows, Columns: c.columns, Channels: 4, Multiples: []int{1, 2}, Embedding: 8}
			cells := c.rows * c.columns
			params := net.Params(cells, heads)
			flat := make([]float32, 0, nn.Count(params))
			for _, p := range params {
				if p.Name == "spectrum" {
					flat = append(flat, narrow...)
				} else {
					flat = append(flat, make([]float32, p.Size())...)
				}
			}
			prior := covariance(t, c.rows, c.columns, shift)
			rng := rand.New(rand.NewPCG(1, 2))
			enginetest.On(t, func(t *testing.T, e *engine.Engine) {
				exec := must.Get(graph.NewExec(e.Backend, func(flat, x, l *graph.Node) *graph.Node {
					return net.Apply(nn.Unpack(flat, params), nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l},
						heads)[0]
				}))(t)
				defer exec.Finalize()
				for _, r := range []float64{0.01, 0.3, 1, 10, 300} {
					y := mat.NewVecDense(cells, nil)
					estimate := [][]float32{make([]float32, cells)}
					for j := range cells {
						y.SetVec(j, math.Hypot(1, r)*rng.NormFloat64())
						estimate[0][j] = float32(y.AtVec(j) / (1 + r*r))
					}
					noisy := mat.NewSymDense(cells, nil)
					noisy.CopySym(prior)
					for j := range cells {
						noisy.SetSym(j, j, noisy.At(j, j)+r*r)
					}
					var chol mat.Cholesky
					must.Need(t, chol.Factorize(noisy), "the covariance is not positive definite")
					var want mat.VecDense
					must.Do(t, chol.SolveVecTo(&want, y))
					want.MulVec(prior, &want)
					level := [][]float32{{float32(math.Log(r))}}
					out := must.Get(exec.Call(flat, estimate, level))(t)
					for j, f := range enginetest.Float64s(out[0]) {
						got := float64(estimate[0][j]) + f*r/math.Hypot(1, r)
						// Sums of up to 100 products of float32.
						must.Need(t, math.Abs(got-want.AtVec(j)) <= 1e-5*mat.Norm(&want, math.Inf(1)),
							"r = %g, cell %d: %g, want %g", r, j, got, want.AtVec(j))
					}
				}
			})
		})
	}
}

package simulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/simulate"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// side is the number of rows and columns of rough images.
const side = 16

// rough are Gaussian images whose covariance falls exponentially with the distance.
type rough struct{ root *mat.Dense }

func newRough(t testing.TB) (rough, *mat.SymDense) {
	p := gp.Process{Kernel: gp.Matern{Smoothness: 0.5}, Rows: side, Cols: side, Length: 4, SD: 1}
	_, cov, err := p.Given(nil)
	must.Do(t, err)
	return rough{must.Get(latent.Factor("test", cov))(t)}, cov
}

func (r rough) String() string            { return "rough images" }
func (r rough) Dim() int                  { return side * side }
func (r rough) Lattice() (rows, cols int) { return side, side }
func (r rough) Concurrent()               {}
func (r rough) Draw(rng *rand.Rand, x []float64) {
	z := make([]float64, len(x))
	for j := range z {
		z[j] = rng.NormFloat64()
	}
	mat.NewVecDense(len(x), x).MulVec(r.root, mat.NewVecDense(len(x), z))
}

// nodes is the number of nodes of the exact posterior of a score.
const nodes = 41

func node(i int) float64 { return -4 + 8*float64(i)/(nodes-1) }

// blurred returns the covariances of images of contrast 1 for all nodes of the blur.
func blurred(sim simulate.Image, cov *mat.SymDense) []*mat.SymDense {
	out := make([]*mat.SymDense, nodes)
	d := sim.Dim()
	for i := range out {
		k, x := mat.NewDense(d, d, nil), make([]float64, d)
		for j := range d {
			clear(x)
			x[j] = 1
			sim.Degrade([]float64{1, law.At(sim.Parameters()[1].Law, node(i))}, x)
			k.SetCol(j, x)
		}
		var root mat.Dense
		var chol mat.Cholesky
		chol.Factorize(cov)
		root.Mul(k, chol.RawU().T())
		out[i] = mat.NewSymDense(d, nil)
		out[i].SymOuterK(1, &root)
	}
	return out
}

// exact returns the exact posterior means and standard deviations of both scores, and of the first cells, given
// images y with independent noise.
func exact(sim simulate.Image, covs []*mat.SymDense, y []float64, noise float64, cells int) (mean, sd []float64) {
	d := len(y)
	var logs []float64
	var moments [][]float64 // for each pair of nodes the scores, and means and mean squares of the cells
	all, data := mat.NewSymDense(d, nil), mat.NewVecDense(d, y)
	for i, cov := range covs {
		for k := range nodes {
			c2 := math.Pow(law.At(sim.Parameters()[0].Law, node(k)), 2)
			all.ScaleSym(c2, cov)
			for j := range d {
				all.SetSym(j, j, all.At(j, j)+noise*noise)
			}
			var chol mat.Cholesky
			chol.Factorize(all)
			var solved, row, gain mat.VecDense
			chol.SolveVecTo(&solved, data)
			logs = append(logs, -(node(i)*node(i)+node(k)*node(k)+chol.LogDet()+mat.Dot(&solved, data))/2)
			m := []float64{node(k), node(k) * node(k), node(i), node(i) * node(i)}
			for j := range cells {
				row.ScaleVec(c2, mat.NewVecDense(d, mat.Col(nil, j, cov)))
				chol.SolveVecTo(&gain, &row)
				at := mat.Dot(&row, &solved)
				m = append(m, at, at*at+c2*cov.At(j, j)-mat.Dot(&row, &gain))
			}
			moments = append(moments, m)
		}
	}
	total := floats.LogSumExp(logs)
	sum := make([]float64, len(moments[0]))
	for i, m := range moments {
		floats.AddScaled(sum, math.Exp(logs[i]-total), m)
	}
	for k := 0; k < len(sum); k += 2 {
		mean, sd = append(mean, sum[k]), append(sd, math.Sqrt(sum[k+1]-sum[k]*sum[k]))
	}
	return mean, sd
}

// TestBlur: contrast and blur of Gaussian images are those of the exact posterior.
func TestBlur(t *testing.T) {
	e := must.Get(engine.Default())(t)
	if !*fulltest.Full || !strings.Contains(e.String(), "cuda") {
		t.Skip("trains for four minutes on a GPU, and for hours on processors; run with -full on a GPU")
	}
	of, cov := newRough(t)
	sim := simulate.Image{Of: of}
	net := nn.UNet{Rows: side, Columns: side, Multiples: []int{1, 2, 4}}
	prior := must.Get(learn.Train(sim, learn.Training{Net: net, Steps: 10000, Batch: 256, Rate: 1e-3,
		Optimizer: learn.Muon{}}))(t)
	covs := blurred(sim, cov)
	const sets, cells, noise = 12, 2, 0.3
	like := expfam.Likelihood{Family: expfam.Normal{SD: noise}}
	names := []string{"contrast", "blur", "cells"}
	off, ratio := make([]float64, 3), make([]float64, 3)
	for s := range sets {
		rng := expfam.Stream(uint64(s), "blurred images")
		y := make([]float64, sim.Dim())
		sim.Draw(rng, y)
		for j := range y {
			y[j] += noise * rng.NormFloat64()
		}
		mean, sd := exact(sim, covs, y, noise, cells)
		post := must.Get(diffusion.Sample(prior, like, must.Get(like.Observe1(y...))(t),
			diffusion.Sampler{Draws: 200, Seed: 1, Fresh: true}))(t)
		for k := range mean {
			draws := mat.Col(nil, max(0, k-2), post.X)
			if k < 2 {
				draws = slices.Clone(post.Parameters[k].Draws)
				for i, v := range draws {
					draws[i] = law.Score(sim.Parameters()[k].Law, v)
				}
			}
			m, w := stat.MeanStdDev(draws, nil)
			n, each := min(k, 2), float64(sets)
			if n == 2 {
				each *= cells
			}
			off[n] += math.Abs(m-mean[k]) / sd[k] / each
			ratio[n] += w / sd[k] / each
		}
	}
	for k, name := range names {
		t.Logf("%s: means %.3f sd off, widths %.3f", name, off[k], ratio[k])
		// 200 draws have means 0.056 sd off; the rest is the network's.
		must.Be(t, off[k] <= 0.25 && math.Abs(ratio[k]-1) <= 0.15, "%s: means %.3f sd off, widths %.3f", name, off[k],
			ratio[k])
	}
}

// TestDegrade: the blur of an image is the operator of this blur.
func TestDegrade(t *testing.T) {
	of, _ := newRough(t)
	sim := simulate.Image{Of: of}
	x := make([]float64, sim.Dim())
	of.Draw(expfam.Stream(1, "degrade"), x)
	blur := &operator.Convolution{Rows: side, Cols: side, Kernel: operator.Gaussian{SD: 1.3}}
	want := enginetest.Call(t, enginetest.Open(t, "go"), blur.Apply, [][]float64{x})[0]
	sim.Degrade([]float64{2, 1.3}, x)
	for j, v := range want {
		must.Be(t, math.Abs(x[j]-2*v) <= 1e-12, "cell %d is %g, and twice the blurred one %g", j, x[j], 2*v)
	}
}

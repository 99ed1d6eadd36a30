package increments

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/level"
)

// CDPS is diffusion posterior sampling for Normal data in the form of Chung et al. (2023, algorithm 1), which the
// benchmark uses. With D = E[x₀ | x_t] and f = ½|y − A D|², every ancestral step of the prior is followed by
//
//	x ← x − (Zeta/√f) ∇f,  ∇ with respect to x_t.
//
// CDPS is a method and its guidance in one. It takes N evaluations of the network and N Jacobian products.
// diffusion.DPS is the form of the paper, in which the gradient is a part of the score instead.
type CDPS struct {
	A    *mat.Dense
	Zeta float64
	N    int // steps, equal in time. Default 1000
	VP   level.VP
}

func (m CDPS) n() int { return cmp.Or(m.N, 1000) }

// String names everything except A, which the operator of the likelihood also holds.
func (m CDPS) String() string { return fmt.Sprintf("c-dps(zeta=%g, n=%d)", m.Zeta, m.n()) }

// Check refuses a Zeta that is no positive number.
func (m CDPS) Check() error {
	if !(m.Zeta > 0) || math.IsInf(m.Zeta, 1) || m.A == nil {
		return fmt.Errorf("increments: %v; give A and a positive Zeta", m)
	}
	return nil
}

// Steps returns the ancestral steps of the diffusion (Ho et al. 2020).
func (m CDPS) Steps() []diffusion.Step {
	const end = 3e-4 // the time at which the steps end, at a noise of 0.001
	var steps []diffusion.Step
	for i := range m.n() {
		time := func(i int) float64 { return end + (1-end)*float64(m.n()-i)/float64(m.n()) }
		from, to := m.VP.Level(time(i)), m.VP.Level(time(i+1))
		steps = append(steps, ancestral(from, to))
	}
	return steps
}

// ancestral returns the step that draws from q(x_s | x_t, x₀ = D).
func ancestral(from, to level.Level) diffusion.Step {
	kept := math.Pow(to.Sigma()/from.Sigma(), 2)
	return diffusion.Step{Level: from, A: kept * to.SqrtAlpha / from.SqrtAlpha, B: (1 - kept) * to.SqrtAlpha,
		S: to.Sigma() * math.Sqrt(1-kept) * to.SqrtAlpha}
}

// Shift returns −(Zeta/√f) ∇f, divided by the weight B that the step at this level gives to an estimate of x₀.
func (m CDPS) Shift(p *diffusion.Point) *Node {
	g, dtype := p.X.Graph(), p.X.DType()
	var sigmas, weights []float64
	for _, s := range m.Steps() {
		sigmas, weights = append(sigmas, math.Log(s.Level.Sigma())), append(weights, s.B)
	}
	row := func(v []float64) *Node { return ConvertDType(Const(g, [][]float64{v}), dtype) }
	// The step of this level is the step with the nearest σ.
	gap := Abs(Sub(row(sigmas), Log(p.Level.Sigma())))
	nearest := LessOrEqual(gap, ReduceAndKeep(gap, ReduceMin, -1))
	weight := ReduceAndKeep(Where(nearest, row(weights), ZerosLike(gap)), ReduceMax, -1)

	rows, cols := m.A.Dims()
	a := ConvertDType(Const(g, tensors.FromFlatDataAndDimensions(mat.DenseCopyOf(m.A.T()).RawMatrix().Data, cols,
		rows)), dtype)
	// Sizes are 1/σ², and statistics y/σ². Sizes may be 0, because the sampler asks once for the prior without data.
	y := ConvertDType(Div(p.Stat, MaxScalar(p.Size, 1e-30)), dtype)
	seen := ConvertDType(GreaterThan(p.Size, ZerosLike(p.Size)), dtype)
	f := MulScalar(ReduceAndKeep(Square(Mul(seen, Sub(y, MatMul(p.Mean, StopGradient(a))))), ReduceSum, -1), 0.5)
	slope := p.Pull(ReduceAllSum(MulScalar(Sqrt(AddScalar(f, 1e-20)), -2*m.Zeta))) // ∇√f = ∇f/(2√f)
	return Div(slope, weight)
}

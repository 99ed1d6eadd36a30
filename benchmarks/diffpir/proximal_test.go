package diffpir

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// The proximal estimate of Normal data has a closed form; that of counts has no slope left, of
// cells and of sums of intensities.
func TestProximalIsTheMinimum(t *testing.T) {
	const lambda = 3.
	rows := [][]float64{{1, 0.5, 0, 0, 0, 0.2}, {0, 0, 1, 1, 0.5, 0}, {0.3, 0.3, 0.3, 0.3, 0.3, 0.3}}
	var flat []float64
	for _, row := range rows {
		flat = append(flat, row...)
	}
	behind := operator.Offset{Of: &operator.Dense{Matrix: mat.NewDense(3, 6, flat)}, Each: []float64{0.1, 0.2, 0.3}}
	mean := []float64{0.3, -1, 0.5, 0, 0.2, 0.1}
	precision := lambda * 0.64 / 0.36 // Λ/σ² at √α = 0.8, v = 0.36
	for _, like := range []expfam.Likelihood{
		{Family: expfam.Normal{}, Operator: behind}, {Family: expfam.Poisson{}, Operator: behind},
		{Family: expfam.Poisson{}},
		{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: behind}},
		{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: behind},
			Link: expfam.MustLink("log1p(exp(x))")},
	} {
		terms := expfam.Must(like.Terms())
		f := expfam.Must(terms.Forward(6))
		obs := make(expfam.Observations, f.Data())
		for k := range obs {
			obs[k] = expfam.Term{Stat: float64(3 + 2*k), Size: 2}
		}
		row := func(v []float64) [][]float64 { return [][]float64{v} }
		shift := benchtest.Call(t, func(mean, stat, size *g.Node) *g.Node {
			at := level.Nodes{SqrtAlpha: g.ConstAs(mean, 0.8), V: g.ConstAs(mean, 0.36)}
			return Proximal{Lambda: lambda, Newton: 14, Steps: 8}.shift(f.Parts, at, mean, stat, size)
		}, row(mean), row(obs.Stats()), row(obs.Sizes()))[0]
		x, slope := make([]float64, 6), make([]float64, 6)
		for j, d := range shift {
			x[j] = mean[j] + d
		}
		f.LogLikSlope(x, obs, slope)
		for j, d := range shift {
			// Steps without the curvature of a sum's link leave about a third of the residual each.
			if want := d * precision; math.Abs(slope[j]-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%v, cell %d: slope %.8g, want %.8g", like, j, slope[j], want)
			}
		}
		if like.Family != (expfam.Normal{}) {
			continue
		}
		// (Size HᵀH + Λ/σ²) x = Hᵀ(Stat − Size offset) + Λ/σ² m.
		a, b := mat.NewSymDense(6, nil), mat.NewVecDense(6, nil)
		for i := range 6 {
			a.SetSym(i, i, precision)
			b.SetVec(i, precision*mean[i])
		}
		for k, row := range rows {
			v := mat.NewVecDense(6, row)
			a.SymRankOne(a, 2, v)
			b.AddScaledVec(b, obs[k].Stat-2*f.Parts[0].Offset[k], v)
		}
		var chol mat.Cholesky
		chol.Factorize(a)
		must.Do(t, chol.SolveVecTo(b, b))
		for j, v := range x {
			must.Be(t, math.Abs(v-b.AtVec(j)) <= 1e-9, "cell %d: %.12g, want %.12g", j, v, b.AtVec(j))
		}
	}
}

// A step of DiffPIR is its formula.
func TestDiffPIRSteps(t *testing.T) {
	m := DiffPIR{N: 4, Zeta: 0.36, Start: 10}
	steps := m.Steps()
	if len(steps) != 4 || math.Abs(steps[0].Level.Sigma()-10) > 1e-12 {
		t.Fatalf("%d steps from %g", len(steps), steps[0].Level.Sigma())
	}
	for i, s := range steps[:3] {
		from, to := s.Level, steps[i+1].Level
		const x, estimate, z = 0.7, -0.4, 1.3
		noise := (x/from.SqrtAlpha - estimate) / from.Sigma()
		want := to.SqrtAlpha * (estimate + to.Sigma()*(0.8*noise+0.6*z))
		got := s.A*x + s.B*estimate + s.S*z
		must.Be(t, math.Abs(got-want) <= 1e-12*(1+math.Abs(want)), "step %d makes %.15g, want %.15g", i, got, want)
	}
	for _, c := range []struct {
		s    diffusion.Sampler
		want string
	}{
		{diffusion.Sampler{Method: DiffPIR{Zeta: 1.5}}, "Zeta must lie in (0, 1]"},
		{diffusion.Sampler{Method: DiffPIR{Start: 1e4}}, "its top"},
		{diffusion.Sampler{Method: DiffPIR{N: 1}}, "use at least 2 evaluations"},
		{diffusion.Sampler{Guidance: Proximal{Lambda: -1}}, "give a positive Lambda"},
		{diffusion.Sampler{Guidance: Proximal{Steps: -1}}, "cg=-1"},
	} {
		like, nothing := expfam.Likelihood{Family: expfam.Normal{}}, make(expfam.Observations, 6)
		must.Refuse(diffusion.Sample(gp.RBF{Cells: 6}, like, nothing, c.s))(t, c.want)
	}
}

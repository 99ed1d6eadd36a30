package joint

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

// expansion is the mode of a sparse field to first order around scores: û(t + d) ≈ û(t) + Σ_k d_k ∂û/∂t_k.
type expansion struct {
	t, mode  []float64
	tangents [][]float64
}

// at returns the mode at scores.
func (e *expansion) at(t []float64) []float64 {
	u := append([]float64(nil), e.mode...)
	for k, tangent := range e.tangents {
		floats.AddScaled(u, t[k]-e.t[k], tangent)
	}
	return u
}

// gradient returns the log posterior density of scores of a sparse field by Laplace's approximation, its gradient, and
// the mode around them. The density is −∞ where the field has no mode.
func (m *model) gradient(t []float64) (value float64, slope []float64, around *expansion) {
	const h = 1e-3
	slope = make([]float64, len(t))
	value, a := m.weigh(t)
	if a == nil {
		return value, slope, nil
	}
	around = &expansion{t: append([]float64(nil), t...), mode: a.Mode}
	for k := range t {
		var sides [2]latent.Nearby
		for s := range sides {
			moved := append([]float64(nil), t...)
			moved[k] += h * float64(2*s-1)
			values := m.values(moved)
			data, err := m.tuner(values[m.own:])
			if err != nil {
				return math.Inf(-1), slope, nil
			}
			sides[s] = latent.Nearby{Values: values[:m.own], Data: data}
		}
		change, tangent, err := a.Difference(sides[0], sides[1])
		if err != nil {
			return math.Inf(-1), slope, nil
		}
		if slope[k] = change / (2 * h); !m.flat {
			slope[k] -= t[k] // of the law
		}
		floats.Scale(1/(2*h), tangent)
		around.tangents = append(around.tangents, tangent)
	}
	return value, slope, around
}

// ascend goes from a point to a maximum of the posterior density of a sparse field's parameters, by the method of
// Broyden, Fletcher, Goldfarb and Shanno. Searches for modes start from the expansion around the best point so far.
func (m *model) ascend(ctx context.Context, start []float64, step func()) (mode []float64, top float64) {
	mode, top = start, math.Inf(-1)
	var last struct {
		t, slope []float64
		value    float64
	}
	at := func(t []float64) {
		if floats.Equal(last.t, t) {
			return
		}
		last.t, last.value = append([]float64(nil), t...), math.Inf(-1)
		if ctx.Err() != nil {
			last.slope = make([]float64, len(t))
			return
		}
		var around *expansion
		last.value, last.slope, around = m.gradient(t)
		if last.value > top {
			mode, top, m.modes.around = last.t, last.value, around
		}
		step()
	}
	problem := optimize.Problem{
		Func: func(t []float64) float64 {
			at(t)
			return -math.Max(last.value, -1e100)
		},
		Grad: func(gradient, t []float64) {
			at(t)
			floats.ScaleTo(gradient, -1, last.slope)
		},
	}
	settings := &optimize.Settings{MajorIterations: 15, GradientThreshold: 0.05,
		Converger: &optimize.FunctionConverge{Absolute: 1e-2, Iterations: 1}}
	_, _ = optimize.Minimize(problem, start, settings, &optimize.BFGS{GradStopThreshold: 0.05})
	return mode, top
}

// information returns the information of the evidence at scores, by differences of its gradient.
func (m *model) information(mode []float64, step func()) *mat.SymDense {
	const h = 0.2
	p := len(mode)
	slopes := make([][]float64, 2*p)
	parallel.For(2*p, parallel.Heavy, func(i int) {
		t := append([]float64(nil), mode...)
		t[i/2] += h * float64(2*(i%2)-1)
		_, slopes[i], _ = m.gradient(t)
		step()
	})
	information := mat.NewSymDense(p, nil)
	for i := range p {
		for j := range i + 1 {
			v := (slopes[2*i][j] - slopes[2*i+1][j] + slopes[2*j][i] - slopes[2*j+1][i]) / (4 * h)
			if !finite(v) && i == j {
				v = 1
			} else if !finite(v) {
				v = 0
			}
			information.SetSym(i, j, v)
		}
	}
	return information
}

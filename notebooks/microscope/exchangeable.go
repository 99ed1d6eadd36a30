package microscope

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
)

// Exchangeable is a likelihood of m cells that are alike under the prior: x₀ ~ N(0, (1−ρ)
// I + ρ 11ᵀ), so every two cells have correlation ρ. Given x_t the cells are still alike:
//
//	x₀ⱼ = mⱼ + √b z + √a zⱼ,  b = (c − a)/m,
//
// with independent standard normal z, z₁, …, z_m. Here c is the variance of x₀ | x_t along the direction (1, …, 1)/√m,
// and a is the variance orthogonal to it. Both are λv/(αλ+v), with λ = 1−ρ+mρ for c and λ = 1−ρ for a. Given z the
// cells are independent. Therefore p(y | x_t) is an integral over z of a product of integrals, one for each cell, and
// is computed exactly for any m. Guidances are compared with it.
type Exchangeable struct {
	Likelihood expfam.Likelihood
	Obs        expfam.Observations // one term per cell; their number is m
}

// Scene is a prior correlation, a noise level and a point x_t at which Exchangeable evaluates its m cells.
type Scene struct {
	Rho   float64     // correlation of the prior, 0 ≤ ρ < 1
	Level level.Level // of x_t
	X     []float64   // x_t of each cell; nil means 0 in all cells
}

// Moments returns the mean of x₀ | x_t, its variance along (1, …, 1), and its variance
// orthogonal to (1, …, 1): c and a of [Exchangeable].
func (s Scene) Moments(cells int) (mean []float64, along, across float64) {
	m := float64(cells)
	variance := func(lambda float64) float64 {
		return lambda * s.Level.V / (s.Level.SqrtAlpha*s.Level.SqrtAlpha*lambda + s.Level.V)
	}
	along, across = variance(1-s.Rho+m*s.Rho), variance(1-s.Rho)
	mean = make([]float64, cells)
	if s.X == nil {
		return mean, along, across
	}
	gain := s.Level.SqrtAlpha / s.Level.V
	common := floats.Sum(s.X) / m
	for j, x := range s.X {
		mean[j] = gain * (across*(x-common) + along*common)
	}
	return mean, along, across
}

func (e Exchangeable) check(scenes []Scene) (*expfam.Terms, error) {
	if len(e.Obs) == 0 {
		return nil, errors.New("exchangeable: there are no observations; give Obs one term for each cell")
	}
	for i, s := range scenes {
		if !(s.Rho >= 0 && s.Rho < 1) {
			return nil, fmt.Errorf("exchangeable: scene %d: the correlation is %g; it must be at least 0 and below 1",
				i, s.Rho)
		}
		if !(s.Level.SqrtAlpha > 0 && s.Level.V > 0) {
			return nil, fmt.Errorf("exchangeable: scene %d: level %+v; both parts must be positive", i, s.Level)
		}
		if s.X != nil && len(s.X) != len(e.Obs) {
			return nil, fmt.Errorf("exchangeable: scene %d: %d values of x_t for %d cells", i, len(s.X), len(e.Obs))
		}
	}
	terms, err := e.Likelihood.Terms()
	if err != nil {
		return nil, err
	}
	return terms, terms.Cellwise()
}

// Exact returns log p(y | x_t) of every scene, and the shift of each cell,
// E[x₀ | x_t, y] − E[x₀ | x_t] = (v/√α) ∇ log p(y | x_t).
func (e Exchangeable) Exact(scenes ...Scene) (logs []float64, shifts [][]float64, err error) {
	terms, err := e.check(scenes)
	if err != nil {
		return nil, nil, err
	}
	logs, shifts = make([]float64, len(scenes)), make([][]float64, len(scenes))
	each(len(scenes), func(i int) { logs[i], shifts[i] = e.exact(terms, scenes[i]) })
	return logs, shifts, nil
}

const (
	commonReach  = 10  // largest |z| of the integral over z, in standard deviations
	commonCoarse = 33  // points of the coarse pass over z
	commonFine   = 65  // points of the fine pass over z
	cellPoints   = 192 // points of the integral over one cell
)

func (e Exchangeable) exact(terms *expfam.Terms, s Scene) (float64, []float64) {
	mean, along, across := s.Moments(len(e.Obs))
	sd := math.Sqrt((along - across) / float64(len(e.Obs)))
	// Cells with equal data and equal means are integrated once.
	type kind struct {
		term expfam.Term
		mean float64
	}
	first := map[kind]int{}
	same := make([]int, len(e.Obs))
	for j, t := range e.Obs {
		k := kind{t, mean[j]}
		if _, ok := first[k]; !ok {
			first[k] = j
		}
		same[j] = first[k]
	}
	// at returns the logarithm of the integrand at z, and E[x₀ⱼ | z, y] of each cell.
	at := func(z float64) (float64, []float64) {
		value, means, tilted := -z*z/2-math.Log(2*math.Pi)/2, make([]float64, len(e.Obs)), make([]LogScore, len(e.Obs))
		for j := range e.Obs {
			if same[j] == j {
				tilted[j] = gaussianEvidence(terms, e.Obs[j], mean[j]+sd*z, across, cellPoints)
			}
			value += tilted[same[j]].Log
			means[j] = mean[j] + sd*z + across*tilted[same[j]].Slope
		}
		return value, means
	}
	// A coarse pass finds the interval that holds the mass; a fine pass integrates over it.
	z := floats.Span(make([]float64, commonCoarse), -commonReach, commonReach)
	values := make([]float64, commonCoarse)
	for i := range z {
		values[i], _ = at(z[i])
	}
	low, high := floats.MaxIdx(values), floats.MaxIdx(values)
	for top := floats.Max(values); low > 0 && values[low] > top-sumFall; low-- {
	}
	for top := floats.Max(values); high < commonCoarse-1 && values[high] > top-sumFall; high++ {
	}
	z = floats.Span(make([]float64, commonFine), z[low], z[high])
	values = make([]float64, commonFine)
	means := make([][]float64, commonFine)
	for i := range z {
		values[i], means[i] = at(z[i])
	}
	log := normalise(values) + math.Log(z[1]-z[0])
	shift := make([]float64, len(e.Obs))
	for j := range shift {
		for i, w := range values {
			shift[j] += w * (means[i][j] - mean[j])
		}
	}
	return log, shift
}

// Shift returns the shift that a guidance computes, for every scene and cell. One graph serves all scenes.
func (e Exchangeable) Shift(guide diffusion.Guidance, scenes ...Scene) ([][]float64, error) {
	terms, err := e.check(scenes)
	if err != nil {
		return nil, err
	}
	m := len(e.Obs)
	backend, err := engine.Float64()
	if err != nil {
		return nil, fmt.Errorf("exchangeable: %w", err)
	}
	exec, err := NewExec(backend.Backend, func(in []*Node) *Node {
		x, stat, size := in[0], in[1], in[2]
		column := func(k int) *Node { return Slice(in[3], AxisRange(), AxisElem(k)) }
		at := level.Nodes{SqrtAlpha: column(0), V: column(1)}
		along, across := column(2), column(3)
		common := ReduceAndKeep(x, ReduceMean, -1)
		mean := Mul(Div(at.SqrtAlpha, at.V), Add(Mul(across, Sub(x, common)), Mul(along, common)))
		variance := Add(across, DivScalar(Sub(along, across), float64(m)))
		p := &diffusion.Point{X: x, Level: at, Mean: mean, Var: BroadcastToDims(variance, x.Shape().Dimensions...),
			Stat: stat, Size: size, Terms: terms}
		p.SetCoupling(Div(along, variance))
		return guide.Shift(p)
	})
	if err != nil {
		return nil, fmt.Errorf("exchangeable: %w", err)
	}
	defer exec.Finalize()
	x, columns := make([]float64, 0, len(scenes)*m), make([]float64, 0, len(scenes)*4)
	for _, s := range scenes {
		at := s.X
		if at == nil {
			at = make([]float64, m)
		}
		_, along, across := s.Moments(m)
		x, columns = append(x, at...), append(columns, s.Level.SqrtAlpha, s.Level.V, along, across)
	}
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(x, len(scenes), m), [][]float64{e.Obs.Stats()},
		[][]float64{e.Obs.Sizes()}, tensors.FromFlatDataAndDimensions(columns, len(scenes), 4))
	if err != nil {
		return nil, fmt.Errorf("exchangeable: %v under %v: %w", guide, e.Likelihood, err)
	}
	flat := tensors.MustCopyFlatData[float64](out[0])
	shifts := make([][]float64, len(scenes))
	for i := range shifts {
		shifts[i] = flat[i*m : (i+1)*m]
	}
	return shifts, engine.Release(out...)
}

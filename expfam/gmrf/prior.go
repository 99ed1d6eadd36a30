package gmrf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/machine"
)

// Prior is a stationary field on a grid: the lattice version of the stochastic partial differential equation
//
//	(κ² − Δ)^{α/2} u = white noise,
//
// whose solution on the plane has a Matérn covariance of smoothness ν = α − 1 (Lindgren, Rue & Lindström 2011, JRSS B
// 73). On the grid u has the precision M^α with M = κ² − Δ, where Δ is the five-point Laplacian that reflects at the
// edges. The variance of u is larger near the edges: twice as large at an edge, four times in a corner. So f is u
// scaled cell by cell to variance SD². The correlations near the edges remain the correlations of a reflected field.
//
// The field also covers cells outside of the domain, which are cells without data.
type Prior struct {
	Grid grid.Grid
	// Range is the distance at which the correlation is near 0.14, in the unit of the axes: κ = √8/Range. On a sphere
	// it is in the unit of Radius, and the width of a cell is taken at the middle latitude. Default: fitted.
	Range float64
	// SD is the standard deviation of the field f in every cell. Default: fitted.
	SD float64
	// Nugget τ is the standard deviation of independent effects e of single cells: x₀ = μ
	// + f + e. For counts they are dispersion beyond the dispersion of the family. Default 0,
	// no effects. FitNugget fits the nugget, between 0.01 and 10; leave Nugget 0 then.
	Nugget    float64
	FitNugget bool
	// Level and LevelSD are the mean and the standard deviation of μ, which is inferred with the field. Default 0 and
	// 10, which is vague for a logarithm. With KnownLevel μ equals Level; leave LevelSD 0 then.
	Level, LevelSD float64
	KnownLevel     bool
	// Alpha is α, 1 or 2. Default 2, which means ν = 1. With 1 the field is the proper first-order conditional
	// autoregression, rougher than any Matérn field (ν = 0; κ = √8/Range is then a definition). With a Range far larger
	// than the grid, the field of either α is the intrinsic random walk of order α, up to level and scale.
	Alpha int
}

func (p Prior) orDefault() (Prior, error) {
	if err := p.Grid.Check(); err != nil {
		return p, fmt.Errorf("gmrf: %w", err)
	}
	if p.KnownLevel && p.LevelSD != 0 {
		return p, fmt.Errorf("gmrf: the level is known and has the sd %g; leave one of the two out", p.LevelSD)
	}
	if p.FitNugget && p.Nugget != 0 {
		return p, fmt.Errorf("gmrf: the nugget is %g and to be fitted; leave one of the two out", p.Nugget)
	}
	if p.LevelSD == 0 && !p.KnownLevel {
		p.LevelSD = 10
	}
	p.Alpha = cmp.Or(p.Alpha, 2)
	if p.Alpha != 1 && p.Alpha != 2 {
		return p, fmt.Errorf("gmrf: alpha is %d; use 1 or 2, or 0 for 2", p.Alpha)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"range", p.Range}, {"sd", p.SD}} {
		if !(v.value >= 0) || math.IsInf(v.value, 1) {
			return p, fmt.Errorf("gmrf: %s is %g; it must be positive, or 0 to be fitted", v.name, v.value)
		}
	}
	// The precision has a condition number of some (range/spacing)^2α, of which rounding leaves nothing beyond.
	across, down := p.Grid.Spacing()
	if most := math.Pow(2000, 2/float64(p.Alpha)) * math.Min(across, down); p.Range > most {
		return p, fmt.Errorf("gmrf: range is %g, at which the precision of these cells is singular to rounding; take "+
			"at most %.3g, which is a level for all cells just as well", p.Range, most)
	}
	if !(p.Nugget >= 0) || math.IsInf(p.Nugget, 0) {
		return p, fmt.Errorf("gmrf: nugget is %g; it must be positive, or 0 for none; FitNugget fits it", p.Nugget)
	}
	if s := p.Level + p.LevelSD; math.IsNaN(s) || math.IsInf(s, 0) || p.LevelSD < 0 {
		return p, fmt.Errorf("gmrf: level %g with sd %g; both must be finite and the sd positive; KnownLevel takes "+
			"the level as it is", p.Level, p.LevelSD)
	}
	return p, nil
}

// known returns the prior with its defaults and its spectrum. It is an error if a hyperparameter is left to fit.
func (p Prior) known() (Prior, *spectrum, error) {
	p, err := p.orDefault()
	if err != nil {
		return p, nil, err
	}
	if p.Range == 0 || p.SD == 0 {
		return p, nil, fmt.Errorf("gmrf: range %g and sd %g; a prior that is drawn from needs both positive; "+
			"Prior.Fitted sets them", p.Range, p.SD)
	}
	if p.FitNugget {
		return p, nil, errors.New("gmrf: the nugget is to be fitted; a prior that is drawn from needs a known " +
			"nugget; Prior.Fitted sets it")
	}
	return p, p.lattice().spectrum(p.Alpha, p.Range), nil
}

// Draw returns a draw of x₀ from the prior, nugget included. Range and SD must be given.
func (p Prior) Draw(rng *rand.Rand) ([]float64, error) {
	p, s, err := p.known()
	if err != nil {
		return nil, err
	}
	level := p.Level + p.LevelSD*rng.NormFloat64()
	z := mat.NewDense(s.rows, s.cols, nil)
	for k, v := range s.inverse.RawMatrix().Data {
		z.RawMatrix().Data[k] = math.Sqrt(v) * rng.NormFloat64()
	}
	x := make([]float64, p.Grid.Len())
	for k, v := range s.synthesise(z).RawMatrix().Data {
		x[s.order[k]] = level + p.SD*v/s.scale[k]
	}
	if p.Nugget > 0 {
		for j := range x {
			x[j] += p.Nugget * rng.NormFloat64()
		}
	}
	return x, nil
}

// Gaussian returns the same prior with its covariance matrix, for small grids. Package hmc
// and the diffusion samplers take such a prior. Range and SD must be given.
func (p Prior) Gaussian() (*gp.Gaussian, error) {
	n := p.Grid.Len()
	if err := machine.Fits(fmt.Sprintf("gmrf: a covariance of %d cells", n), 64*float64(n)*float64(n),
		"take Field or gmrf.Sample, or a coarser grid"); err != nil {
		return nil, err
	}
	p, s, err := p.known()
	if err != nil {
		return nil, err
	}
	mean, cov := make([]float64, n), mat.NewSymDense(n, nil)
	shared := p.LevelSD * p.LevelSD
	for k, i := range s.order {
		mean[i] = p.Level
		unit := mat.NewDense(s.rows, s.cols, nil)
		unit.RawMatrix().Data[k] = 1
		z := s.analyse(unit)
		z.MulElem(z, s.inverse)
		for l, v := range s.synthesise(z).RawMatrix().Data {
			if j := s.order[l]; j >= i {
				cov.SetSym(i, j, shared+p.SD*p.SD*v/(s.scale[k]*s.scale[l]))
			}
		}
		cov.SetSym(i, i, cov.At(i, i)+p.Nugget*p.Nugget)
	}
	return gp.New(mean, cov)
}

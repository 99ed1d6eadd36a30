package mesh

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/sparse"
)

// Matern is a field whose correlation may end at a barrier (Bakka, Vanhatalo, Illian, Simpson & Rue 2019, Spatial
// Statistics 29): the solution of
//
//	u(s) − ∇·(r(s)²/8 ∇u(s)) = r(s) √(π/2) SD W(s),  x₀ = Level + u,
//
// with white noise W. Where r is constant it is the Matérn field of smoothness 1 and the range r, at which the
// correlation is near 0.14 (Lindgren, Rue & Lindström 2011, JRSS B 73, with κ = √8/r). With Barrier, r is Range in the
// domain and Fraction·Range outside of it, so correlation goes around land, and hardly crosses it. With the matrices C,
// D and G of the elements, whose weights are 1 in the domain and Fraction² outside, the precision of the nodes is
//
//	Q = 2/(π r² SD²) (C + r²/8 G) D⁻¹ (C + r²/8 G).
//
// A range below two edges of the mesh is not resolved. By a barrier the variance is larger, up to twice SD², because
// little flows into it. So it is near the edge of the mesh, if the margin is narrower than the range.
type Matern struct {
	On      Domain
	Barrier bool // what is outside of the domain is a barrier; default: it is like the domain
	// Fraction is the range in a barrier over that in the domain. A barrier that is thinner than Fraction·Range lets
	// correlation through. Default 0.1.
	Fraction float64
	// Range and SD are unknown if they are 0. By default P(Range < 2 edges) = 0.05, with no range above ten diagonals
	// of the domain, and P(SD > 3) = 0.05.
	Range, SD      float64
	Unit           string // of Range, such as "km"
	Level, LevelSD float64
}

// Check refuses impossible fields.
func (p Matern) Check() error {
	if p.On == nil {
		return errors.New("mesh: Matern has no domain; set On to a mesh or a Lattice")
	}
	if err := p.On.Check(); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"Range", p.Range}, {"SD", p.SD}, {"LevelSD", p.LevelSD}, {"Fraction", p.Fraction}} {
		if !(f.value >= 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("mesh: Matern has a %s of %g; it must be positive and finite", f.name, f.value)
		}
	}
	if _, diagonal := p.On.size(); p.Range > widest*diagonal {
		return fmt.Errorf("mesh: Matern has a Range of %g on a domain of %.3g; such a field is a constant, so take a "+
			"level alone", p.Range, diagonal)
	}
	if math.IsNaN(p.Level) || math.IsInf(p.Level, 0) || p.Fraction > 1 || p.Fraction > 0 && p.Fraction < 0.01 {
		return fmt.Errorf("mesh: Matern has a Level of %g and a Fraction of %g; the first is finite, and the second "+
			"between 0.01 and 1", p.Level, p.Fraction)
	}
	return nil
}

// widest is the largest range in diagonals of the domain. Rounding errors grow with its fourth power.
const widest = 10

func (p Matern) fraction() float64 {
	if !p.Barrier {
		return 1
	}
	return cmp.Or(p.Fraction, 0.1)
}

func (p Matern) String() string {
	return fmt.Sprintf("matern(%v, outside=%g, range=%g, sd=%g, level=%g, %g)", p.On, p.fraction(), p.Range, p.SD,
		p.Level, p.LevelSD)
}

// Dim returns the number of nodes of a mesh, or of cells of a lattice.
func (p Matern) Dim() int { return p.On.Dim() }

// Lattice returns the grid of a lattice, or one row of all nodes; see [expfam.Lattice].
func (p Matern) Lattice() (rows, cols int) {
	if l, ok := p.On.(Lattice); ok {
		return l.Lattice()
	}
	return 1, p.Dim()
}

// Unknown returns "range" and "sd" as far as they are 0; see [gp.Family].
func (p Matern) Unknown() (all []law.Parameter) {
	if p.Range == 0 {
		edge, diagonal := p.On.size()
		all = append(all, law.Parameter{Name: "range", Unit: p.Unit,
			Law: law.PCRange{Below: 2 * edge, Probability: 0.05, Dims: 2, Max: widest * diagonal}})
	}
	if p.SD == 0 {
		all = append(all, law.Parameter{Name: "sd", Law: law.PCSD{Above: 3, Probability: 0.05}})
	}
	return all
}

// numbers returns the range and the standard deviation.
func (p Matern) numbers(values []float64) (length, sd float64, err error) {
	length, sd = p.Range, p.SD
	if length == 0 && len(values) > 0 {
		length, values = values[0], values[1:]
	}
	if sd == 0 && len(values) > 0 {
		sd = values[0]
	}
	if _, diagonal := p.On.size(); !(length > 0 && length <= widest*diagonal*(1+1e-9) && sd > 0) {
		return 0, 0, fmt.Errorf("mesh: Matern has the range %g and the sd %g; give both or laws of positive numbers, "+
			"with ranges below %.3g", length, sd, widest*diagonal)
	}
	return length, sd, nil
}

// coefficients returns those of the three terms of the precision.
func coefficients(length, sd float64) []float64 {
	c := 2 / (math.Pi * sd * sd)
	return []float64{c / (length * length), c / 8, c * length * length / 64}
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p Matern) Sparse() (*latent.Field, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	e := p.On.elements(p.fraction())
	constant, cross, square, mass, stiff := e.terms()
	n := len(e.mass)
	var pairs [][2]int
	for _, v := range stiff {
		pairs = append(pairs, [2]int{v.Row, v.Col})
	}
	operator := sparse.New(n, pairs) // C + r²/8 G
	symbolic := sparse.Analyse(operator, sparse.MinimumDegree(operator))
	field := latent.Effect{Nodes: n, Terms: []latent.Term{constant, cross, square}, Rows: p.On.rows()}
	field.At = func(values []float64) ([]float64, float64, error) {
		length, sd, err := p.numbers(values)
		if err != nil {
			return nil, 0, err
		}
		q, f := make([]float64, len(operator.Value)), symbolic.Factor()
		for k, t := range []latent.Term{mass, stiff} {
			for _, v := range t {
				q[operator.Index(v.Row, v.Col)] += []float64{1, length * length / 8}[k] * v.Value
			}
		}
		if err := f.Refactor(q); err != nil {
			return nil, 0, fmt.Errorf("mesh: the equation is singular at the range %g: %w", length, err)
		}
		return coefficients(length, sd), 2*f.LogDet() - 2*float64(n)*math.Log(length*sd), nil
	}
	mean, effects := make([]float64, p.Dim()), []latent.Effect{field}
	for i := range mean {
		mean[i] = p.Level
	}
	if p.LevelSD > 0 {
		level := latent.Effect{Nodes: 1, Terms: []latent.Term{{{Value: 1}}},
			At: func([]float64) ([]float64, float64, error) { return []float64{1 / (p.LevelSD * p.LevelSD)}, 0, nil }}
		for range mean {
			level.Rows = append(level.Rows, []latent.Entry{{Node: 0, Weight: 1}})
		}
		effects = append(effects, level)
	}
	return latent.Sum(mean, latent.Shared{}, effects...), nil
}

// Given returns the mean and the covariance for given values of the unknown numbers, by a dense inverse; see
// [gp.Family].
func (p Matern) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	if err := p.Check(); err != nil {
		return nil, nil, err
	}
	length, sd, err := p.numbers(values)
	if err != nil {
		return nil, nil, err
	}
	e, rows := p.On.elements(p.fraction()), p.On.rows()
	constant, cross, square, _, _ := e.terms()
	n, c := len(e.mass), coefficients(length, sd)
	if err := machine.Fits(fmt.Sprintf("mesh: a covariance of %d nodes", n), 24*float64(n)*float64(n),
		"take package joint, or longer edges"); err != nil {
		return nil, nil, err
	}
	precision := mat.NewSymDense(n, nil)
	for k, t := range []latent.Term{constant, cross, square} {
		for _, v := range t {
			precision.SetSym(v.Row, v.Col, precision.At(v.Row, v.Col)+c[k]*v.Value)
		}
	}
	var chol mat.Cholesky
	var all mat.SymDense
	if !chol.Factorize(precision) {
		return nil, nil, fmt.Errorf("mesh: the precision at the range %g is singular; give a law of shorter ranges",
			length)
	}
	if err := chol.InverseTo(&all); err != nil && math.IsInf(chol.Cond(), 1) {
		return nil, nil, fmt.Errorf("mesh: %w", err)
	}
	mean, cov = make([]float64, p.Dim()), mat.NewSymDense(p.Dim(), nil)
	for i := range mean {
		mean[i] = p.Level
		for j := range i + 1 {
			cov.SetSym(i, j, all.At(rows[i][0].Node, rows[j][0].Node)+p.LevelSD*p.LevelSD)
		}
	}
	return mean, cov, nil
}

// Gaussian returns the prior of known numbers, with exact moments.
func (p Matern) Gaussian() (*gp.Gaussian, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for _, q := range p.Unknown() {
		return nil, fmt.Errorf("mesh: the %s of %v is not known; give it, or take gp.Unknown", q.Name, p)
	}
	mean, cov, err := p.Given(nil)
	if err != nil {
		return nil, err
	}
	return gp.New(mean, cov)
}

package learn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/level"
)

// Pyramid is the prior of images of any size by a network that was trained on smaller ones; see [Prior.Grid]. Let P
// take the mean of blocks of 2×2 cells, and U repeat a value for the four cells of its block. Images that look alike at
// all scales have a mean P x₀ with the same prior, but for its amplitude, and
//
//	x_t/√α = x₀ + σ n   gives   P x_t/√α = P x₀ + (σ/2) n′.
//
// So each level of the pyramid, the grid of P x, P² x …, sees half the noise of the one before. In strong noise only
// the long waves of an image can be known, and there a coarse grid knows more than the network on a fine one, which has
// not seen waves so long. In weak noise a fine grid knows more. At a noise level one grid ℓ is evaluated, the finest
// whose noise is at most fineNoise standard deviations of the prior, with the network D on it:
//
//	E[x₀ | x_t] = Uˡ D(Pˡ x_t, σ/2ˡ) + Σ_{k<ℓ} Uᵏ g_k (1 − U P) Pᵏ x_t,   g_k = δ²/(δ² + ¾ σ²/4ᵏ).
//
// The sum has the details that the grid ℓ does not resolve, by the best scalar estimate, where δ² is their variance.
// The parts are orthogonal, so the variance of a cell is the sum of theirs, and the covariance of x₀ | x_t is symmetric
// if that of D is. Where a level has an odd side, its last cell is in a block with the mirror image of the cell before.
type Pyramid struct {
	name   string
	levels []resolution // from fine to coarse
	low    float64      // bounds of all cells, both 0 for none
	high   float64
	center float64 // the mean of a cell
	report string
	grade  int // the one level to evaluate; all where it is negative
}

// resolution is a grid of a pyramid.
type resolution struct {
	rows, cols int
	// prior is the network's on a grid of at least the level's rows and columns. Rows and columns beyond are mirrored.
	prior     gridPrior
	amplitude float64 // of the level's images over those of the prior
	detail    float64 // the mean square of (1 − U P) x₀ at the level
	upTo      float64 // the highest noise, in units of the finest grid's x₀, at which the level is evaluated
}

// gridPrior is a prior of a grid.
type gridPrior interface {
	expfam.Prior
	expfam.Lattice
}

// fineNoise is the highest noise of a level, in standard deviations of the prior, at which it is evaluated.
const fineNoise = 3

// newPyramid returns the levels of a grid. The coarsest has no side above most, unless the other side were too small.
func newPyramid(rows, cols int, most, sd float64, s Scales, at func(rows, cols int) (gridPrior, error)) (*Pyramid,
	error) {
	p := &Pyramid{grade: -1}
	var highest float64
	for noise := fineNoise * sd; ; noise *= 2 {
		prior, err := at(rows, cols)
		if err != nil {
			return nil, err
		}
		k := len(p.levels)
		a := s.amplitude(k)
		highest = max(highest, noise*a) // a coarser level begins where the finer one ends
		p.levels = append(p.levels, resolution{rows: rows, cols: cols, prior: prior, amplitude: a,
			detail: s.detail(k), upTo: highest})
		if float64(max(rows, cols)) <= most || (min(rows, cols)+1)/2 < leastSide {
			return p, nil
		}
		rows, cols = (rows+1)/2, (cols+1)/2
	}
}

// String names the pyramid by its grid, its network and its amplitudes.
func (p *Pyramid) String() string { return p.name }

// Dim returns the number of cells.
func (p *Pyramid) Dim() int { return p.levels[0].rows * p.levels[0].cols }

// Lattice returns the sides of the grid; see [expfam.Lattice].
func (p *Pyramid) Lattice() (rows, cols int) { return p.levels[0].rows, p.levels[0].cols }

// Bounds returns the bounds of the network's draws; see [expfam.Bounded].
func (p *Pyramid) Bounds() (low, high float64) { return p.low, p.high }

// Grade returns the level that is evaluated at a noise level, 0 for the grid itself; see [diffusion.Graded].
func (p *Pyramid) Grade(sigma float64) int {
	for k, l := range p.levels {
		if sigma <= l.upTo {
			return k
		}
	}
	return len(p.levels) - 1
}

// Graded returns the prior that evaluates one level alone; see [diffusion.Graded].
func (p *Pyramid) Graded(grade int) expfam.Prior {
	one := *p
	one.grade = grade
	return &one
}

// Coupling returns the largest eigenvalue of the correlation matrix of x₀ | x_t at a noise level; see [Prior.Coupling].
func (p *Pyramid) Coupling(sigma float64) float64 {
	k := p.Grade(sigma)
	l, cells := p.levels[k], math.Exp2(2*float64(k)) // cells of the grid in a cell of the level
	c, ok := l.prior.(expfam.Coupled)
	if !ok {
		return 0
	}
	return min(cells*c.Coupling(sigma/math.Exp2(float64(k))/l.amplitude), float64(p.Dim()))
}

// Reported returns what is known of the network on draws of its training; see [Report].
func (p *Pyramid) Reported() string { return p.report }

// Footprint estimates the memory of the finest level, which needs the most; see [expfam.Sized].
func (p *Pyramid) Footprint() expfam.Footprint {
	if s, ok := p.levels[max(p.grade, 0)].prior.(expfam.Sized); ok {
		return s.Footprint()
	}
	return expfam.Footprint{Draw: 8 * float64(p.Dim())}
}

// Moments returns the moments by the level that suits the noise level of a draw; see [expfam.Prior]. It evaluates all
// levels, unless the pyramid is of one grade.
func (p *Pyramid) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	sigma := l.Sigma()
	y := Div(x, l.SqrtAlpha)
	if p.grade >= 0 {
		return p.moments(y, sigma, p.grade)
	}
	var below *Node // 1 at noise up to the highest of the levels so far
	for k, level := range p.levels {
		m, v := p.moments(y, sigma, k)
		up := OnesLike(sigma)
		if k < len(p.levels)-1 {
			up = ConvertDType(LessOrEqual(sigma, ConstAs(sigma, level.upTo)), sigma.DType())
		}
		here := up
		if below != nil {
			here = Sub(up, below)
		}
		below = up
		here = StopGradient(here)
		mean, variance = addTo(mean, Mul(here, m)), addTo(variance, Mul(here, v))
	}
	return mean, variance
}

// moments returns the moments by the level k, for y = x_t/√α.
func (p *Pyramid) moments(y, sigma *Node, k int) (mean, variance *Node) {
	batch := y.Shape().Dim(0)
	y = Reshape(y, batch, p.levels[0].rows, p.levels[0].cols)
	flat := func(x *Node) *Node { return Reshape(x, batch, -1) }
	square := Reshape(Square(sigma), -1, 1, 1)
	type detail struct{ mean, variance *Node }
	var details []detail
	for _, l := range p.levels[:k] {
		coarse := l.halve(y)
		noise := MulScalar(square, 0.75) // of (1 − U P) n, in a cell
		gain := Div(ConstAs(noise, l.detail), AddScalar(noise, l.detail))
		details = append(details, detail{Mul(gain, Sub(y, l.double(coarse))), Mul(gain, noise)})
		y, square = coarse, MulScalar(square, 0.25)
	}
	l := p.levels[k]
	mean, variance = l.moments(flat(y), MulScalar(sigma, math.Exp2(-float64(k))), p.center)
	mean, variance = Reshape(mean, batch, l.rows, l.cols), Reshape(variance, -1, l.rows, l.cols)
	for j := k - 1; j >= 0; j-- {
		mean = Add(p.levels[j].double(mean), details[j].mean)
		variance = Add(p.levels[j].double(variance), details[j].variance)
	}
	return flat(mean), Reshape(variance, variance.Shape().Dim(0), -1)
}

// moments returns the moments of an image of the level from one with noise sigma, (batch, cells).
func (l resolution) moments(y, sigma *Node, center float64) (mean, variance *Node) {
	batch := y.Shape().Dim(0)
	rows, cols := l.prior.Lattice()
	sigma = DivScalar(sigma, l.amplitude)
	root := Inverse(Sqrt(OnePlus(Square(sigma)))) // √α
	y = AddScalar(DivScalar(AddScalar(y, -center), l.amplitude), center)
	whole := turned(Reshape(y, batch, l.rows, l.cols), mirror(rows, l.rows), mirror(cols, l.cols))
	mean, variance = l.prior.Moments(Mul(root, Reshape(whole, batch, rows*cols)),
		level.Nodes{SqrtAlpha: root, V: Mul(Square(sigma), Square(root))})
	cut := func(x *Node) *Node {
		n := x.Shape().Dim(0)
		return Reshape(turned(Reshape(x, n, rows, cols), unit(l.rows, rows), unit(l.cols, cols)), n, l.rows*l.cols)
	}
	mean, variance = cut(mean), cut(variance)
	mean = AddScalar(MulScalar(AddScalar(mean, -center), l.amplitude), center)
	return mean, MulScalar(variance, l.amplitude*l.amplitude)
}

// halve returns P x for x (batch, rows, cols).
func (l resolution) halve(x *Node) *Node {
	rows, cols := (l.rows+1)/2, (l.cols+1)/2
	x = turned(x, mirror(2*rows, l.rows), mirror(2*cols, l.cols))
	return ReduceMean(Reshape(x, -1, rows, 2, cols, 2), 2, 4)
}

// double returns U x for x of the grid of [level.halve].
func (l resolution) double(x *Node) *Node {
	n, rows, cols := x.Shape().Dim(0), (l.rows+1)/2, (l.cols+1)/2
	x = BroadcastToDims(Reshape(x, n, rows, 1, cols, 1), n, rows, 2, cols, 2)
	return turned(Reshape(x, n, 2*rows, 2*cols), unit(l.rows, 2*rows), unit(l.cols, 2*cols))
}

// addTo returns sum + x, where a nil sum is 0.
func addTo(sum, x *Node) *Node {
	if sum == nil {
		return x
	}
	return Add(sum, x)
}

var _ diffusion.Graded = (*Pyramid)(nil)

package learn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// torus is a Gaussian field on a torus of n×n cells. The coefficient of a wave with f cycles a cell has the variance
// c/f^exponent. Waves of fewer than known cycles have c/f² from there on, as a network of images of 1/known cells takes
// them; 0: all are as they are. With short > 0 waves of fewer cycles than that have hardly more than it, so that the
// field has a correlation length.
type torus struct {
	n                      int
	exponent, known, short float64
}

func (f torus) String() string {
	return fmt.Sprint("torus ", f.n, f.exponent, f.known, f.short)
}

func (f torus) Dim() int                                { return f.n * f.n }
func (f torus) Lattice() (rows, cols int)               { return f.n, f.n }
func (f torus) Resized(rows, cols int) expfam.Simulator { f.n = rows; return f }

// waves returns the orthonormal cosines and sines along a side as columns, and their cycles a cell.
func (f torus) waves() (basis *mat.Dense, cycles []float64) {
	n := float64(f.n)
	basis, cycles = mat.NewDense(f.n, f.n, nil), make([]float64, f.n)
	for k := range f.n {
		m := (k + 1) / 2
		cycles[k] = float64(m) / n
		for i := range f.n {
			angle, size := 2*math.Pi*float64(m*i)/n, math.Sqrt(2/n)
			if k == 0 || 2*m == f.n {
				size = math.Sqrt(1 / n)
			}
			if v := math.Cos(angle); k%2 == 1 {
				basis.Set(i, k, size*v)
			} else {
				basis.Set(i, k, size*math.Sin(angle))
			}
			if k == 0 {
				basis.Set(i, k, size)
			}
		}
	}
	return basis, cycles
}

// variance returns the variance of a coefficient.
func (f torus) variance(u, v float64) float64 {
	const c = 0.02
	at := max(math.Hypot(u, v), 1/float64(f.n)) // the mean is as the longest waves are
	if f.short > 0 {
		return c / (at*at + f.short*f.short)
	}
	if at < f.known {
		return c * math.Pow(f.known, 2-f.exponent) / (at * at)
	}
	return c / math.Pow(at, f.exponent)
}

// sd returns the standard deviation of a cell.
func (f torus) sd() float64 {
	_, cycles := f.waves()
	var sum float64
	for _, u := range cycles {
		for _, v := range cycles {
			sum += f.variance(u, v)
		}
	}
	return math.Sqrt(sum / float64(f.Dim()))
}

func (f torus) Draw(rng *rand.Rand, x []float64) {
	basis, cycles := f.waves()
	z := mat.NewDense(f.n, f.n, nil)
	z.Apply(func(i, j int, _ float64) float64 {
		return math.Sqrt(f.variance(cycles[i], cycles[j])) * rng.NormFloat64()
	}, z)
	mat.NewDense(f.n, f.n, x).Product(basis, z, basis.T())
}

// Moments returns the exact moments: each coefficient is S/(S + σ²) of that of x_t/√α.
func (f torus) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	b, cycles := f.waves()
	s := make([]float64, 0, f.Dim())
	for _, u := range cycles {
		for _, v := range cycles {
			s = append(s, f.variance(u, v))
		}
	}
	constant := func(v []float64, dims ...int) *Node {
		return ConvertDType(Const(x.Graph(), tensors.FromFlatDataAndDimensions(v, dims...)), x.DType())
	}
	basis, power := constant(b.RawMatrix().Data, f.n, f.n), constant(s, 1, f.n, f.n)
	square := Reshape(Square(l.Sigma()), -1, 1, 1)
	gain := Div(power, Add(power, square))
	y := Reshape(Div(x, l.SqrtAlpha), -1, f.n, f.n)
	y = Einsum("bil,ik->bkl", Einsum("bij,jl->bil", y, basis), basis)
	y = Einsum("bkj,ik->bij", Einsum("bkl,jl->bkj", Mul(y, gain), basis), basis)
	own := ReduceMean(Mul(gain, square), 1, 2)
	return Reshape(y, x.Shape().Dimensions...), BroadcastToDims(Reshape(own, -1, 1), own.Shape().Size(), f.Dim())
}

// band is the largest error of a pyramid's moments in an octave of frequencies: the shift of the mean, the root mean
// square in exact standard deviations, and the standard deviation over the exact one.
type band struct{ shift, width float64 }

// compared compares the moments of a pyramid with the exact ones.
type compared struct {
	torus
	exec  *Exec
	waves *mat.Dense
	freq  []float64
}

// compareWith compiles what a pyramid of the field computes: the mean, and a product with the covariance.
func (f torus) compareWith(t *testing.T, p expfam.Prior) *compared {
	t.Helper()
	basis, cycles := f.waves()
	exec := must.Get(NewExec(enginetest.Fast(t).Backend, func(x, q, sigma *Node) []*Node {
		root := Inverse(Sqrt(OnePlus(Square(sigma))))
		l := level.Nodes{SqrtAlpha: root, V: Mul(Square(sigma), Square(root))}
		at := &diffusion.Point{X: Mul(root, x), Level: l}
		at.Mean, _ = p.Moments(at.X, l)
		return []*Node{at.Mean, at.Cov(q)}
	}))(t)
	return &compared{f, exec, basis, cycles}
}

// bands returns the errors at a noise level by octave, from the longest waves.
func (c *compared) bands(t *testing.T, sigma float64) []band {
	t.Helper()
	const draws = 12
	rng, d := expfam.Stream(1, "pyramid"), c.Dim()
	x, probe, signs := make([]float64, draws*d), make([]float64, draws*d), make([]float64, draws*d)
	image := func(all []float64, b int) *mat.Dense { return mat.NewDense(c.n, c.n, all[b*d:(b+1)*d]) }
	for b := range draws {
		c.Draw(rng, x[b*d:(b+1)*d])
		for j := range d {
			x[b*d+j] += sigma * rng.NormFloat64()
			signs[b*d+j] = float64(2*rng.IntN(2) - 1)
		}
		// Signs s of all coefficients at random: the mean of s_k (C q)_k is the diagonal of C.
		image(probe, b).Product(c.waves, image(signs, b), c.waves.T())
	}
	out := must.Get(c.exec.Call(tensors.FromFlatDataAndDimensions(x, draws, d),
		tensors.FromFlatDataAndDimensions(probe, draws, d), [][]float64{{sigma}}))(t)
	mean := must.Get(tensors.CopyFlatData[float64](out[0]))(t)
	product := must.Get(tensors.CopyFlatData[float64](out[1]))(t)
	octaves := int(math.Round(math.Log2(float64(c.n))))
	shift, count, exact, got := make([]float64, octaves), make([]float64, octaves), make([]float64, octaves),
		make([]float64, octaves)
	var seen, estimate, cov mat.Dense
	for b := range draws {
		seen.Product(c.waves.T(), image(x, b), c.waves)
		estimate.Product(c.waves.T(), image(mean, b), c.waves)
		cov.Product(c.waves.T(), image(product, b), c.waves)
		for i, u := range c.freq {
			for j, v := range c.freq {
				s := c.variance(u, v)
				own := s * sigma * sigma / (s + sigma*sigma)
				off := estimate.At(i, j) - seen.At(i, j)*s/(s+sigma*sigma)
				k := min(octaves-1, int(math.Log2(max(1, math.Hypot(u, v)*float64(c.n)))))
				shift[k] += off * off / own
				count[k]++
				exact[k] += own
				got[k] += image(signs, b).At(i, j) * cov.At(i, j)
			}
		}
	}
	all := make([]band, octaves)
	for k := range all {
		all[k] = band{math.Sqrt(shift[k] / count[k]), math.Sqrt(max(0, got[k]/exact[k]))}
	}
	return all
}

// The pyramid of Gaussian fields that look alike at all scales, whose levels know the waves of a small grid alone, has
// nearly the exact posterior of data with normal noise in every cell, by octave of the frequency.
func TestPyramidIsNearlyExact(t *testing.T) {
	n, known := 64, 16
	if *fulltest.Full {
		n, known = 256, 64
	}
	// In weak noise the grid itself is evaluated, which takes long waves of any exponent for those of 2. In strong
	// noise the details below the cells of a coarse grid are taken for independent of each other and of its cells. That
	// is wrong by most for the octaves beside the coarse grid's finest waves, and too wide for the finest waves, whose
	// standard deviation is small.
	limits := map[bool]band{false: {0.1, 0.01}, true: {0.35, 0.8}}
	for _, exponent := range []float64{2, 1.7, 2.3} {
		f := torus{n: n, exponent: exponent}
		trained := torus{n: known, exponent: exponent}
		s := learn.Scales{}
		step := math.Exp2(exponent - 2) // of a level's variances over those of the finer one
		for k := range 5 {
			if k == 0 {
				s.Training = detailOf(f)
			}
			s.Larger = append(s.Larger, s.Training*math.Pow(step, float64(k)))
		}
		p := must.Get(learn.PyramidOf(n, n, 1.25*float64(known), trained.sd(), s, func(rows, _ int) (expfam.Prior,
			error) {
			return torus{n: rows, exponent: exponent, known: 1 / float64(known)}, nil
		}))(t)
		c := f.compareWith(t, p)
		for _, sigma := range []float64{0.05, 0.5, 1, 2, 8, 30} {
			level, text := p.Grade(sigma*trained.sd()), ""
			for k, b := range c.bands(t, sigma*trained.sd()) {
				text += fmt.Sprintf(" %.3f/%.3f", b.shift, b.width)
				most := limits[level > 0]
				must.Be(t, b.shift < most.shift && math.Abs(b.width-1) < most.width,
					"1/f^%g, noise of %g sd, octave %d: a shift of %.3f sd and a width of %.3f", exponent, sigma, k,
					b.shift, b.width)
			}
			t.Logf("1/f^%g, noise of %g sd, level %d: shift/width by octave%s", exponent, sigma, level, text)
		}
		c.exec.Finalize()
	}
}

// detailOf returns the mean square of (1 − U P) x₀: a wave of u cycles a cell along a side keeps cos²(πu) of its power
// in a mean of two.
func detailOf(f torus) (sum float64) {
	_, cycles := f.waves()
	for _, u := range cycles {
		for _, v := range cycles {
			keep := math.Pow(math.Cos(math.Pi*u)*math.Cos(math.Pi*v), 2)
			sum += f.variance(u, v) * (1 - keep) / float64(f.Dim())
		}
	}
	return sum
}

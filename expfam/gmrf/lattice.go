package gmrf

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/machine"
)

// lattice is a grid whose shorter side is laid along the columns, of which cosines are a matrix.
type lattice struct {
	rows, cols   int
	down, across float64 // distances between neighbours in a column and in a row
	order        []int   // place k of the lattice is cell order[k] of the grid
	// The eigenvectors of −Δ are products of orthonormal cosines, and its eigenvalues are sums of these values: on a
	// reflecting lattice both are known. The cosines of the longer side are applied by fast transforms, because their
	// matrix has the square of its length.
	alongCols            *mat.Dense // the cosines of the shorter side, one in each column
	rowValues, colValues []float64
}

// fits refuses a grid whose factors take more memory than is free.
func (p Prior) fits() error {
	n := float64(p.Grid.Len())
	return machine.Fits(fmt.Sprintf("gmrf: a field of %d by %d cells, with %.2g s for each factorisation,", p.Grid.Rows,
		p.Grid.Cols, operationsOf(n, p.Alpha)/2e9), 8*(6*entriesOf(n, p.Alpha)+60*n), "take a coarser grid")
}

// lattice returns the grid of the prior as a lattice.
func (p Prior) lattice() *lattice {
	g := p.Grid
	l := &lattice{rows: g.Rows, cols: g.Cols}
	l.across, l.down = g.Spacing()
	swap := g.Cols > g.Rows
	if swap {
		l.rows, l.cols, l.down, l.across = l.cols, l.rows, l.across, l.down
	}
	l.order = make([]int, g.Len())
	for k := range l.order {
		r, c := k/l.cols, k%l.cols
		if swap {
			r, c = c, r
		}
		l.order[k] = g.Index(r, c)
	}
	l.alongCols = cosines(l.cols)
	l.rowValues, l.colValues = frequencies(l.rows, l.down), frequencies(l.cols, l.across)
	return l
}

// frequencies returns the eigenvalues of −d²/du² on n points at distance h, with reflecting ends.
func frequencies(n int, h float64) []float64 {
	values := make([]float64, n)
	for k := range values {
		values[k] = math.Pow(2/h*math.Sin(math.Pi*float64(k)/float64(2*n)), 2)
	}
	return values
}

// cosines returns the eigenvectors that belong to frequencies, one in each column.
func cosines(n int) *mat.Dense {
	basis := mat.NewDense(n, n, nil)
	for k := range n {
		norm := norm(n, k)
		for i := range n {
			basis.Set(i, k, norm*math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/float64(n)))
		}
	}
	return basis
}

// norm makes the cosine of frequency k on n points orthonormal.
func norm(n, k int) float64 {
	if k == 0 {
		return math.Sqrt(1 / float64(n))
	}
	return math.Sqrt(2 / float64(n))
}

// longest returns the length of the longer side, in the unit of the axes.
func (l *lattice) longest() float64 {
	return math.Max(float64(l.rows)*l.down, float64(l.cols)*l.across)
}

// spectrum describes M^α at a range.
type spectrum struct {
	*lattice
	kappa2  float64 // κ²
	alpha   int
	inverse *mat.Dense // (rows, cols): the inverses of the eigenvalues of M^α
	scale   []float64  // standard deviation, at every place, of the field u with precision M^α
	logDet  float64    // log determinant of M^α
}

// spectrum returns the spectrum of M^α at the range length.
func (l *lattice) spectrum(alpha int, length float64) *spectrum {
	s := &spectrum{lattice: l, kappa2: 8 / (length * length), alpha: alpha, inverse: mat.NewDense(l.rows, l.cols, nil)}
	s.inverse.Apply(func(r, c int, _ float64) float64 {
		v := s.kappa2 + l.rowValues[r] + l.colValues[c]
		s.logDet += float64(alpha) * math.Log(v)
		return math.Pow(v, -float64(alpha))
	}, s.inverse)
	s.scale = s.deviations()
	return s
}

// deviations returns the standard deviation of u at every place. Let a = κ² + λ for an eigenvalue λ of the shorter
// side. Along the longer side of n cells the variances are the diagonal of the inverse of a tridiagonal matrix,
//
//	(a − d²/du²)⁻¹ᵢᵢ = h²/2 (cosh nφ + cosh(2i+1−n)φ) / (sinh φ sinh nφ),  2 cosh φ = 2 + a h²,
//
// or for α = 2 the derivative of −1 times this in a. The squares of the cosines of the shorter side sum them.
func (s *spectrum) deviations() []float64 {
	out, along := make([]float64, s.rows*s.cols), make([]float64, s.cols)
	for i := range s.rows {
		for c, v := range s.colValues {
			along[c] = reflected(s.rows, i, s.down, s.kappa2+v, s.alpha)
		}
		for j := range s.cols {
			var sum float64
			for c, v := range s.alongCols.RawRowView(j) {
				sum += v * v * along[c]
			}
			out[i*s.cols+j] = math.Sqrt(sum)
		}
	}
	return out
}

// reflected returns entry (i, i) of (a − d²/du²)^−α on n points at distance h, with reflecting ends; see deviations.
func reflected(n, i int, h, a float64, alpha int) float64 {
	phi := 2 * math.Asinh(h*math.Sqrt(a)/2)
	sinh, m, length := math.Sinh(phi), math.Abs(float64(2*i+1-n)), float64(n)
	// ch, sh and coth are cosh mφ and sinh mφ over sinh nφ, and coth nφ. Their exponentials do not overflow.
	near, far, whole := math.Exp(-phi*(length-m)), math.Exp(-phi*(length+m)), -math.Expm1(-2*length*phi)
	ch, sh, coth := (near+far)/whole, near*-math.Expm1(-2*m*phi)/whole, (2-whole)/whole
	k := coth + ch
	if alpha == 1 {
		return h * h / 2 * k / sinh
	}
	inverse := 2 * math.Exp(-length*phi) / whole // 1/sinh nφ
	slope := -length*inverse*inverse + m*sh - length*ch*coth
	cosh := 1 + a*h*h/2
	return math.Pow(h*h/2, 2) / sinh * (k*cosh/sinh - slope) / sinh
}

// synthesise returns the field with the coefficients z in the basis of cosines.
func (l *lattice) synthesise(z *mat.Dense) *mat.Dense {
	var x mat.Dense
	x.Mul(z, l.alongCols.T())
	l.transform(&x, func(fft *fourier.QuarterWaveFFT, column []float64) {
		for k := range column {
			if column[k] *= norm(l.rows, k); k > 0 {
				column[k] /= 2
			}
		}
		fft.CosCoefficients(column, column)
	})
	return &x
}

// analyse returns the coefficients of the field x; it is the inverse of synthesise.
func (l *lattice) analyse(x *mat.Dense) *mat.Dense {
	var z mat.Dense
	z.Mul(x, l.alongCols)
	l.transform(&z, func(fft *fourier.QuarterWaveFFT, column []float64) {
		fft.CosSequence(column, column)
		for k := range column {
			column[k] *= norm(l.rows, k) / 4
		}
	})
	return &z
}

// transform applies f to every column of m.
func (l *lattice) transform(m *mat.Dense, f func(fft *fourier.QuarterWaveFFT, column []float64)) {
	fft, column := fourier.NewQuarterWaveFFT(l.rows), make([]float64, l.rows)
	for c := range l.cols {
		mat.Col(column, c, m)
		f(fft, column)
		m.SetCol(c, column)
	}
}

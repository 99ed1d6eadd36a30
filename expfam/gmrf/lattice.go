package gmrf

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// lattice is a grid whose shorter side is laid along the columns, which makes the band
// narrow.
type lattice struct {
	rows, cols   int
	down, across float64 // distances between neighbours in a column and in a row
	order        []int   // place k of the lattice is cell order[k] of the grid
	// The eigenvectors of −Δ are products of orthonormal cosines, one in each column, and
	// its eigenvalues are sums of these values: on a reflecting lattice both are known.
	alongRows, alongCols *mat.Dense
	rowValues, colValues []float64
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
	l.alongRows, l.rowValues = cosines(l.rows, l.down)
	l.alongCols, l.colValues = cosines(l.cols, l.across)
	return l
}

// cosines returns the eigenvectors and eigenvalues of −d²/du² on n points at distance h,
// with reflecting ends.
func cosines(n int, h float64) (*mat.Dense, []float64) {
	basis, values := mat.NewDense(n, n, nil), make([]float64, n)
	for k := range n {
		values[k] = math.Pow(2/h*math.Sin(math.Pi*float64(k)/float64(2*n)), 2)
		norm := math.Sqrt(2 / float64(n))
		if k == 0 {
			norm = math.Sqrt(1 / float64(n))
		}
		for i := range n {
			basis.Set(i, k, norm*math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/float64(n)))
		}
	}
	return basis, values
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
	square := func(m *mat.Dense) *mat.Dense {
		var out mat.Dense
		out.MulElem(m, m)
		return &out
	}
	var half, variance mat.Dense
	half.Mul(square(l.alongRows), s.inverse)
	variance.Mul(&half, square(l.alongCols).T())
	s.scale = variance.RawMatrix().Data
	for k, v := range s.scale {
		s.scale[k] = math.Sqrt(v)
	}
	return s
}

// synthesise returns the field with the coefficients z in the basis of cosines.
func (l *lattice) synthesise(z *mat.Dense) *mat.Dense {
	var half, x mat.Dense
	half.Mul(l.alongRows, z)
	x.Mul(&half, l.alongCols.T())
	return &x
}

// analyse returns the coefficients of the field x; it is the inverse of synthesise.
func (l *lattice) analyse(x *mat.Dense) *mat.Dense {
	var half, z mat.Dense
	half.Mul(l.alongRows.T(), x)
	z.Mul(&half, l.alongCols)
	return &z
}

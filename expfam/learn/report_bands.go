package learn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// waves are the cosines of a grid in bands; see [Report].
type waves struct {
	down, across *mat.Dense // the cosines of a side, as rows
	first, bands int        // the half waves from which band 1 begins, and the number of bands
}

func wavesOf(p expfam.Prior) waves {
	rows, cols := 1, p.Dim()
	if l, ok := p.(expfam.Lattice); ok {
		rows, cols = l.Lattice()
	}
	w := waves{cosinesOf(rows), cosinesOf(cols), 4, 0}
	if rows == 1 {
		w.first = 8
	}
	w.bands = w.band(rows-1, cols-1) + 1
	return w
}

// cosinesOf returns the orthonormal cosines of n cells as rows.
func cosinesOf(n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	a.Apply(func(k, j int, _ float64) float64 {
		scale := math.Sqrt(2 / float64(n))
		if k == 0 {
			scale = math.Sqrt(1 / float64(n))
		}
		return scale * math.Cos(math.Pi*float64(k)*(float64(j)+0.5)/float64(n))
	}, a)
	return a
}

// band returns the band of a cosine of so many half waves down and across.
func (w waves) band(down, across int) (band int) {
	for n := max(down, across); n >= w.first; n /= 2 {
		band++
	}
	return band
}

// of returns the coefficients of an image.
func (w waves) of(x []float64) *mat.Dense {
	var c mat.Dense
	c.Product(w.down, mat.NewDense(w.down.RawMatrix().Rows, w.across.RawMatrix().Rows, x), w.across.T())
	return &c
}

// probes returns random signs s of the cosines A of a band, 0 for other cosines, and the images q = Aᵀs, one after the
// other. The mean of sᵀ A C q is the trace of A C Aᵀ.
func (w waves) probes(rng *rand.Rand, band, n int) (signs []*mat.Dense, q []float32) {
	for range n {
		s := mat.NewDense(w.down.RawMatrix().Rows, w.across.RawMatrix().Rows, nil)
		s.Apply(func(i, j int, _ float64) float64 {
			if w.band(i, j) != band {
				return 0
			}
			return float64(2*rng.IntN(2) - 1)
		}, s)
		var image mat.Dense
		image.Product(w.down.T(), s, w.across)
		for _, v := range image.RawMatrix().Data {
			q = append(q, float32(v))
		}
		signs = append(signs, s)
	}
	return signs, q
}

// bandSums are sums over the cosines of a band and over draws: of squared errors, of what the network states of them,
// of squares of what it saw, and of errors times what it saw.
type bandSums struct{ errors, stated, seen, both float64 }

// add adds the coefficients of a draw.
func (b *bandSums) add(w waves, band int, miss, seen, cov, signs *mat.Dense) {
	rows, cols := miss.Dims()
	for i := range rows {
		for j := range cols {
			if w.band(i, j) != band {
				continue
			}
			r, z := miss.At(i, j), seen.At(i, j)
			b.errors += r * r
			b.seen += z * z
			b.both += r * z
			b.stated += signs.At(i, j) * cov.At(i, j)
		}
	}
}

package gmrf

import (
	"math"

	"github.com/expfam/lab/expfam/sparse"
)

// precision is the pattern of the posterior's precision on a lattice, which is analysed once.
type precision struct {
	*sparse.Symmetric
	symbolic *sparse.Symbolic
	stencil  []int32 // places of the products of entries of M, in the order in which fill visits them
}

// newPrecision returns the pattern of M^α and of further pairs of cells, which data look at together.
func (l *lattice) newPrecision(alpha int, further [][2]int) *precision {
	s := &spectrum{lattice: l, kappa2: 1, alpha: alpha}
	pairs := further
	s.visit(func(i, j int, _ float64) { pairs = append(pairs, [2]int{i, j}) })
	p := &precision{Symmetric: sparse.New(len(l.order), pairs)}
	s.visit(func(i, j int, _ float64) { p.stencil = append(p.stencil, int32(p.Index(i, j))) })
	p.symbolic = sparse.Analyse(p.Symmetric, sparse.MinimumDegree(p.Symmetric))
	return p
}

// visit calls f with the products of entries of M whose sums are the upper triangle of M^α.
func (s *spectrum) visit(f func(i, j int, v float64)) {
	var first, second []entry
	for i := range s.rows * s.cols {
		first = s.operator(i, first[:0])
		for _, a := range first {
			if s.alpha == 1 {
				if a.at >= i {
					f(i, a.at, a.value)
				}
				continue
			}
			second = s.operator(a.at, second[:0])
			for _, b := range second {
				if b.at >= i {
					f(i, b.at, a.value*b.value)
				}
			}
		}
	}
}

// values returns the precision P of the field f in the pattern: D M^α D with the diagonal matrix D = scale/sd, which
// makes sd the standard deviation of every cell.
func (p *precision) values(s *spectrum, sd float64) []float64 {
	value, k := make([]float64, len(p.Row)), 0
	s.visit(func(_, _ int, v float64) {
		value[p.stencil[k]] += v
		k++
	})
	for j := range p.N {
		for e := p.Start[j]; e < p.Start[j+1]; e++ {
			value[e] *= s.scale[j] * s.scale[p.Row[e]] / (sd * sd)
		}
	}
	return value
}

// entry is a number and its column in a row of a sparse matrix.
type entry struct {
	at    int
	value float64
}

// operator appends the entries of row i of M = κ² − Δ to row.
func (s *spectrum) operator(i int, row []entry) []entry {
	r, c := i/s.cols, i%s.cols
	diagonal := s.kappa2
	for _, n := range []struct {
		ok    bool
		at    int
		value float64
	}{
		{r > 0, i - s.cols, s.down}, {r < s.rows-1, i + s.cols, s.down},
		{c > 0, i - 1, s.across}, {c < s.cols-1, i + 1, s.across},
	} {
		if n.ok {
			rate := 1 / (n.value * n.value)
			row = append(row, entry{n.at, -rate})
			diagonal += rate
		}
	}
	return append(row, entry{i, diagonal})
}

// inverse returns the entries of (P + W)⁻¹ in the pattern, and its diagonal.
func (p *precision) inverse(f *sparse.Factor) (sigma, diagonal []float64) {
	sigma, diagonal = make([]float64, len(p.Row)), make([]float64, p.N)
	f.Inverse(sigma)
	for i := range diagonal {
		diagonal[i] = sigma[p.Start[i]]
	}
	return sigma, diagonal
}

// solve replaces x by (P + W)⁻¹ x.
func solve(f *sparse.Factor, x []float64) { f.Solve(x, make([]float64, len(x))) }

// entriesOf estimates the entries of a factor of n cells, and operationsOf the multiplications of a factorisation. Both
// are fitted to lattices from 16 × 16 to 256 × 256 cells.
func entriesOf(n float64, alpha int) float64 {
	return n * math.Max(20, 13*math.Log2(n)-85) * float64(alpha) / 2
}

func operationsOf(n float64, alpha int) float64 {
	return 25 * math.Pow(n, 1.62) * math.Pow(float64(alpha)/2, 3)
}

package gmrf

import "math"

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

// entriesOf estimates the entries of a factor of n cells, and operationsOf the multiplications of a factorisation. Both
// are fitted to lattices from 16 × 16 to 256 × 256 cells.
func entriesOf(n float64, alpha int) float64 {
	return n * math.Max(20, 13*math.Log2(n)-85) * float64(alpha) / 2
}

func operationsOf(n float64, alpha int) float64 {
	return 25 * math.Pow(n, 1.62) * math.Pow(float64(alpha)/2, 3)
}

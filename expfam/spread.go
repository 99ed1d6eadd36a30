package expfam

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// leastSpread bounds the spread of differences, which the error of a table may make
// negative.
const leastSpread = 1e-3

// spread of every row of H is Σⱼₗ H_kj H_kl ρⱼₗ / Σⱼ H_kj²: by how much correlated cells of
// equal variance spread a sum more than independent ones do. It is a sum over a table, the
// same for rows that look alike, such as those of a blur.
type spread struct {
	rows  []int // which of the sums a row has
	alike []pairSum
}

// pairSum is Σ weight · table[at] / squares, over the pairs of cells of a row.
type pairSum struct {
	at      []int
	weight  []float64
	squares float64
}

// spread finds the pairs of all rows once, for the tables of all noise levels.
func (c *correlations) spread(h *sparse.Matrix) *spread {
	s := &spread{rows: make([]int, h.Rows)}
	known := make(map[string]int)
	end := c.Blocks[len(c.Blocks)-1]
	sum := make([]float64, end.At+end.size())
	var key []byte
	var cells []rowCell
	for k := range s.rows {
		cells = cells[:0]
		h.Row(k, func(j int, w float64) { cells = append(cells, rowCell{c.place(j), w}) })
		key = appendKey(key[:0], cells)
		i, found := known[string(key)]
		if !found {
			i = len(s.alike)
			known[string(key)] = i
			s.alike = append(s.alike, pairsOf(cells, sum))
		}
		s.rows[k] = i
	}
	return s
}

// of is the spread of every row in a table.
func (s *spread) of(table []float64) []float64 {
	values := make([]float64, len(s.alike))
	for i, p := range s.alike {
		var sum float64
		for n, at := range p.at {
			sum += p.weight[n] * table[at]
		}
		values[i] = math.Max(sum/p.squares, leastSpread)
	}
	out := make([]float64, len(s.rows))
	for k, i := range s.rows {
		out[k] = values[i]
	}
	return out
}

// pairPlace is where a cell stands: a table has the pair (i, j) of one block at
// i.left + j.right.
type pairPlace struct {
	block, left, right int
	lags               bool // all that counts is where cells stand to each other
}

func (c *correlations) place(cell int) pairPlace {
	b := c.block(cell)
	j := cell - b.First
	origin := b.index(0, 0)
	return pairPlace{b.First, b.index(j, 0), b.index(0, j) - origin, !b.whole()}
}

type rowCell struct {
	pairPlace
	weight float64
}

// appendKey writes what determines the sum of a row.
func appendKey(key []byte, cells []rowCell) []byte {
	from := pairPlace{block: -1}
	for _, c := range cells {
		if c.block != from.block {
			if from = c.pairPlace; !c.lags {
				from.left = 0
			}
			key = binary.AppendVarint(key, int64(c.block))
		}
		key = binary.AppendVarint(key, int64(c.left-from.left))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c.weight))
	}
	return key
}

// pairsOf adds up the pairs of a row; sum has a zero for each number of a table.
func pairsOf(cells []rowCell, sum []float64) (p pairSum) {
	const most = 256 // cells of a long row that are compared with all of them
	stride := max(1, len(cells)/most)
	for n := 0; n < len(cells); n += stride {
		i := cells[n]
		p.squares += i.weight * i.weight
		for _, j := range cells {
			if j.block != i.block {
				continue
			}
			at, weight := i.left+j.right, i.weight*j.weight
			if sum[at] == 0 {
				p.at = append(p.at, at)
			}
			sum[at] += weight
		}
	}
	slices.Sort(p.at)
	p.at = slices.Compact(p.at) // weights may have cancelled on the way
	for _, at := range p.at {
		p.weight = append(p.weight, sum[at])
		sum[at] = 0
	}
	return p
}

// variances of H x for cells with these variances.
func (c *correlations) variances(h, squared *sparse.Matrix, table, variance []float64) []float64 {
	out := make([]float64, h.Rows)
	squared.MulVec(out, variance)
	for k, s := range c.spread(h).of(table) {
		out[k] *= s
	}
	return out
}

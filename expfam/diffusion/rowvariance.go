package diffusion

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// leastVarianceRatio is the lower bound of a spread. Without it the error of a table could make the
// spread of a difference of cells negative.
const leastVarianceRatio = 1e-3

// varianceRatio computes Σⱼₗ H_kj H_kl ρⱼₗ / Σⱼ H_kj² for every row k of H. This is the variance of Σⱼ H_kj xⱼ for
// cells of equal variance with the correlations ρ, divided by its value for independent cells. The numerator is a sum
// over a table of correlations. It is the same for rows that look alike, such as the rows of a blur.
type varianceRatio struct {
	rows  []int // for each row the index of its sum in alike
	alike []pairSum
}

// pairSum is the sum Σ weight · table[at] / squares over the pairs of cells of a row.
type pairSum struct {
	at      []int
	weight  []float64
	squares float64
}

// varianceRatio finds the pairs of cells of all rows of h. One search serves the tables of all noise levels.
func (c *correlations) varianceRatio(h *sparse.Matrix) *varianceRatio {
	s := &varianceRatio{rows: make([]int, h.Rows)}
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

// of returns the spread of every row under the correlations of a table.
func (s *varianceRatio) of(table []float64) []float64 {
	values := make([]float64, len(s.alike))
	for i, p := range s.alike {
		var sum float64
		for n, at := range p.at {
			sum += p.weight[n] * table[at]
		}
		values[i] = math.Max(sum/p.squares, leastVarianceRatio)
	}
	out := make([]float64, len(s.rows))
	for k, i := range s.rows {
		out[k] = values[i]
	}
	return out
}

// pairPlace is the place of a cell in a table: the table has the correlation of two cells i and j
// of one block at the index i.left + j.right.
type pairPlace struct {
	block, left, right int  // block is the first cell of the block
	lags               bool // the table depends only on the lag between two cells
}

// place returns the place of a cell in the tables.
func (c *correlations) place(cell int) pairPlace {
	b := c.block(cell)
	j := cell - b.First
	origin := b.index(0, 0)
	return pairPlace{b.First, b.index(j, 0), b.index(0, j) - origin, !b.whole()}
}

// rowCell is a cell of a row of H, with its weight.
type rowCell struct {
	pairPlace
	weight float64
}

// appendKey appends to key what determines the sum of a row: the weights, and the places of the
// cells, relative to the first cell of a block where only lags count.
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

// pairsOf adds up the pairs of cells of a row. The argument sum is scratch space with a zero for
// each number of a table; pairsOf leaves it zero.
func pairsOf(cells []rowCell, sum []float64) (p pairSum) {
	const most = 256 // about as many cells of a long row are paired with all cells of the row
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
	p.at = slices.Compact(p.at) // an index occurs twice if its weights cancelled on the way
	for _, at := range p.at {
		p.weight = append(p.weight, sum[at])
		sum[at] = 0
	}
	return p
}

// variances returns the variances of H x for cells with the given variances, under the correlations of a table.
func (c *correlations) variances(h, squared *sparse.Matrix, table, variance []float64) []float64 {
	out := make([]float64, h.Rows)
	squared.MulVec(out, variance)
	for k, s := range c.varianceRatio(h).of(table) {
		out[k] *= s
	}
	return out
}

// movesTogether is the variance of what a datum looks at, as a share of what it were if its cells were one, from which
// they move together. On the benchmark of operators it is at least .72 for blurs and .82 for means, about .4 for rays
// through random cells, and .03 for differences.
const movesTogether = 0.6

// cellsMoveTogether reports whether the cells that each datum looks at move together under the prior.
func (c *correlations) cellsMoveTogether(f *expfam.Forward) bool {
	ones := slices.Repeat([]float64{1}, f.Cells())
	for _, s := range f.Parts {
		if s.Operator == nil {
			continue
		}
		for k, variance := range c.variances(s.H, s.Squared, c.Table[len(c.Table)-1], ones) {
			var one float64
			s.H.Row(k, func(_ int, w float64) { one += math.Abs(w) })
			if variance < movesTogether*one*one {
				return false
			}
		}
	}
	return true
}

package viz

import (
	"fmt"
	"math"
)

// mostCells is the largest number of cells of a map that are drawn one by one. A map of more would be larger than any
// notebook should be, and its cells smaller than pixels.
const mostCells = 512 * 512

// blocks are the blocks of k × k cells by which a map of very many cells is drawn.
type blocks struct {
	*cells // a cell for each block
	of     *cells
	k      int
	blank  []bool // of the cells of the map, or nil
}

// blocks returns nil for regions and for a map of at most so many cells.
func (m *cells) blocks(blank []bool, most int) *blocks {
	if m.regions != nil || len(m.z) <= most {
		return nil
	}
	k := 2
	for ; ((m.cols+k-1)/k)*((m.rows+k-1)/k) > most; k++ {
	}
	cols, rows := (m.cols+k-1)/k, (m.rows+k-1)/k
	own := &cells{cols: cols, rows: rows, dx: m.dx * float64(k), dy: m.dy * float64(k), index: make([]int, cols*rows)}
	own.x, own.y = m.x+(float64(k)-1)/2*m.dx, m.y+(float64(k)-1)/2*m.dy
	for j := range own.index {
		own.index[j] = j
	}
	b := &blocks{own, m, k, blank}
	own.z = b.mean(m.z)
	return b
}

// block returns the block of cell j.
func (b *blocks) block(j int) int { return j/b.of.cols/b.k*b.cols + j%b.of.cols/b.k }

// mean returns the means of the cells of each block that have a value and are not blank, and NaN where there is none.
// The mean of equal values is that value, without rounding, so that it is still as large as the limit of an outline.
func (b *blocks) mean(of []float64) []float64 {
	first, sum := make([]float64, len(b.index)), make([]float64, len(b.index))
	count := make([]float64, len(b.index))
	column := make([]int, b.of.cols)
	for c := range column {
		column[c] = c / b.k
	}
	for r := range b.of.rows {
		row, at := r*b.of.cols, r/b.k*b.cols
		for c, block := range column {
			v := of[row+c]
			if math.IsNaN(v) || b.blank != nil && b.blank[row+c] {
				continue
			}
			block += at
			if count[block] == 0 {
				first[block] = v
			}
			sum[block] += v - first[block]
			count[block]++
		}
	}
	for j := range sum {
		sum[j] = first[j] + sum[j]/count[j]
	}
	return sum
}

// some reports for each block whether one of its cells, or all of them, are marked.
func (b *blocks) some(of []bool, all bool) []bool {
	if of == nil {
		return nil
	}
	out := make([]bool, len(b.index))
	for j := range out {
		out[j] = all
	}
	for j, is := range of {
		if is != all {
			out[b.block(j)] = !all
		}
	}
	return out
}

// tips returns the texts of blocks: means, and of words those of the last cell.
func (b *blocks) tips(of []Tip) []Tip {
	out := make([]Tip, len(of))
	for i, tip := range of {
		out[i] = tip
		if len(tip.Words) == 0 {
			out[i].Values = b.mean(tip.Values)
			continue
		}
		out[i].Values = make([]float64, len(b.index))
		for j, v := range tip.Values {
			out[i].Values[b.block(j)] = v
		}
	}
	return out
}

// coarsen makes of a map of very many cells one of blocks. A block is held out if one of its cells is.
func (t *tile) coarsen(b *blocks) {
	t.Tips, t.Held, t.Blank = b.tips(t.Tips), b.some(t.Held, false), b.some(t.Blank, true)
	t.cells, t.side = b.cells, b.k
}

// coarse returns a map of blocks in place of one of more than so many cells, and nil blocks for other maps and for
// those with a Window.
func (v Map) coarse(kind string, most int) (Map, *blocks, error) {
	if v.Window != (Window{}) {
		return v, nil, nil
	}
	t, err := v.read(most)
	if err != nil {
		return v, nil, fmt.Errorf("%s: %w", kind, err)
	}
	if t.blocks == nil {
		return v, nil, nil
	}
	v.Field, v.Held, v.Blank, v.Tips = resampledField{t.cells, t.z}, t.Held, t.Blank, t.Tips
	v.Note = means(t.side) + v.Note
	return v, t.blocks, nil
}

// mostOf is the largest number of cells of a map with a slider of so many settings, each of which is a picture.
func mostOf(settings int) int { return mostCells * 8 / (8 + settings) }

// means says what a block is.
func means(side int) string {
	return fmt.Sprintf("A cell of the picture is the mean of %d × %d cells. ", side, side)
}

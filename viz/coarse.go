package viz

import "math"

// mostCells is the largest number of cells of a map that are drawn one by one. A map of more would be larger than any
// notebook should be, and its cells smaller than pixels.
const mostCells = 512 * 512

// coarsen makes of a map of very many cells one whose cells are the means of k × k of them: of those that have a value
// and are not blank. A cell is held out if one of them is.
func (t *tile) coarsen() {
	if t.regions != nil || len(t.z) <= mostCells {
		return
	}
	k := 2
	for ; ((t.cols+k-1)/k)*((t.rows+k-1)/k) > mostCells; k++ {
	}
	cols, rows := (t.cols+k-1)/k, (t.rows+k-1)/k
	n := cols * rows
	own := &cells{cols: cols, rows: rows, dx: t.dx * float64(k), dy: t.dy * float64(k), index: make([]int, n)}
	own.x, own.y = t.x+(float64(k)-1)/2*t.dx, t.y+(float64(k)-1)/2*t.dy
	for j := range own.index {
		own.index[j] = j
	}
	place := func(j int) int { return j/t.cols/k*cols + j%t.cols/k }
	mean := func(of []float64) []float64 {
		sum, count := make([]float64, n), make([]float64, n)
		for j, v := range of {
			if !t.blank(j) && !math.IsNaN(v) {
				sum[place(j)] += v
				count[place(j)]++
			}
		}
		for j := range sum {
			sum[j] /= count[j] // NaN where there is none
		}
		return sum
	}
	own.z = mean(t.z)
	for i, tip := range t.Tips {
		if len(tip.Words) == 0 {
			t.Tips[i].Values = mean(tip.Values)
			continue
		}
		words := make([]float64, n) // of the last cell
		for j, v := range tip.Values {
			words[place(j)] = v
		}
		t.Tips[i].Values = words
	}
	if t.Held != nil {
		held := make([]bool, n)
		for j, h := range t.Held {
			held[place(j)] = held[place(j)] || h
		}
		t.Held = held
	}
	if t.Blank != nil {
		blank := make([]bool, n)
		for j := range blank {
			blank[j] = true
		}
		for j, b := range t.Blank {
			blank[place(j)] = blank[place(j)] && b
		}
		t.Blank = blank
	}
	t.cells, t.side = own, k
}

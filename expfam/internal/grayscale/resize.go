package grayscale

import (
	"math"
	"slices"
)

// Resize returns the part of the image that starts at (top, left) in rows × cols cells. Cell
// (r, c) covers the square of edge scale pixels from (top + r·scale, left + c·scale) on.
//
// The filter is Catmull and Rom's cubic (Keys 1981). If the image shrinks, the filter is widened by the scale;
// otherwise it interpolates. It removes the frequencies that a coarser grid cannot hold, which plain interpolation
// would fold into false detail. It keeps more of the other frequencies than a tent, or an average over the area of the
// cell, whose blur a prior would learn. The small overshoots of the filter at edges are cut off, so that no value
// leaves [0, 1], the range of luma. If all pixels that are used are equal, all cells are exactly equal. Otherwise the
// rounding errors of the sums would become an image when values are scaled to [−1, 1].
func (g Image) Resize(rows, cols int, top, left, scale float64) []float32 {
	down, right := taps(rows, g.H, top, scale), taps(cols, g.W, left, scale)
	first, last := span(down)
	if level, flat := g.flat(first, last, right); flat {
		return slices.Repeat([]float32{level}, rows*cols)
	}
	// The columns are resized first, in the rows that the cells need.
	thin := make([]float32, (last-first)*cols)
	for y := first; y < last; y++ {
		row := g.Pix[y*g.W : (y+1)*g.W]
		for c, t := range right {
			var sum float32
			for k, w := range t.weights {
				sum += w * row[t.first+k]
			}
			thin[(y-first)*cols+c] = sum
		}
	}
	out := make([]float32, rows*cols)
	for r, t := range down {
		line := out[r*cols : (r+1)*cols]
		for k, w := range t.weights {
			from := thin[(t.first+k-first)*cols:][:cols]
			for c, v := range from {
				line[c] += w * v
			}
		}
		for c, v := range line {
			line[c] = min(1, max(0, v))
		}
	}
	return out
}

// flat reports whether the pixels of rows first to last, without last, that the columns use are equal, and returns
// their value.
func (g Image) flat(first, last int, columns []tap) (level float32, flat bool) {
	from, to := span(columns)
	level = g.Pix[first*g.W+from]
	for y := first; y < last; y++ {
		for _, v := range g.Pix[y*g.W+from : y*g.W+to] {
			if v != level {
				return 0, false
			}
		}
	}
	return level, true
}

// span returns the first pixel that the taps use, and the pixel behind the last.
func span(taps []tap) (first, last int) {
	first = taps[0].first
	for _, t := range taps {
		first, last = min(first, t.first), max(last, t.first+len(t.weights))
	}
	return first, last
}

// tap has the weights of the pixels first, first+1, … in one cell.
type tap struct {
	first   int
	weights []float32
}

// taps returns the weights of n cells along one direction, in which the image has size pixels. Cells have scale pixels,
// and the first begins at from. Weights beyond the image are left out, and the others are scaled to the sum 1.
func taps(n, size int, from, scale float64) []tap {
	out := make([]tap, n)
	wide := max(1, scale)
	for i := range out {
		centre := from + (float64(i)+0.5)*scale - 0.5
		first := max(0, int(math.Ceil(centre-2*wide)))
		last := min(size-1, int(math.Floor(centre+2*wide)))
		weights := make([]float32, last-first+1)
		var sum float64
		for k := range weights {
			w := catmullRom((float64(first+k) - centre) / wide)
			weights[k] = float32(w)
			sum += w
		}
		for k := range weights {
			weights[k] /= float32(sum)
		}
		out[i] = tap{first, weights}
	}
	return out
}

func catmullRom(t float64) float64 {
	switch t = math.Abs(t); {
	case t < 1:
		return (1.5*t-2.5)*t*t + 1
	case t < 2:
		return ((-0.5*t+2.5)*t-4)*t + 2
	}
	return 0
}

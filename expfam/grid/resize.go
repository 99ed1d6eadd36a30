package grid

import "math"

// resize samples the image at rows × cols points: cell (r, c) covers the square
// of edge scale pixels from (top + r·scale, left + c·scale) on.
//
// The filter is Catmull and Rom's cubic (Keys 1981), widened by the scale where
// the image shrinks: it interpolates where nothing shrinks, removes the
// frequencies that a coarser grid cannot hold, where plain interpolation would
// fold them into false detail, and keeps more of the others than an average
// over the cell's area or a tent, whose blur a prior would learn. Its small
// overshoots at edges are cut off, so that no value leaves the image's range.
func (g grey) resize(rows, cols int, top, left, scale float64) []float32 {
	down, right := taps(rows, g.h, top, scale), taps(cols, g.w, left, scale)
	first, last := down[0].first, 0
	for _, t := range down {
		first, last = min(first, t.first), max(last, t.first+len(t.weights))
	}
	// Columns first, of those rows alone that the cells need.
	thin := make([]float32, (last-first)*cols)
	for y := first; y < last; y++ {
		row := g.pix[y*g.w : (y+1)*g.w]
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

// tap is the weights of the pixels first, first+1, … in one cell.
type tap struct {
	first   int
	weights []float32
}

// taps of n cells over size pixels; weights beyond the image are left out and
// the others make up for them.
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

package scenes

import "math"

// defocus averages an image over discs of a radius in pixels, as a lens out of focus does. The image has rows × cols
// pixels; defocus returns the pixels that are at least margin away from the border. A disc is a stack of chords, and
// the sum over a chord is a difference of running sums. So the cost grows with the radius and not with its square.
func defocus(pix []float32, rows, cols, margin int, radius float64) []float32 {
	tall := min(margin, int(math.Ceil(radius-0.5)))
	half := make([]float64, tall+1) // half of the chord, averaged over the height of a row
	var area float64
	for dy := range half {
		const parts = 8
		for i := range parts {
			y := float64(dy) + (float64(i)+0.5)/parts - 0.5
			half[dy] += math.Sqrt(max(0, radius*radius-y*y)) / parts
		}
		half[dy] = min(half[dy], float64(margin)+0.5)
		area += 2 * half[dy]
		if dy > 0 {
			area += 2 * half[dy]
		}
	}
	sums := make([]float64, rows*(cols+1)) // the sums of the pixels of a row that lie left of pixel c
	for y := range rows {
		line := sums[y*(cols+1):][:cols+1]
		for c, v := range pix[y*cols : (y+1)*cols] {
			line[c+1] = line[c] + float64(v)
		}
	}
	height, width := rows-2*margin, cols-2*margin
	out := make([]float32, height*width)
	row := make([]float64, width)
	for y := range height {
		clear(row)
		for dy := -tall; dy <= tall; dy++ {
			h := half[max(dy, -dy)]
			line := sums[(y+margin+dy)*(cols+1):][:cols+1]
			// The chord around pixel c ends at c + ½ ± h. The fractional parts are the same for all c.
			right, left := float64(margin)+0.5+h, float64(margin)+0.5-h
			r, l := min(int(right), 2*margin), int(left)
			fr, fl := right-float64(r), left-float64(l)
			for c := range row {
				row[c] += (1-fr)*line[c+r] + fr*line[c+r+1] - (1-fl)*line[c+l] - fl*line[c+l+1]
			}
		}
		for c, v := range row {
			out[y*width+c] = float32(v / area)
		}
	}
	return out
}

// drag averages an image along the straight line from (−dx, −dy) to (dx, dy), in pixels, as an
// exposure does during which the camera moves. The image has rows × cols pixels; drag returns
// the pixels that are at least margin away from the border.
func drag(pix []float32, rows, cols, margin int, dx, dy float64) []float32 {
	height, width := rows-2*margin, cols-2*margin
	out := make([]float32, height*width)
	steps := 1 + 2*int(math.Ceil(math.Hypot(dx, dy)))
	for i := range steps {
		along := (2*float64(i)+1)/float64(steps) - 1
		x, y := along*dx+float64(margin), along*dy+float64(margin)
		c, r := min(int(x), 2*margin-1), min(int(y), 2*margin-1)
		fx, fy := float32(x-float64(c)), float32(y-float64(r))
		a, b := (1-fx)*(1-fy)/float32(steps), fx*(1-fy)/float32(steps)
		d, e := (1-fx)*fy/float32(steps), fx*fy/float32(steps)
		for v := range height {
			top, low := pix[(v+r)*cols+c:][:width+1], pix[(v+r+1)*cols+c:][:width+1]
			line := out[v*width:][:width]
			for u := range line {
				line[u] += a*top[u] + b*top[u+1] + d*low[u] + e*low[u+1]
			}
		}
	}
	return out
}

package viz

import "math"

// inkSheet holds which squares of a chart have ink, by owner. Its area is that of the chart in ECharts, from which that
// of the image differs by a few px.
type inkSheet struct {
	*drawing
	left, top, width, height float64 // px
	cols, rows               int
	ink                      [][]bool // by owner, then row by row
}

func newInkSheet(d *drawing, owners int) *inkSheet {
	s := &inkSheet{drawing: d, left: 64, top: float64(d.top())}
	s.width, s.height = d.Width-s.left-20, d.Height-s.top-float64(46+d.X.room())
	if d.Note != "" {
		s.height -= 24
	}
	s.cols, s.rows = max(int(s.width/inkCell), 0), max(int(s.height/inkCell), 0)
	for range owners {
		s.ink = append(s.ink, make([]bool, s.cols*s.rows))
	}
	return s
}

// at returns the place of data, in squares from the upper left.
func (s *inkSheet) at(x, y float64) (col, row float64) {
	u, v := share(x, s.xmin, s.xmax, s.X.Log), share(y, s.ymin, s.ymax, s.Y.Log)
	return u * float64(s.cols), (1 - v) * float64(s.rows)
}

// data is the inverse of at.
func (s *inkSheet) data(col, row float64) (x, y float64) {
	u, v := col/float64(s.cols), 1-row/float64(s.rows)
	return unshare(u, s.xmin, s.xmax, s.X.Log), unshare(v, s.ymin, s.ymax, s.Y.Log)
}

// share returns where v is between the ends of an axis. What is infinite lies one length beyond an end.
func share(v, lo, hi float64, log bool) float64 {
	if log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return clamp((v-lo)/(hi-lo), -1, 2)
}

func unshare(u, lo, hi float64, log bool) float64 {
	if log {
		return math.Exp(math.Log(lo) + u*(math.Log(hi)-math.Log(lo)))
	}
	return lo + u*(hi-lo)
}

func (s *inkSheet) mark(owner int, col, row float64) {
	c, r := int(math.Floor(col)), int(math.Floor(row))
	if c >= 0 && c < s.cols && r >= 0 && r < s.rows {
		s.ink[owner][r*s.cols+c] = true
	}
}

func (s *inkSheet) line(owner int, x, y []float64) {
	for i := range x {
		c, r := s.at(x[i], y[i])
		s.mark(owner, c, r)
		if i == 0 {
			continue
		}
		was, from := s.at(x[i-1], y[i-1])
		n := math.Ceil(2 * max(math.Abs(c-was), math.Abs(r-from)))
		for k := 1.0; k < n; k++ {
			s.mark(owner, was+(c-was)*k/n, from+(r-from)*k/n)
		}
	}
}

func (s *inkSheet) dot(owner int, x, y, radius float64) {
	c, r := s.at(x, y)
	for _, along := range []float64{-1, 0, 1} {
		s.mark(owner, c+along*radius/inkCell, r)
		s.mark(owner, c, r+along*radius/inkCell)
	}
}

// inkSums counts the squares with ink above and left of each corner.
type inkSums struct {
	cols, rows int
	n          []int32
}

func newInkSums(has []bool, cols, rows int) inkSums {
	s := inkSums{cols, rows, make([]int32, (cols+1)*(rows+1))}
	for r := range rows {
		row := int32(0)
		for c := range cols {
			if has[r*cols+c] {
				row++
			}
			s.n[(r+1)*(cols+1)+c+1] = s.n[r*(cols+1)+c+1] + row
		}
	}
	return s
}

// any reports whether a box has ink.
func (s inkSums) any(b labelBox) bool {
	at := func(c, r int) int32 { return s.n[min(max(r, 0), s.rows)*(s.cols+1)+min(max(c, 0), s.cols)] }
	left, right, top, bottom := b.col, b.col+b.cols, b.row, b.row+b.rows
	return at(right, bottom)-at(left, bottom)-at(right, top)+at(left, top) > 0
}

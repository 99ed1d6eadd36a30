package sparse

// Dissect returns an order for a lattice whose cell r·cols + c has entries with the cells at most width rows and
// columns away: nested dissection (George 1973, SIAM J. Numer. Anal. 10). A strip of width rows or columns divides a
// rectangle in two and comes after both, which are divided in turn.
func Dissect(rows, cols, width int) []int {
	d := &dissection{stride: cols, width: width, order: make([]int, 0, rows*cols)}
	d.divide(0, 0, rows, cols)
	return d.order
}

type dissection struct {
	stride, width int
	order         []int
}

// divide adds the cells of a rectangle to the order.
func (d *dissection) divide(top, left, rows, cols int) {
	w := d.width
	switch longer := max(rows, cols); {
	case longer <= 3*w+1:
		d.add(top, left, rows, cols)
	case rows >= cols:
		half := (rows - w) / 2
		d.divide(top, left, half, cols)
		d.divide(top+half+w, left, rows-half-w, cols)
		d.add(top+half, left, w, cols)
	default:
		half := (cols - w) / 2
		d.divide(top, left, rows, half)
		d.divide(top, left+half+w, rows, cols-half-w)
		d.add(top, left+half, rows, w)
	}
}

// add adds the cells as they stand, along the longer side of the rectangle.
func (d *dissection) add(top, left, rows, cols int) {
	if rows < cols {
		for c := range cols {
			for r := range rows {
				d.order = append(d.order, (top+r)*d.stride+left+c)
			}
		}
		return
	}
	for r := range rows {
		for c := range cols {
			d.order = append(d.order, (top+r)*d.stride+left+c)
		}
	}
}

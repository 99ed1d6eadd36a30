package main

import (
	"fmt"
	"slices"
)

// operations returns the number of floating-point operations of the convolutions. One pass takes two operations for
// each weight and each cell in which the weight is used. The values take one pass, every product with the
// transposed Jacobian another, and the gradients of kernels one more.
func (w *work) operations(kind string) (n float64) {
	for _, p := range w.params {
		if len(p.Shape) != 4 || p.Shape[2] == 1 && p.Shape[3] == 1 && p.Shape[0] == 1 {
			continue
		}
		n += float64(2*p.Size()) * float64(w.grid(p.Name)) * images
	}
	if kind == "sampling" {
		return n * (1 + products)
	}
	return n * 3
}

// grid returns the number of cells in which a convolution works, by the digit in its name.
func (w *work) grid(name string) int {
	level, all := 0, w.cells
	switch {
	case slices.Contains([]string{"in.w", "head0.w", "head1.w"}, name):
	case name[:6] == "middle":
		level = 3
	default:
		fmt.Sscanf(name[slices.IndexFunc([]byte(name), func(c byte) bool { return '0' <= c && c <= '9' }):], "%d",
			&level)
		switch {
		case name == fmt.Sprintf("down%d.half.w", level):
			level++
		case name == fmt.Sprintf("up%d.double.w", level):
			level--
		}
	}
	return all >> (2 * level)
}

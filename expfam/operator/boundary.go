package operator

import "fmt"

// Boundary says which values a kernel takes beyond the edge of a grid.
type Boundary int

const (
	// Reflect mirrors the grid at its edge, … b a | a b c …, as often as the kernel
	// needs. With it a kernel with sum 1 leaves a constant field unchanged.
	Reflect Boundary = iota
	// Zero takes zeros beyond the edge: what a blur moves beyond the edge is lost.
	Zero
	// Periodic continues at the opposite edge.
	Periodic
	// Valid keeps only the data whose kernel lies within the grid: n − k + 1 data for n
	// cells and k taps.
	Valid
)

func (b Boundary) String() string {
	switch b {
	case Reflect:
		return "reflect"
	case Zero:
		return "zero"
	case Periodic:
		return "periodic"
	case Valid:
		return "valid"
	}
	return fmt.Sprintf("boundary %d", int(b))
}

func (b Boundary) check() error {
	if b < Reflect || b > Valid {
		return fmt.Errorf("operator: boundary %d does not exist; take Reflect, Zero, Periodic or Valid", int(b))
	}
	return nil
}

// data returns the number of data along an axis of n cells, for a kernel with this number of taps.
func (b Boundary) data(n, taps int) int {
	if b == Valid {
		return n - taps + 1
	}
	return n
}

// source returns the cell, of n along an axis, whose value a tap multiplies for a datum, or −1 if
// there is none. For datum r and tap i it is r − (i − c), with the centre c = taps/2. Under Valid
// the data are numbered from the first datum whose kernel lies within the grid.
func (b Boundary) source(datum, tap, taps, n int) int {
	at := datum - tap + taps/2
	switch b {
	case Valid:
		return datum + taps - 1 - tap
	case Reflect:
		at = ((at % (2 * n)) + 2*n) % (2 * n)
		return min(at, 2*n-1-at)
	case Periodic:
		return ((at % n) + n) % n
	}
	if at < 0 || at >= n {
		return -1
	}
	return at
}

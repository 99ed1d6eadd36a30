package front

import "github.com/expfam/lab/kernel/internal/cell"

// Library are the packages that the cells of a kernel of this checkout can import.
func Library(checkout string) (cell.Packages, error) {
	p := &packages{checkout: checkout, work: func() string { return checkout }}
	return p, p.load()
}

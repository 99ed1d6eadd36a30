package front

import "github.com/expfam/lab/kernel/internal/cell"

// Library returns the packages that cells can import in a kernel of the checkout.
func Library(checkout string) (cell.Packages, error) {
	p := &packages{checkout: checkout, work: func() string { return checkout }}
	return p, p.load()
}

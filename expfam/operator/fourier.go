package operator

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Fourier takes coefficients of the discrete Fourier transform of a line of d cells, as in
// magnetic resonance. The data of a frequency f, in waves per line, are the real and the
// imaginary part of
//
//	d^(−1/2) Σⱼ xⱼ exp(−2πi f j/d).
//
// The frequencies 0 and d/2 have no imaginary part, and therefore one datum. Do not change the
// fields after the first use.
type Fourier struct {
	Cells int // d, the number of cells of the prior
	// Keep has the frequencies that are kept, from 0 to d/2, each at most once. Default: all.
	Keep []int

	built
}

// frequencies returns the frequencies that are kept.
func (o *Fourier) frequencies() []int {
	if o.Keep != nil {
		return o.Keep
	}
	all := make([]int, max(o.Cells, 0)/2+1)
	for f := range all {
		all[f] = f
	}
	return all
}

func (o *Fourier) String() string {
	return fmt.Sprintf("%d of %d frequencies", len(o.frequencies()), o.Cells/2+1)
}

func (o *Fourier) build() (*sparse.Matrix, error) {
	if o.Cells < 1 || o.Cells > maxReach {
		return nil, fmt.Errorf("operator: frequencies of %d cells; give the number of cells of the prior, 1 to %d",
			o.Cells, maxReach)
	}
	type part struct {
		frequency int
		phase     float64
	}
	var rows []part
	seen := make(map[int]bool)
	for k, f := range o.frequencies() {
		if f < 0 || 2*f > o.Cells || seen[f] {
			return nil, fmt.Errorf("operator: frequency number %d is %d of %d cells; give each from 0 to %d at "+
				"most once", k, f, o.Cells, o.Cells/2)
		}
		seen[f] = true
		rows = append(rows, part{f, 0})
		if f > 0 && 2*f < o.Cells {
			rows = append(rows, part{f, math.Pi / 2}) // cos(u + π/2) = −sin u
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("operator: Keep has no frequency; give at least one, or nil for all")
	}
	return sparse.New(len(rows), o.Cells, func(k int, visit func(int, float64)) {
		for j := range o.Cells {
			// Reducing the product modulo d keeps the angle exact.
			angle := 2 * math.Pi * float64(rows[k].frequency*j%o.Cells) / float64(o.Cells)
			if w := math.Cos(angle + rows[k].phase); math.Abs(w) > 1e-15 {
				visit(j, w/math.Sqrt(float64(o.Cells)))
			}
		}
	}), nil
}

// Check refuses frequencies that do not exist or occur twice.
func (o *Fourier) Check() error { return o.check(o, o.build) }

func (o *Fourier) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Fourier) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Fourier) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Fourier) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Fourier) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Fourier) Fingerprint() string { return fingerprint(o) }

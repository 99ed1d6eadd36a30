// Package certify says how far draws are from the posterior that they claim to be draws of, whatever program made them.
// It needs the draws and the gradients of the log posterior at them, in unconstrained space, and neither a model nor a
// truth. [Read] reads them from a file, [Check] compares them. The command `expfam certify` does both; docs/certify.md
// says how to write the file with PyMC, NumPyro, Stan and TMB.
//
// The certificates of this library's own posteriors know the prior besides, and compare along its modes; see
// expfam.Certificate.
package certify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/certify"
)

// Draws are draws x of a posterior in unconstrained space with the scores s(x) = ∇ log p(x | y), (draws, parameters).
// The log density is that of the unconstrained parameters: it has the logarithm of the Jacobian, as Stan and PyMC have
// it, and may lack a constant.
type Draws struct {
	Names  []string // of the parameters, one each
	Chains int      // chains of one length that stand one behind the other; 0 means independent draws
	X, S   *mat.Dense
}

// check refuses what cannot be compared.
func (d Draws) check() error {
	if d.X == nil || d.S == nil {
		return fmt.Errorf("certify: no draws or no gradients; give both")
	}
	n, m := d.X.Dims()
	if a, b := d.S.Dims(); a != n || b != m {
		return fmt.Errorf("certify: %d draws of %d parameters with gradients of shape (%d, %d); give a gradient of "+
			"each draw", n, m, a, b)
	}
	if len(d.Names) != m {
		return fmt.Errorf("certify: %d names of %d parameters; give a name of each, as in the gradient", len(d.Names),
			m)
	}
	if err := d.checkNames(); err != nil {
		return err
	}
	if err := certify.Enough(n); err != nil {
		return fmt.Errorf("%w; these are %d chains of %d parameters, if the axes are (chains, draws, parameters)",
			err, max(1, d.Chains), m)
	}
	if d.Chains < 0 || d.Chains > 0 && (n%d.Chains != 0 || n/d.Chains < 8) {
		return fmt.Errorf("certify: %d draws are not %d chains of one length of at least 8; the axes are (chains, "+
			"draws, parameters)", n, d.Chains)
	}
	for i := range n {
		for k := range m {
			if v := d.X.At(i, k); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("certify: draw %d of %s is %v; leave out draws that failed", i, d.Names[k], v)
			}
			if v := d.S.At(i, k); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("certify: the gradient by %s at draw %d is %v; the draw lies outside of the "+
					"posterior's support, or the gradient is wrong there", d.Names[k], i, v)
			}
		}
	}
	for k := range m {
		for i, size := range []float64{size(d.X, k), size(d.S, k)} {
			if size > largest || size > 0 && size < 1/largest {
				return fmt.Errorf("certify: the %s %s go up to %.2g, whose square float64 cannot hold; take another "+
					"unit", []string{"draws of", "gradients by"}[i], d.Names[k], size)
			}
		}
		if flat(d.X, k) {
			return fmt.Errorf("certify: all draws of %s are %v; leave a parameter that is fixed out, and its "+
				"gradient", d.Names[k], d.X.At(0, k))
		}
		if flat(d.S, k) {
			return fmt.Errorf("certify: the gradient by %s is %v at all draws; the density is to have all its terms, "+
				"the prior's and that of the transformation too", d.Names[k], d.S.At(0, k))
		}
	}
	return d.checkChains()
}

// checkNames refuses names that do not tell the parameters apart.
func (d Draws) checkNames() error {
	number := map[string]int{}
	for k, name := range d.Names {
		before, twice := number[name]
		switch {
		case name == "":
			return fmt.Errorf("certify: parameter %d has no name; give it one, or write no names", k)
		case twice:
			return fmt.Errorf("certify: parameters %d and %d are both %q; give each a name of its own, such as %s[0]",
				before, k, name, name)
		}
		number[name] = k
	}
	return nil
}

// checkChains refuses chains that repeat the draws of another, whose effective number would count twice.
func (d Draws) checkChains() error {
	n, m := d.X.Dims()
	chain := func(c int) mat.Matrix { return d.X.Slice(c*n/d.Chains, (c+1)*n/d.Chains, 0, m) }
	for c := range d.Chains {
		for before := range c {
			if mat.Equal(chain(before), chain(c)) {
				return fmt.Errorf("certify: chains %d and %d have the same draws; give each chain a seed of its own",
					before, c)
			}
		}
	}
	return nil
}

// largest is the largest size of a number whose square float64 holds, with room for sums.
const largest = 1e150

// size returns the largest absolute value of a column.
func size(m *mat.Dense, k int) (most float64) {
	n, _ := m.Dims()
	for i := range n {
		most = math.Max(most, math.Abs(m.At(i, k)))
	}
	return most
}

// flat reports whether a column has one value.
func flat(m *mat.Dense, k int) bool {
	n, _ := m.Dims()
	for i := range n {
		if m.At(i, k) != m.At(0, k) {
			return false
		}
	}
	return true
}

// half reports whether draw i is in the second half of its chain. Both halves are nearly independent.
func (d Draws) half(i int) int {
	n, _ := d.X.Dims()
	length := n / max(1, d.Chains)
	if i%length >= length/2 {
		return 1
	}
	return 0
}

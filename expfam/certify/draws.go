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
	if err := certify.Enough(n); err != nil {
		return err
	}
	if d.Chains < 0 || d.Chains > 0 && (n%d.Chains != 0 || n/d.Chains < 8) {
		return fmt.Errorf("certify: %d draws are not %d chains of one length of at least 8", n, d.Chains)
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
		if flat(d.X, k) {
			return fmt.Errorf("certify: all draws of %s are %v; leave a parameter that is fixed out, and its "+
				"gradient", d.Names[k], d.X.At(0, k))
		}
		if flat(d.S, k) {
			return fmt.Errorf("certify: the gradient by %s is %v at all draws; the density is to have all its terms, "+
				"the prior's and that of the transformation too", d.Names[k], d.S.At(0, k))
		}
	}
	return nil
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

package latent

import (
	"fmt"
	"math"
)

// checkWide refuses a column that looks at nothing, and one that follows from those before it: its constraint stands
// there already.
func (f *Field) checkWide() error {
	const least = 1e-11 // of the squared length that a column has beyond the others, for rounding errors of float64
	gram, scatter := make([][]float64, len(f.Wide)), make([]float64, f.Nodes())
	for k, column := range f.Wide {
		var square float64
		for _, e := range column {
			scatter[e.Node] += e.Weight
		}
		for _, e := range column {
			square += e.Weight * scatter[e.Node]
		}
		if !(square > 0) || math.IsInf(square, 1) {
			return fmt.Errorf("constraint %d has the squared length %g; give it finite weights that are not all 0", k,
				square)
		}
		gram[k] = make([]float64, k+1) // of the columns, then row k of their Cholesky factor
		for j, other := range f.Wide[:k+1] {
			for _, e := range other {
				gram[k][j] += e.Weight * scatter[e.Node]
			}
		}
		for _, e := range column {
			scatter[e.Node] = 0
		}
		for j := range k + 1 {
			v := gram[k][j]
			for i := range j {
				v -= gram[k][i] * gram[j][i]
			}
			if j < k {
				gram[k][j] = v / gram[j][j]
				continue
			}
			if v < least*square {
				return fmt.Errorf("constraint %d follows from the %d before it, so they say the same or leave nothing "+
					"free; leave it out", k, k)
			}
			gram[k][k] = math.Sqrt(v)
		}
	}
	return nil
}

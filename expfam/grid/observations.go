package grid

import (
	"fmt"

	"github.com/expfam/lab/expfam"
)

// CheckObservations refuses observations that do not fit the grid: another number of
// cells, terms that [expfam.Observations.Check] refuses, or data outside of the domain. It
// also refuses an impossible grid.
func (g Grid) CheckObservations(obs expfam.Observations) error {
	if err := g.Check(); err != nil {
		return err
	}
	if len(obs) != g.Len() {
		return fmt.Errorf("%d observed cells on a grid of %d by %d; give one term for each cell", len(obs), g.Rows,
			g.Cols)
	}
	if err := obs.Check(); err != nil {
		return err
	}
	for j, t := range obs {
		if !g.Inside(j) && t != (expfam.Term{}) {
			return fmt.Errorf("cell %d lies outside of the domain and has data; leave its term zero", j)
		}
	}
	return nil
}

package learn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// snapshot is the prior of a training under way. It lacks Coupling, which is measured after the training.
type snapshot struct{ prior *Prior }

func (s snapshot) String() string              { return s.prior.String() }
func (s snapshot) Dim() int                    { return s.prior.Dim() }
func (s snapshot) Bounds() (low, high float64) { return s.prior.Bounds() }
func (s snapshot) Range() (low, high float64)  { return s.prior.Range() }
func (s snapshot) Lattice() (rows, cols int)   { return s.prior.Lattice() }
func (s snapshot) Footprint() expfam.Footprint { return s.prior.Footprint() }

func (s snapshot) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	return s.prior.Moments(x, l)
}

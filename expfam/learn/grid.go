package learn

import (
	"fmt"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/nn"
)

const (
	// leastSide is the smallest side of a grid, and of a level.
	leastSide = 8
	// larger is the side of a coarsest level over the side of the training's grid, at most.
	larger = 1.25
)

// Grid returns the prior on another grid, and p itself on its own. [diffusion.Sample] calls Grid where data have the
// shape of a larger grid. The network needs one scale for all cells, and weights that do not depend on
// the grid ([nn.Resizer]), such as the default [nn.UNet]. Smaller grids than the training's are evaluated by the
// network as they are, and larger ones by a [Pyramid]. They need to be known to look alike at all scales: [Train] finds
// this for a simulator that is [Resizable], and [Prior.Measure] for others.
func (p *Prior) Grid(rows, cols int) (expfam.Prior, error) {
	if r, c := p.Lattice(); rows == r && cols == c {
		return p, nil
	}
	net, ok := p.Net.(nn.Resizer)
	mean, sd, uniform := p.Scale.uniform()
	switch {
	case !ok || len(p.parameters) > 0:
		return nil, fmt.Errorf("prior: %v stays on its cells, because its weights belong to them; train an nn.UNet "+
			"on a grid", p)
	case !uniform:
		return nil, fmt.Errorf("prior: %v has a scale of its own in each cell and stays on its grid; train it on a "+
			"simulator that is Stationary", p)
	case min(rows, cols) < leastSide:
		return nil, fmt.Errorf("prior: a grid of %d×%d cells; give at least %d rows and columns, for example by its "+
			"Pad(%d), with no data in the further cells", rows, cols, leastSide, leastSide)
	case rows > mostCells/cols:
		return nil, fmt.Errorf("prior: a grid of %d×%d cells; give at most %d cells", rows, cols, mostCells)
	}
	at := func(rows, cols int) (gridPrior, error) {
		resized, weights, err := net.Resize(p.weights, rows, cols, heads)
		if err != nil {
			return nil, fmt.Errorf("prior: %v stays on its grid: %w", p, err)
		}
		r, c := resized.Lattice()
		all := func(v float64) []float64 { return slices.Repeat([]float64{v}, r*c) }
		out := &Prior{Net: resized, weights: weights, coupling: p.coupling}
		out.Scale = Scale{Mean: all(mean), SD: all(sd), Low: p.Scale.Low, High: p.Scale.High}
		out.digest = digestOf(weights, Scale{Mean: []float64{mean}, SD: []float64{sd}}, p.coupling, nil)
		return out, nil
	}
	own, across := net.Lattice()
	out, err := newPyramid(rows, cols, larger*float64(max(own, across)), sd, p.scales, at)
	if err != nil {
		return nil, err
	}
	if len(out.levels) > 1 && len(p.scales.Larger) == 0 {
		return nil, fmt.Errorf("prior: %v was trained on %d×%d cells, and it is not known whether images "+
			"of %d×%d look alike at all scales; give its Measure a simulator that is Resizable", p, own, across, rows,
			cols)
	}
	out.low, out.high, out.center = p.Scale.Low, p.Scale.High, mean
	out.report = p.Reported()
	out.name = fmt.Sprintf("pyramid(%d×%d, %v, %v)", rows, cols, p, p.scales)
	return out, nil
}

// mostCells is the largest number of cells of a grid, 4096 × 4096.
const mostCells = 1 << 24

package diffusion

import (
	"context"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/internal/speak"
)

// Gridded is a prior of a grid that serves other grids as well, such as a learned prior of images (learn.Prior).
type Gridded interface {
	expfam.Prior
	expfam.Lattice
	// Grid returns the prior on a grid, or the reason why it has none there.
	Grid(rows, cols int) (expfam.Prior, error)
}

// onGrid returns the prior for the cells of data. A [Gridded] prior of r×c cells takes data of qr×qc cells for an image
// of this shape, with q > 0. For images of other shapes its Grid says the rows and columns.
func onGrid(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations) (expfam.Prior,
	error) {
	g, ok := prior.(Gridded)
	if !ok || traits.Check(prior) != nil || prior.Dim() < 1 {
		return prior, nil
	}
	parts := like.Parts()
	cells := len(obs) / len(parts) // data sets together without operators have as many data each
	for _, part := range parts {
		if part.Operator != nil {
			_, cells = part.Operator.Dims()
		}
	}
	r, c := g.Lattice()
	if cells == prior.Dim() || r < 2 || c < 2 {
		return prior, nil
	}
	q := math.Sqrt(float64(cells) / float64(prior.Dim()))
	rows, cols := int(math.Round(q*float64(r))), int(math.Round(q*float64(c)))
	if rows*cols != cells || rows*c != cols*r {
		return nil, fmt.Errorf("sample: data of %d cells and a prior of %d×%d, whose shape they do not have; give the "+
			"prior's Grid(rows, columns)", cells, r, c)
	}
	speak.Logger(ctx).Info(fmt.Sprintf("sample: %d cells are taken as %d rows of %d, the shape of the prior", cells,
		rows, cols))
	return g.Grid(rows, cols)
}

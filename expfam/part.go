package expfam

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/store"
)

var errNoDraws = errors.New("expfam: the posterior is nil; look at the error of the function that should have made it")

// Part returns the posterior of some cells, in the given order, such as a window of a grid, or the coefficients that
// follow a field. The likelihood of the result has no operator.
func (p *Posterior) Part(cells []int) (*Posterior, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
	draws, all := p.Dims()
	if len(cells) == 0 {
		return nil, errors.New("expfam: a part of a posterior has at least one cell")
	}
	x := mat.NewDense(draws, len(cells), nil)
	var names []string
	var outlines [][][][2]float64
	for k, j := range cells {
		if j < 0 || j >= all {
			return nil, fmt.Errorf("expfam: cell %d of a posterior of %d; cells are counted from 0", j, all)
		}
		for i := range draws {
			x.Set(i, k, p.X.At(i, j))
		}
		if own := p.CellNames(); own != nil {
			names = append(names, own[j])
		}
		if len(p.Info.Outlines) == all {
			outlines = append(outlines, p.Info.Outlines[j])
		}
	}
	out := &Posterior{X: x, Likelihood: Likelihood{Family: p.Likelihood.Family, Link: p.Likelihood.link()},
		Info: p.Info, Stats: p.Stats, Parameters: p.Parameters}
	out.Info.Rows, out.Info.Cols, out.Info.Local, out.Info.Names, out.Info.Outlines = 0, 0, nil, names, outlines
	out.Info.Outside = nil
	out.Info.Run = derivedRun(p.Info.Run, "part", cells)
	return out, nil
}

// derivedRun returns Info.Run of quantities that are computed from the draws of a run. The parts say which quantities.
// It returns "", which [Merge] refuses, if the run is not known or the parts have no key.
func derivedRun(run string, parts ...any) string {
	if run == "" {
		return ""
	}
	key, err := store.TryKey(append(parts, run)...)
	if err != nil {
		return ""
	}
	return key
}

// Through returns H θ for every draw, such as the prevalence or the expected counts of districts, with their names:
//
//	districts, err := post.Through(&operator.Polygons{Grid: m.Grid, Regions: regions, Weights: people, Mean: true})
//
// People of a raster of population come onto the cells by SumOnto of a grid.Field; its Onto averages. The result has no
// likelihood: its numbers are H θ themselves. [Posterior.Seen] is different: it applies the operator of the data to x₀.
func (p *Posterior) Through(op RowOperator) (*Posterior, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
	if op == nil {
		return nil, errors.New("expfam: there is no operator; package operator has sums and means over areas")
	}
	if err := traits.Check(op); err != nil {
		return nil, err
	}
	draws, cells := p.Dims()
	data, of := op.Dims()
	if of != cells {
		return nil, fmt.Errorf("expfam: %v looks at %d cells and the posterior has %d", op, of, cells)
	}
	theta := p.Theta().X
	out := &Posterior{X: mat.NewDense(draws, data, nil), Info: p.Info, Stats: p.Stats, Parameters: p.Parameters}
	offset := make([]float64, data)
	if o, ok := op.(OffsetOperator); ok {
		copy(offset, o.Offset())
	}
	for k := range data {
		for i := range draws {
			out.X.Set(i, k, offset[k])
		}
		op.Row(k, func(cell int, weight float64) {
			for i := range draws {
				out.X.Set(i, k, out.X.At(i, k)+weight*theta.At(i, cell))
			}
		})
	}
	out.Info.Quantity = op.String()
	out.Info.Run = derivedRun(p.Info.Run, "through", op)
	out.Info.Rows, out.Info.Cols, out.Info.Local, out.Info.Outside = 0, 0, nil, nil
	out.Info.Names, out.Info.Outlines = rowNames(op, data), rowOutlines(op, data)
	return out, nil
}

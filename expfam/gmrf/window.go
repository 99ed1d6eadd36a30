package gmrf

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
)

// wide is the shorter side, in cells, beyond which the hyperparameters are fitted to a
// window. On a larger grid the fit takes too long: it needs some 200 factorisations, and
// the time of a factorisation grows with the cube of the shorter side.
const wide = 128

// window returns the side of the window to which the hyperparameters are fitted, and 0 for the complete grid.
func (o Options) window(p Prior) (int, error) {
	switch shorter := min(p.Grid.Rows, p.Grid.Cols); {
	case o.Window < 0 || o.Window == 1:
		return 0, fmt.Errorf("gmrf: a window of %d cells; give at least 2, or 0 for the default", o.Window)
	case o.Window == 0 && shorter > wide:
		return wide / 2, nil
	case o.Window >= max(p.Grid.Rows, p.Grid.Cols):
		return 0, nil
	default:
		return o.Window, nil
	}
}

// part returns a square window of the grid as a prior and observations of its own. It is the window with the given side
// that has the most cells with data, or the first of several such windows. The cells keep their size. So a nugget and a
// correlation of trials mean the same as on the complete grid. On a coarser grid they would not.
func (p Prior) part(obs expfam.Observations, side int) (Prior, expfam.Observations) {
	g := p.Grid
	rows, cols := min(side, g.Rows), min(side, g.Cols)
	// at(r, c) is how many cells with data lie above row r and to the left of column c.
	sums := make([]int, (g.Rows+1)*(g.Cols+1))
	at := func(r, c int) *int { return &sums[r*(g.Cols+1)+c] }
	for r := range g.Rows {
		for c := range g.Cols {
			*at(r+1, c+1) = *at(r, c+1) + *at(r+1, c) - *at(r, c)
			if obs[g.Index(r, c)] != (expfam.Term{}) {
				*at(r+1, c+1)++
			}
		}
	}
	top, left, most := 0, 0, -1
	for r := range g.Rows - rows + 1 {
		for c := range g.Cols - cols + 1 {
			if n := *at(r+rows, c+cols) - *at(r, c+cols) - *at(r+rows, c) + *at(r, c); n > most {
				top, left, most = r, c, n
			}
		}
	}
	x, y := g.Axes()
	x.First, y.First = x.At(left), y.At(top)
	p.Grid.Rows, p.Grid.Cols, p.Grid.X, p.Grid.Y, p.Grid.Outside, p.Grid.Area = rows, cols, x, y, nil, nil
	seen := make(expfam.Observations, rows*cols)
	for k := range seen {
		seen[k] = obs[g.Index(top+k/cols, left+k%cols)]
	}
	return p, seen
}

// local returns the model with the values of the open hyperparameters that have the largest evidence in the window
// with the given side, and how many of them lie at a bound of the search.
func (m *model) local(ctx context.Context, side int) (fitted *model, bound float64, err error) {
	part := *m
	part.prior, part.obs = m.prior.part(m.obs, side)
	fit, values, err := part.largest(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("%w (in a window of %d by %d cells)", err, part.prior.Grid.Rows, part.prior.Grid.Cols)
	}
	open := part.prior.Unknown()
	own := len(open)
	constants, err := m.like.Unknowns()
	if err != nil {
		return nil, 0, err
	}
	for k, p := range append(open, constants...) {
		if l, ok := p.Law.(law.LogStudent); ok && (values[k] < 1.01*l.Low || values[k] > 0.99*l.High) {
			bound++
		}
	}
	fitted = &model{prior: fit.prior, obs: m.obs}
	fitted.prior.Grid = m.prior.Grid
	if fitted.like, fitted.obs, err = m.like.With(values[own:], m.obs); err != nil {
		return nil, 0, fmt.Errorf("gmrf: %w", err)
	}
	return fitted, bound, nil
}

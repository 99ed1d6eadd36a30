package gmrf

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
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

// local fits the open hyperparameters to the window with the given side, ρ included if overdispersed. It returns the
// prior and the likelihood with these values. bound is how many of the values lie at a bound of the search.
func (p Prior) local(ctx context.Context, terms *expfam.Terms, obs expfam.Observations, side int,
	overdispersed bool) (fixed Prior, with *expfam.Terms, bound float64, err error) {
	small, seen := p.part(obs, side)
	m, err := newModel(small, terms, seen)
	if err != nil {
		return p, terms, 0, err
	}
	if overdispersed {
		if err := m.open(terms); err != nil {
			return p, terms, 0, err
		}
	}
	fit, err := m.fit(ctx)
	if err != nil {
		return p, terms, 0, fmt.Errorf("%w (in a window of %d by %d cells)", err, small.Grid.Rows, small.Grid.Cols)
	}
	p.Range, p.SD, p.Nugget, p.FitNugget = fit.hyper.length, fit.hyper.sd, fit.hyper.nugget, false
	if overdispersed {
		if terms, err = correlated(terms, fit.hyper.rho); err != nil {
			return p, terms, 0, err
		}
	}
	return p, terms, m.atBound(fit.hyper), nil
}

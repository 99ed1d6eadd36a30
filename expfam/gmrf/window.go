package gmrf

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

const (
	// wide is the shorter side, in cells, beyond which the hyperparameters are fitted to windows. On a larger grid the
	// fit takes too long: it needs some 200 factorisations, and the time of a factorisation grows with the cube of the
	// shorter side.
	wide = 128
	// fewData is the number of data in windows below which the complete grid is taken: they do not tell of a range
	// longer than a window, nor how uncertain it is.
	fewData = 300
	// mostWhole is the number of cells up to which it is. So many take minutes.
	mostWhole = 256 * 256
)

// window returns the side of the windows to which the hyperparameters are fitted, and 0 for the complete grid. Data
// behind operators have no windows.
func (m *model) window(o Options) (int, error) {
	g, side := m.prior.Grid, o.Window
	shorter := min(g.Rows, g.Cols)
	switch {
	case side < 0 || side == 1:
		return 0, fmt.Errorf("gmrf: a window of %d cells; give at least 2, or 0 for the default", side)
	case side >= max(g.Rows, g.Cols) || !m.cellwise || side == 0 && shorter <= wide:
		return 0, nil
	case side > 0:
		return side, nil
	}
	if _, seen := m.prior.parts(m.obs, wide/2); len(seen)-seen.Blanks() < fewData && g.Len() <= mostWhole {
		return 0, nil
	}
	return wide / 2, nil
}

// windows are square parts of a grid. They have the same hyperparameters, and a field and a level of their own, so the
// log evidence of all is the sum of theirs. One window may lie where nothing happens, as in the sky of a photograph.
type windows []Prior

// parts returns the window of so many cells a side that has the most cells with data of each quarter of the grid, or of
// each half if two windows are longer than a side, with the observations there.
func (p Prior) parts(obs expfam.Observations, side int) (all windows, seen expfam.Observations) {
	g := p.Grid
	down, across := max(1, min(2, g.Rows/side)), max(1, min(2, g.Cols/side))
	for r := range down {
		for c := range across {
			part, some := p.part(obs, side, r*g.Rows/down, c*g.Cols/across, (r+1)*g.Rows/down, (c+1)*g.Cols/across)
			if some.Blanks() < len(some) {
				all, seen = append(all, part), append(seen, some...)
			}
		}
	}
	return all, seen
}

// part returns the window with the most cells with data between the given rows and columns, or the first of several
// such windows, as a prior and observations of its own. The cells keep their size. So a nugget and a correlation of
// trials mean the same as on the complete grid. On a coarser grid they would not.
func (p Prior) part(obs expfam.Observations, side, top, left, bottom, right int) (Prior, expfam.Observations) {
	g := p.Grid
	rows, cols := min(side, bottom-top), min(side, right-left)
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
	first, from, most := top, left, -1
	for r := top; r <= bottom-rows; r++ {
		for c := left; c <= right-cols; c++ {
			if n := *at(r+rows, c+cols) - *at(r, c+cols) - *at(r+rows, c) + *at(r, c); n > most {
				first, from, most = r, c, n
			}
		}
	}
	x, y := g.Axes()
	x.First, y.First = x.At(from), y.At(first)
	p.Grid.Rows, p.Grid.Cols, p.Grid.X, p.Grid.Y, p.Grid.Outside, p.Grid.Area = rows, cols, x, y, nil, nil
	seen := make(expfam.Observations, rows*cols)
	for k := range seen {
		seen[k] = obs[g.Index(first+k/cols, from+k%cols)]
	}
	return p, seen
}

func (w windows) String() string { return fmt.Sprintf("%d windows of %v", len(w), w[0]) }

// Dim returns the number of cells of all windows.
func (w windows) Dim() (n int) {
	for _, p := range w {
		n += p.Dim()
	}
	return n
}

// Check refuses impossible fields.
func (w windows) Check() error { return w[0].Check() }

// Unknown returns the open numbers, which are those of any of the windows.
func (w windows) Unknown() []law.Parameter { return w[0].Unknown() }

// Given is that of few cells, which have no windows.
func (w windows) Given([]float64) ([]float64, *mat.SymDense, error) {
	return nil, nil, fmt.Errorf("gmrf: %v have a sparse precision only", w)
}

// Sparse returns the fields of the windows beside each other.
func (w windows) Sparse() (*latent.Field, error) {
	var fields []*latent.Field
	for _, p := range w {
		f, err := p.Sparse()
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	numbers := len(w.Unknown())
	f := latent.Beside(fields, slices.Repeat([]int{numbers}, len(w)))
	each := f.Fill
	f.Fill = func(values, q, c []float64) (float64, error) {
		return each(slices.Repeat(values, len(w)), q, c)
	}
	return f, nil
}

// local returns the model with the values of the open hyperparameters that have the largest evidence in windows with
// the given side, to how many data they were fitted, and how many of them lie at a bound of the search.
func (m *model) local(ctx context.Context, side int) (fitted *model, data int, bound float64, err error) {
	all, seen := m.prior.parts(m.obs, side)
	values, _, err := joint.Largest(ctx, unknown{gp.Unknown{Of: all}}, m.like, seen)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("%w (in %d windows of %d by %d cells)", err, len(all), all[0].Grid.Rows,
			all[0].Grid.Cols)
	}
	open := all.Unknown()
	own := len(open)
	constants, err := m.like.Unknowns()
	if err != nil {
		return nil, 0, 0, err
	}
	for k, p := range append(open, constants...) {
		if l, ok := p.Law.(law.LogStudent); ok && (values[k] < 1.01*l.Low || values[k] > 0.99*l.High) {
			bound++
		}
	}
	fitted = &model{prior: m.prior.with(values[:own]), obs: m.obs}
	if fitted.like, fitted.obs, err = m.like.With(values[own:], m.obs); err != nil {
		return nil, 0, 0, fmt.Errorf("gmrf: %w", err)
	}
	return fitted, len(seen) - seen.Blanks(), bound, nil
}

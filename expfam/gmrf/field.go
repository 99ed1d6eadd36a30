package gmrf

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/machine"
)

// Fitted returns the prior with the hyperparameters and the level of a posterior that
// [Sample] made. The standard deviation of the level is the larger of SD and three times
// the posterior standard deviation of the level, so that the data are not counted twice.
func (p Prior) Fitted(post *expfam.Posterior) Prior {
	d := post.Info.Diagnostics
	p.Range, p.SD, p.Nugget, p.FitNugget = d["range"], d["sd"], d["nugget"], false
	p.Level, p.LevelSD, p.KnownLevel = d["level"], 0, d["level_sd"] == 0
	if !p.KnownLevel {
		p.LevelSD = math.Max(p.SD, 3*d["level_sd"])
	}
	return p
}

// Field returns the prior for the library's own samplers, on a grid of any size. The returned prior is exact at every
// noise level and needs no training. Range and SD must be given; [Prior.Fitted] sets them:
//
//	base := expfam.Must(gmrf.Sample(prior, like, obs, gmrf.Options{}))
//	field := expfam.Must(prior.Fitted(base).Field())
//	post := expfam.Must(diffusion.Sample(field, base.Likelihood, obs, diffusion.Sampler{}))
//
// It differs from the prior of [Sample] near the edges of the grid. It is the reflecting
// field u times a single factor, which makes the variance SD² in the middle of the grid.
// Within a Range of an edge the variance grows, up to twice SD² at the edge and four times SD² in a corner.
func (p Prior) Field() (*gp.Lattice, error) {
	side := max(p.Grid.Rows, p.Grid.Cols)
	if err := machine.Fits(fmt.Sprintf("gmrf: the cosines of a side of %d cells", side), 64*float64(side)*float64(side),
		"take gmrf.Sample, or a shorter grid"); err != nil {
		return nil, err
	}
	p, s, err := p.known()
	if err != nil {
		return nil, err
	}
	g := p.Grid
	along, cross, values := cosines(s.rows), s.alongCols, mat.DenseCopyOf(s.inverse)
	middle := s.scale[s.rows/2*s.cols+s.cols/2]
	values.Scale(p.SD*p.SD/(middle*middle), values)
	values.Apply(func(_, _ int, v float64) float64 { return v + p.Nugget*p.Nugget }, values)
	// A level that all cells share adds its variance to the constant cosine of the basis.
	values.Set(0, 0, values.At(0, 0)+p.LevelSD*p.LevelSD*float64(g.Len()))
	if g.Cols > g.Rows { // the lattice has its shorter side as columns
		along, cross, values = cross, along, mat.DenseCopyOf(values.T())
	}
	return gp.NewLattice(p.Level, along, cross, values)
}

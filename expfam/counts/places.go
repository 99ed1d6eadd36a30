package counts

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
)

// place is the centre of a cell: a point of the plane, or a point of the sphere in space, where distances are chords.
// Chords order cells as arcs do, and a covariance function that is valid in space is valid for chords.
type place [3]float64

// distance returns the distance in the unit of the axes, or of Radius.
func (p place) distance(q place) float64 {
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// places returns the centres of all cells.
func places(g grid.Grid) []place {
	out := make([]place, g.Len())
	for j := range out {
		x, y := g.Centre(j)
		out[j] = place{x, y}
		if g.Radius != 0 {
			sinLon, cosLon := math.Sincos(x * math.Pi / 180)
			sinLat, cosLat := math.Sincos(y * math.Pi / 180)
			out[j] = place{g.Radius * cosLat * cosLon, g.Radius * cosLat * sinLon, g.Radius * sinLat}
		}
	}
	return out
}

// examined returns the cells of a map that have trials.
func examined(like expfam.Likelihood, g grid.Grid, obs expfam.Observations) ([]int, error) {
	if err := checkTrials(like, obs); err != nil {
		return nil, err
	}
	if err := g.CheckObservations(obs); err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	var cells []int
	for j, t := range obs {
		if t.Size > 0 {
			cells = append(cells, j)
		}
	}
	if len(cells) < 2 {
		return nil, fmt.Errorf("counts: %d cells have data; a map needs at least 2, use Pooled", len(cells))
	}
	return cells, nil
}

// checkTrials refuses data that are not positives of trials.
func checkTrials(like expfam.Likelihood, obs expfam.Observations) error {
	if like.Family == nil {
		return fmt.Errorf("counts: there is no family; set Likelihood.Family, for example to expfam.Binomial{}")
	}
	if like.Family.Conjugate() != (expfam.BetaPrior{}) {
		return fmt.Errorf("counts: this baseline is for positives of trials, the likelihood is %v; use Raw or "+
			"gmrf.Sample", like)
	}
	if err := independent(like); err != nil {
		return err
	}
	if len(obs) == 0 {
		return fmt.Errorf("counts: there are no cells")
	}
	if err := obs.Check(); err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	for j, t := range obs {
		if t.Stat < 0 || t.Stat > t.Size {
			return fmt.Errorf("counts: cell %d has %g positive of %g", j, t.Stat, t.Size)
		}
	}
	return nil
}

// independent refuses a family whose trials of a cell are correlated. Its conjugate is the conjugate of the
// binomial, which would ignore the correlation.
func independent(like expfam.Likelihood) error {
	if f, ok := like.Family.(expfam.BetaBinomial); ok && f.Correlation != 0 {
		return fmt.Errorf("counts: this baseline takes the trials of a cell as independent, the likelihood is %v; "+
			"use gmrf.Sample, or expfam.Binomial{} to ignore the correlation", like)
	}
	return nil
}

// jeffreys returns the given prior of a probability, or Beta(½, ½) if none is given.
func jeffreys(prior expfam.Standard) (expfam.Standard, error) {
	if prior.Conjugate == nil {
		prior = expfam.Standard{Conjugate: expfam.BetaPrior{}, A: 0.5, B: 0.5}
	}
	if prior.Conjugate != (expfam.BetaPrior{}) || !(prior.A > 0 && prior.B > 0) || math.IsInf(prior.A+prior.B, 1) {
		return prior, fmt.Errorf("counts: the prior is %v; a probability needs a beta prior with two positive numbers",
			prior)
	}
	return prior, nil
}

// inside moves a probability that rounding made 0 or 1 into the open interval (0, 1).
func inside(theta float64) float64 { return math.Min(math.Max(theta, 1e-300), 1-0x1p-53) }

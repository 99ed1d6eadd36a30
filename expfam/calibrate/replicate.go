package calibrate

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// Replicate draws replicated data of cells (nil means all with data) from the posterior predictive distribution. The
// replicated data have the sizes of the observations: counts, for example, have the same exposures or trials. Replicate
// returns the statistic of every draw and cell, and for comparison the observed statistic of every cell. For counts
// both are the counts themselves, summed over replicates.
func Replicate(post *expfam.Posterior, obs expfam.Observations, cells []int, seed uint64) (*expfam.Draws, []float64,
	error) {
	cells, err := withData("replicate", post, obs, cells)
	if err != nil {
		return nil, nil, err
	}
	n, _ := post.Dims()
	family, theta := post.Likelihood.Family, post.Theta()
	x, known, stats := mat.NewDense(n, len(cells), nil), make([]expfam.Known, len(cells)), make([]float64, len(cells))
	for k, j := range cells {
		for i := range n {
			x.Set(i, k, post.X.At(i, j))
		}
		stats[k] = obs[j].Stat
		if known[k], err = obs[j].Known(family, theta.At(0, j)); err != nil {
			return nil, nil, fmt.Errorf("calibrate: replicate: cell %d: %w", j, err)
		}
	}
	y, err := (&expfam.Posterior{X: x, Likelihood: post.Likelihood}).Predictive(seed, known)
	if err != nil {
		return nil, nil, fmt.Errorf("calibrate: replicate: %w (cells counted among those scored)", err)
	}
	failed := make([]error, n)
	parallel.For(n, parallel.Heavy, func(i int) {
		row := y.X.RawRowView(i)
		for k, v := range row {
			t, err := family.Reduce(v, known[k])
			if err != nil {
				failed[i] = fmt.Errorf("calibrate: replicate: draw %d, cell %d: %w", i, cells[k], err)
				return
			}
			row[k] = t.Stat
		}
	})
	return y, stats, errors.Join(failed...)
}

// Replicates are observed statistics with draws of replicated statistics. viz.Predictive takes them.
type Replicates struct {
	Draws    *expfam.Draws
	Observed []float64 // statistics of the cells with data
	Sizes    []float64 // sizes of the same cells: exposures, trials
}

// Replicated makes the Replicates of all cells with data.
func Replicated(post *expfam.Posterior, obs expfam.Observations, seed uint64) (Replicates, error) {
	var r Replicates
	var err error
	r.Draws, r.Observed, err = Replicate(post, obs, nil, seed)
	for _, j := range Observed(obs) {
		r.Sizes = append(r.Sizes, obs[j].Size)
	}
	return r, err
}

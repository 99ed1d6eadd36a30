package calibrate

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// LogScore returns the log posterior predictive density of the data of every cell,
//
//	log 1/n Σᵢ p(yⱼ | θᵢⱼ),
//
// with the exposures, trials and constants that the observations carry, for any family and link; higher is better.
// Replicates of a cell count jointly, each with its own log h. The log of an average over n draws is too low by about
// Var(p)/(2n E(p)²), so compare methods at equal numbers of draws.
//
// The observations must be data that the posterior has not seen. The argument cells lists the
// cells to score; nil means all with data.
func LogScore(post *expfam.Posterior, obs expfam.Observations, cells []int) (Scores, error) {
	cells, err := withData("log score", post, obs, cells)
	if err != nil {
		return nil, err
	}
	draws, at, err := logLik(post)
	if err != nil {
		return nil, fmt.Errorf("calibrate: log score: %w", err)
	}
	return LogScoreOf(draws, cells, func(j int, x float64) float64 { return at(x, obs[j]) })
}

// logLik returns the draws d of x₀, and the function at, which returns log p of the data of
// a cell given one draw of the cell.
func logLik(post *expfam.Posterior) (d *expfam.Draws, at func(x float64, t expfam.Term) float64, err error) {
	terms, err := post.Likelihood.Terms()
	if err == nil {
		err = terms.Cellwise()
	}
	if err != nil {
		return nil, nil, err
	}
	// In x₀, because θ may be rounded to an end of its interval.
	return post.Latent(), terms.LogLik, nil
}

// LogScoreOf is [LogScore] for your own likelihood: logLik returns log p of the data of a cell
// given a draw of the cell.
func LogScoreOf(d Draws, cells []int, logLik func(cell int, x float64) float64) (Scores, error) {
	n, all := d.Dims()
	cells, err := within("log score", cells, all)
	if err != nil {
		return nil, err
	}
	out := make(Scores, len(cells))
	parallel.For(len(cells), parallel.Heavy, func(k int) {
		logs := make([]float64, n)
		for i := range logs {
			logs[i] = logLik(cells[k], d.At(i, cells[k]))
		}
		out[k] = logMeanExp(logs)
	})
	for k, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("calibrate: log score: cell %d: it is %v; look for draws that are not finite "+
				"with Posterior.Check", cells[k], v)
		}
	}
	return out, nil
}

// given refuses a posterior that is nil.
func given(what string, post *expfam.Posterior) error {
	if post == nil || post.X == nil {
		return fmt.Errorf("calibrate: %s: the posterior is nil; look at the error of the function that should have "+
			"made it", what)
	}
	return nil
}

// withData returns cells after checks. For nil it returns all cells with data.
func withData(what string, post *expfam.Posterior, obs expfam.Observations, cells []int) ([]int, error) {
	if err := given(what, post); err != nil {
		return nil, err
	}
	_, all := post.Dims()
	if len(obs) != all {
		return nil, fmt.Errorf("calibrate: %s: %d observed cells and a posterior of %d; give one term for each", what,
			len(obs), all)
	}
	if post.Likelihood.Family == nil {
		return nil, fmt.Errorf("calibrate: %s: the posterior has no likelihood; set Posterior.Likelihood", what)
	}
	if cells == nil {
		cells = Observed(obs)
	}
	cells, err := within(what, cells, all)
	if err != nil {
		return nil, err
	}
	for _, j := range cells {
		if obs[j] == (expfam.Term{}) {
			return nil, fmt.Errorf("calibrate: %s: cell %d has no data; score cells with data, or give nil for all "+
				"of them", what, j)
		}
	}
	return cells, nil
}

package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// Pointwise returns log p(y_k | x₀⁽ⁱ⁾) of every draw i and every datum k that was observed, as a (draws, data) matrix,
// and the number of each datum. The exposures, trials and constants are those that the observations carry. Without an
// operator a datum is a cell. The data sets of [expfam.Together] follow each other. Leave-one-out and ArviZ's
// log_likelihood are computed from this matrix.
func Pointwise(post *expfam.Posterior, obs expfam.Observations) (logs *mat.Dense, data []int, err error) {
	seen, err := post.Seen()
	if err != nil {
		return nil, nil, fmt.Errorf("calibrate: pointwise: %w", err)
	}
	total := 0
	for _, p := range seen {
		_, cells := p.Dims()
		total += cells
	}
	if len(obs) != total {
		return nil, nil, fmt.Errorf("calibrate: pointwise: %d observations of %d data; give one term for each",
			len(obs), total)
	}
	if data = Observed(obs); len(data) == 0 {
		return nil, nil, fmt.Errorf("calibrate: pointwise: none of %d data was observed", total)
	}
	draws, _ := post.Dims()
	logs = mat.NewDense(draws, len(data), nil)
	first, column := 0, 0
	for _, p := range seen {
		_, cells := p.Dims()
		own := Observed(obs[first : first+cells])
		x, at, err := logLik(p)
		if err != nil {
			return nil, nil, fmt.Errorf("calibrate: pointwise: %w", err)
		}
		parallel.For(draws, 16*len(own), func(i int) {
			from, to := x.X.RawRowView(i), logs.RawRowView(i)[column:]
			for k, j := range own {
				to[k] = at(from[j], obs[first+j])
			}
		})
		first, column = first+cells, column+len(own)
	}
	for i := range draws {
		for k, v := range logs.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 1) {
				return nil, nil, fmt.Errorf("calibrate: pointwise: draw %d, datum %d: the log-likelihood is %v; "+
					"look for draws that are not finite with Posterior.Check", i, data[k], v)
			}
		}
	}
	return logs, data, nil
}

// logMeanExp returns log 1/n Σ exp(xᵢ).
func logMeanExp(x []float64) float64 {
	largest := math.Inf(-1)
	for _, v := range x {
		largest = math.Max(largest, v)
	}
	if math.IsInf(largest, -1) {
		return largest
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - largest)
	}
	return largest + math.Log(sum/float64(len(x)))
}

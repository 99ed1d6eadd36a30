package calibrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Scores has a score or an indicator for every scored cell, in the order of the cells.
type Scores []float64

// Estimate is a mean with its standard error.
type Estimate struct {
	Mean float64
	SE   float64 // NaN for fewer than two values
	N    int     // number of values
}

// String prints the mean and the standard error to the second digit of the standard error, as in
// "-0.077 ± 0.012". For a single value it prints the value.
func (e Estimate) String() string {
	if math.IsNaN(e.SE) {
		return fmt.Sprintf("%.4g", e.Mean)
	}
	if !(e.SE > 0) || math.IsInf(e.SE, 1) {
		return fmt.Sprintf("%.4g ± %.2g", e.Mean, e.SE)
	}
	digits := max(0, 1-int(math.Floor(math.Log10(e.SE))))
	return fmt.Sprintf("%.*f ± %.*f", digits, e.Mean, digits, e.SE)
}

// Mean returns the mean over cells. Its standard error treats cells as independent. Cells of
// one field are not independent; use repeated splits ([Splits]) for them.
func (s Scores) Mean() Estimate {
	mean, sd := stat.MeanStdDev(s, nil)
	return Estimate{mean, stat.StdErr(sd, float64(len(s))), len(s)}
}

// Minus returns these scores minus another method's scores of the same cells. The mean of the
// differences has a smaller standard error than the difference of the means.
func (s Scores) Minus(other Scores) Scores {
	out := slices.Clone(s)
	for k := range out {
		out[k] -= other[k]
	}
	return out
}

// Group is the mean of scores over the cells whose key is in [Low, High).
type Group struct {
	Low, High float64
	Estimate
}

// By groups scores by a key of every score, such as the number of people examined in the cell.
// Group i has the scores with edges[i] ≤ key < edges[i+1]. Groups without cells have N = 0.
func (s Scores) By(key, edges []float64) Groups {
	var groups Groups
	for i := range len(edges) - 1 {
		var in Scores
		for k, v := range s {
			if edges[i] <= key[k] && key[k] < edges[i+1] {
				in = append(in, v)
			}
		}
		groups = append(groups, Group{edges[i], edges[i+1], in.Mean()})
	}
	return groups
}

// Groups are the results of [Scores.By].
type Groups []Group

// Shares returns the groups as a curve with a band of two standard errors, for scores of 0 and 1 such as coverage.
// Group i stands at x = at[i]. Groups of fewer than two cells are left out, and the band does not go above 1.
func (g Groups) Shares(at []float64) (x, y, low, high []float64) {
	for i, one := range g {
		if one.N > 1 {
			x, y = append(x, at[i]), append(y, one.Mean)
			low, high = append(low, one.Mean-2*one.SE), append(high, math.Min(1, one.Mean+2*one.SE))
		}
	}
	return x, y, low, high
}

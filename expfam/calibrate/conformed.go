package calibrate

import (
	"fmt"
	"slices"

	"github.com/expfam/lab/expfam"
)

// Conformed are calibrated scales.
type Conformed struct {
	Conformal
	Scale map[int]float64 // q of each group; a normal model that is right has 1.96 at 95%
	N     map[int]int     // calibration data of each group
	// Warning says why the level may not hold. It is "" if no reason was found.
	Warning string

	least, most [2]float64 // ranges of the size and of the sd of θ of the calibration cells
}

// Intervals returns the intervals of the statistics of data with the sizes of obs, for all cells with a size, in the
// order of the cells. The statistics of obs are not used.
func (f *Conformed) Intervals(post *expfam.Posterior, obs expfam.Observations) (cells []int, low, high []float64,
	err error) {
	p, err := f.predict(post, obs)
	if err != nil {
		return nil, nil, nil, err
	}
	family := post.Likelihood.Family
	positive, trials := family.Natural().Low == 0, ofTrials(family)
	low, high = make([]float64, len(p.cells)), make([]float64, len(p.cells))
	for k, j := range p.cells {
		q, ok := f.Scale[f.group(j)]
		if !ok {
			return nil, nil, nil,
				fmt.Errorf("calibrate: conformal: cell %d is in group %d, which has no calibration data", j, f.group(j))
		}
		low[k], high[k] = p.mean[k]-q*p.sd[k], p.mean[k]+q*p.sd[k]
		if positive {
			low[k] = max(0, low[k])
		}
		if trials {
			high[k] = min(p.size[k], high[k])
		}
	}
	return p.cells, low, high, nil
}

// Beyond lists the cells with data in obs that no calibration cell is like: their size, or their sd of θ, is outside of
// the range of the calibration cells. The level of their intervals rests on hope.
func (f *Conformed) Beyond(post *expfam.Posterior, obs expfam.Observations) (cells []int) {
	spread := post.SD()
	for _, j := range Observed(obs) {
		for i, v := range []float64{obs[j].Size, spread[j]} {
			if v < f.least[i]*(1-1e-9) || v > f.most[i]*(1+1e-9) {
				cells = append(cells, j)
				break
			}
		}
	}
	return cells
}

// ConformalRow compares the intervals of a group of test data. Widths are means over the data, of the statistic divided
// by the size.
type ConformalRow struct {
	Group           int // −1: all groups
	N               int
	Own, Conformal  Estimate // shares of the data that the model's intervals and the conformal intervals hold
	OwnWidth, Width float64
}

// Compare tests both intervals, those of the model and the conformal ones, on data that neither the posterior nor the
// calibration has seen. The first row is of all data, and the others of one group each.
func (f *Conformed) Compare(post *expfam.Posterior, test expfam.Observations) ([]ConformalRow, error) {
	p, err := f.predict(post, test)
	if err != nil {
		return nil, err
	}
	cells, low, high, err := f.Intervals(post, test)
	if err != nil {
		return nil, err
	}
	own, err := Coverage{Level: f.Level}.Latent(p.draws, p.y)
	if err != nil {
		return nil, err
	}
	ownLow, ownHigh, err := Intervals(p.draws, f.Level, nil)
	if err != nil {
		return nil, err
	}
	groups := []int{}
	for _, j := range cells {
		if g := f.group(j); !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	if len(groups) > 1 {
		groups = append([]int{-1}, groups...)
	} else {
		groups = []int{-1}
	}
	var rows []ConformalRow
	for _, g := range groups {
		row := ConformalRow{Group: g}
		var a, b Scores
		for k, j := range cells {
			if g >= 0 && f.group(j) != g {
				continue
			}
			in := 0.0
			if low[k] <= p.y[k] && p.y[k] <= high[k] {
				in = 1
			}
			a, b = append(a, own[k]), append(b, in)
			row.OwnWidth += (ownHigh[k] - ownLow[k]) / p.size[k]
			row.Width += (high[k] - low[k]) / p.size[k]
		}
		row.N, row.Own, row.Conformal = len(a), a.Mean(), b.Mean()
		row.OwnWidth, row.Width = row.OwnWidth/float64(len(a)), row.Width/float64(len(a))
		rows = append(rows, row)
	}
	return rows, nil
}

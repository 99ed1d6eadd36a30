package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
)

// Conformal makes intervals of data that cover by construction, whatever the prior and the family (Vovk, Gammerman &
// Shafer 2005). The posterior has seen some data, others calibrate it, and intervals of further data are
//
//	mean ± q·sd
//
// of replicated data of the same size, so that data of unequal n share one q. It is the quantile of |y − mean|/sd over
// the calibration data that holds the level for a further datum, if that datum is exchangeable with these. What a wrong
// model costs is then width.
//
// Exchangeability holds for cells that were held out at random. It fails for cells far from all data if the calibration
// cells are near them, and for sizes that were not there: [Conformed.Beyond] says where. For regions without data hold
// out blocks ([Splits]) and give Block: a further block is then exchangeable with the calibration blocks, and a datum
// has the weight 1/(B+1)/|block| for B blocks (Lee, Barber & Willett 2023, arXiv:2306.06342).
type Conformal struct {
	Level float64 // default 0.95
	// Group has the number of the group of each cell, such as few or many examined. Each group has its own q, so that
	// the level holds in each group. Nil: one group.
	Group []int
	// Block has the number of the block of each cell. Nil: each cell is its own block.
	Block []int
	Seed  uint64 // of replicated data
}

// Conformed are calibrated scales.
type Conformed struct {
	Conformal
	Scale map[int]float64 // q of each group; a normal model that is right has 1.96 at 95%
	N     map[int]int     // calibration data of each group
	// Warning says why the level may not hold. It is "" if no reason was found.
	Warning string

	least, most [2]float64 // ranges of the size and of the sd of θ of the calibration cells
}

// Calibrate finds the scales from data that the posterior has not seen.
func (c Conformal) Calibrate(post *expfam.Posterior, held expfam.Observations) (*Conformed, error) {
	c.Level = cmp.Or(c.Level, 0.95)
	if !(c.Level > 0 && c.Level < 1) {
		return nil, fmt.Errorf("calibrate: conformal: level %v; give one between 0 and 1", c.Level)
	}
	for name, of := range map[string][]int{"Group": c.Group, "Block": c.Block} {
		if of != nil && len(of) != len(held) {
			return nil, fmt.Errorf("calibrate: conformal: %d cells of %s for %d observations; give one for each cell",
				len(of), name, len(held))
		}
	}
	p, err := c.predict(post, held)
	if err != nil {
		return nil, err
	}
	f := &Conformed{Conformal: c, Scale: map[int]float64{}, N: map[int]int{}}
	scores := make([]float64, len(p.cells))
	members := map[int][]int{}
	for k, j := range p.cells {
		scores[k] = math.Abs(p.y[k]-p.mean[k]) / p.sd[k]
		members[c.group(j)] = append(members[c.group(j)], k)
	}
	for group, of := range members {
		q, blocks := c.quantile(scores, p.cells, of)
		if math.IsInf(q, 1) {
			return nil, fmt.Errorf("calibrate: conformal: group %d has %d calibration data in %d blocks; %g%% needs "+
				"at least %.0f blocks; hold out more, or merge groups", group, len(of), blocks, 100*c.Level,
				math.Ceil(c.Level/(1-c.Level)-1e-9))
		}
		f.Scale[group], f.N[group] = q, len(of)
	}
	f.least, f.most = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	spread := post.SD()
	for _, j := range p.cells {
		for i, v := range []float64{held[j].Size, spread[j]} {
			f.least[i], f.most[i] = min(f.least[i], v), max(f.most[i], v)
		}
	}
	f.Warning = p.trend(scores, members)
	return f, nil
}

func (c Conformal) group(cell int) int {
	if c.Group == nil {
		return 0
	}
	return c.Group[cell]
}

// quantile returns the smallest score of the places of for which a further datum is below with probability Level, and
// the number of their blocks.
func (c Conformal) quantile(scores []float64, cells, of []int) (q float64, blocks int) {
	sizes := map[int]int{}
	block := func(k int) int {
		if c.Block == nil {
			return k
		}
		return c.Block[cells[k]]
	}
	for _, k := range of {
		sizes[block(k)]++
	}
	order := slices.Clone(of)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	blocks = len(sizes)
	sum := 0.0
	for _, k := range order {
		if sum += 1 / (float64(blocks+1) * float64(sizes[block(k)])); sum >= c.Level-1e-12 {
			return scores[k], blocks
		}
	}
	return math.Inf(1), blocks
}

// predicted are the mean and the sd of replicated data of cells.
type predicted struct {
	cells       []int
	y, mean, sd []float64
	size        []float64
	draws       *expfam.Draws
}

func (c Conformal) predict(post *expfam.Posterior, obs expfam.Observations) (*predicted, error) {
	cells, err := withData("conformal", post, obs, nil)
	if err != nil {
		return nil, err
	}
	draws, y, err := Replicate(post, obs, cells, c.Seed)
	if err != nil {
		return nil, err
	}
	p := &predicted{cells: cells, y: y, draws: draws}
	whole := true
	for _, v := range draws.X.RawMatrix().Data {
		whole = whole && v == math.Trunc(v)
	}
	for k, j := range cells {
		mean, variance := stat.MeanVariance(mat.Col(nil, k, draws.X), nil)
		if whole {
			variance += 1.0 / 12 // of rounding (Sheppard 1898): a count of which all replicates are 0 has an sd
		}
		if !(variance > 0) {
			return nil, fmt.Errorf("calibrate: conformal: cell %d: all replicated data are %g; make more draws", j,
				mean)
		}
		p.mean, p.sd, p.size = append(p.mean, mean), append(p.sd, math.Sqrt(variance)), append(p.size, obs[j].Size)
	}
	return p, nil
}

// trend says whether the scores of a group go with the size of the data.
func (p *predicted) trend(scores []float64, members map[int][]int) string {
	for group, of := range members {
		a, b := make([]float64, len(of)), make([]float64, len(of))
		for i, k := range of {
			a[i], b[i] = scores[k], p.size[k]
		}
		r := stat.Correlation(midranks(a), midranks(b), nil)
		// r√(n−1) is nearly standard normal if scores and sizes are independent; beyond 3.3 with probability 0.001.
		if z := r * math.Sqrt(float64(len(of)-1)); math.Abs(z) > 3.3 {
			word := "larger"
			if r < 0 {
				word = "smaller"
			}
			return fmt.Sprintf("in group %d the misses are %s where sizes are larger (rank correlation %.2f), so the "+
				"level holds on average over sizes, and not at each; give a Group by size", group, word, r)
		}
	}
	return ""
}

// midranks returns the ranks of x, with the mean rank for equal values.
func midranks(x []float64) []float64 {
	order := ordered(x)
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		n := i
		for n < len(order) && x[order[n]] == x[order[i]] {
			n++
		}
		for _, k := range order[i:n] {
			out[k] = float64(i+n-1) / 2
		}
		i = n
	}
	return out
}

// Intervals returns the intervals of the statistics of data with the sizes of obs, for all cells with a size, in the
// order of the cells. The statistics of obs are not used.
func (f *Conformed) Intervals(post *expfam.Posterior, obs expfam.Observations) (cells []int, low, high []float64,
	err error) {
	p, err := f.predict(post, obs)
	if err != nil {
		return nil, nil, nil, err
	}
	natural := post.Likelihood.Family.Natural()
	low, high = make([]float64, len(p.cells)), make([]float64, len(p.cells))
	for k, j := range p.cells {
		q, ok := f.Scale[f.group(j)]
		if !ok {
			return nil, nil, nil,
				fmt.Errorf("calibrate: conformal: cell %d is in group %d, which has no calibration data", j, f.group(j))
		}
		low[k], high[k] = p.mean[k]-q*p.sd[k], p.mean[k]+q*p.sd[k]
		if natural.Low == 0 {
			low[k] = max(0, low[k])
		}
		if natural.Low == 0 && natural.High == 1 {
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

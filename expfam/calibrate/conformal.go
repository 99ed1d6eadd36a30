package calibrate

import (
	"cmp"
	"fmt"
	"maps"
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
	for _, group := range slices.Sorted(maps.Keys(members)) {
		of := members[group]
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

// trend says whether the scores of a group go with the size of the data. It names the first such group.
func (p *predicted) trend(scores []float64, members map[int][]int) string {
	for _, group := range slices.Sorted(maps.Keys(members)) {
		of := members[group]
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

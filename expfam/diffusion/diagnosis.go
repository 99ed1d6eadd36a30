package diffusion

import (
	"context"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// diagnosis is the information of the data about each cell taken alone, before the first step. A cell of the prior has
// the mean μ and the standard deviation s. The diagnosis is made at the mode of log p(y | x) − (x − μ)²/(2 s²), with
// the information h = −∂² log p(y | x) there. Each extreme is the extreme over all cells with data. The sites, sharpest
// and faintest cover only informed cells: those with s²h > 0.1.
type diagnosis struct {
	sites    []site  // an equivalent observation of x₀ − μ for each informed cell, else zero
	sharpest extreme // smallest posterior standard deviation (h + 1/s²)^−½, or +Inf
	faintest extreme // smallest ratio of posterior standard deviation to max(|mode|, s), or +Inf
	farthest extreme // largest |mode − μ|/s
	tightest extreme // largest s²h
	typical  float64 // mean s²h of the cells with data, for data that look at one cell each
	largest  float64 // largest statistic or size
	coarsest extreme // largest |Stat·η| + |Size·A|, whose difference is the log-likelihood
	newton   int     // number of Newton steps to the modes, for data that look through an operator
}

// extreme is a value, and the cell that has it with its mode and its prior mean.
type extreme struct {
	value float64
	cell  int
	mode  float64
	mean  float64 // of the prior in this cell
}

// atMost replaces an extreme by a smaller one, and atLeast by a larger one.
func (e *extreme) atMost(o extreme) {
	if o.value < e.value {
		*e = o
	}
}

func (e *extreme) atLeast(o extreme) {
	if o.value > e.value {
		*e = o
	}
}

// emptyDiagnosis is the diagnosis of no data.
func emptyDiagnosis() diagnosis {
	return diagnosis{sharpest: extreme{value: math.Inf(1)}, faintest: extreme{value: math.Inf(1)}}
}

// site is a Gaussian observation of x₀ − μ that is equivalent to the data of a cell.
type site struct{ value, precision float64 }

// diagnose returns the diagnosis before the first step, and whether there are data. Without an operator
// the diagnosis is of each cell. With an operator it is of each η_k (of log θ_k for a sum of intensities), under
// the prior's correlations of the cells.
func (s *setup) diagnose(ctx context.Context, m *moments, obs expfam.Observations) (diagnosis, bool, error) {
	if s.forward.Plain() {
		return diagnose(s.terms, obs, m.mean, m.sd)
	}
	r, err := s.covariance.correlations(ctx)
	if err != nil {
		return diagnosis{}, false, err
	}
	return diagnoseData(s.forward, r, m, obs)
}

// diagnose makes the diagnosis of data whose cells have these prior means and standard deviations. A cell
// of standard deviation 0 counts as one without data. found is false if no cell with data is left.
func diagnose(t *expfam.Terms, obs expfam.Observations, mean, sd []float64) (sum diagnosis, found bool, err error) {
	var cells []int
	for j, c := range obs {
		if (c.Stat != 0 || c.Size != 0) && sd[j] > 0 { // no data move a cell without variance
			cells = append(cells, j)
		}
	}
	modes, err := modesOf(t, obs, cells, mean, sd)
	if err != nil {
		return sum, false, err
	}
	sum = emptyDiagnosis()
	sum.sites = make([]site, len(obs))
	for i, j := range cells {
		c, x := obs[j], modes[i]
		h := math.Max(t.Information(x, c), 0)
		tight := sd[j] * sd[j] * h
		at := func(value float64) extreme { return extreme{value, j, x, mean[j]} }
		if tight > 0.1 {
			posterior := sd[j] / math.Sqrt(1+tight)
			sum.sites[j] = site{x - mean[j] + t.Slope(x, c)/h, h}
			sum.sharpest.atMost(at(posterior))
			sum.faintest.atMost(at(posterior / math.Max(math.Abs(x), sd[j])))
		}
		sum.largest = max(sum.largest, math.Abs(c.Stat), c.Size)
		sum.farthest.atLeast(at(math.Abs(x-mean[j]) / sd[j]))
		sum.tightest.atLeast(at(tight))
		sum.typical += tight / float64(len(cells))
		sum.coarsest.atLeast(at(absoluteTerms(t, x, c)))
	}
	return sum, len(cells) > 0, nil
}

// absoluteTerms returns |Stat·η| + |Size·A| at x, or the absolute log-likelihood, without Base, of a
// [expfam.General] family.
func absoluteTerms(t *expfam.Terms, x float64, c expfam.Term) float64 {
	if _, general := t.Family.(expfam.General); general {
		return math.Abs(t.LogLik(x, expfam.Term{Stat: c.Stat, Size: c.Size}))
	}
	return math.Abs(t.LogLik(x, expfam.Term{Stat: c.Stat})) + math.Abs(t.LogLik(x, expfam.Term{Size: c.Size}))
}

// reachOfModes bounds the search for a mode, in prior standard deviations.
const reachOfModes = 1 << 20

// modesOf finds the posterior modes of some cells, each taken alone, by bisection. The density rises far below a mode
// and falls far above it. It has one mode where the log-likelihood is concave.
func modesOf(t *expfam.Terms, obs expfam.Observations, cells []int, mean, sd []float64) ([]float64, error) {
	n := len(cells)
	some, x, slope := make(expfam.Observations, n), make([]float64, n), make([]float64, n)
	for i, j := range cells {
		some[i] = obs[j]
	}
	// rises calls tell for each cell with whether the density rises at x = μ + s z.
	rises := func(z func(i int) float64, tell func(i int, up bool)) {
		for i, j := range cells {
			x[i] = mean[j] + sd[j]*z(i)
		}
		t.LogLikSlope(x, some, slope)
		for i, j := range cells {
			tell(i, sd[j]*slope[i] > z(i))
		}
	}
	low, high := make([]float64, n), make([]float64, n)
	for reach, open := 1.0, n; open > 0; reach *= 2 {
		open = 0
		rises(func(int) float64 { return reach }, func(i int, up bool) {
			if high[i] == 0 && !up {
				high[i] = reach
			}
		})
		rises(func(int) float64 { return -reach }, func(i int, up bool) {
			if low[i] == 0 && up {
				low[i] = -reach
			}
			if low[i] < 0 && high[i] > 0 {
				return
			}
			open++
		})
		if open > 0 && reach > reachOfModes {
			for i, j := range cells {
				if low[i] == 0 || high[i] == 0 {
					return nil, fmt.Errorf("sample: cell %d: the posterior of statistic %g and size %g has no mode "+
						"within %d standard deviations of the prior's mean %.3g; check the data and the link",
						j, obs[j].Stat, obs[j].Size, reachOfModes, mean[j])
				}
			}
		}
	}
	for range 60 { // halvings, to the rounding error of the reach
		middle := func(i int) float64 { return (low[i] + high[i]) / 2 }
		rises(middle, func(i int, up bool) {
			if up {
				low[i] = middle(i)
			} else {
				high[i] = middle(i)
			}
		})
	}
	for i, j := range cells {
		x[i] = mean[j] + sd[j]*(low[i]+high[i])/2
	}
	return x, nil
}

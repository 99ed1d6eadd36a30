package expfam

import (
	"fmt"
	"math"
	"sort"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/loggrid"
	"github.com/expfam/lab/expfam/store"
)

// Lattice is a prior whose cells are a grid, row after row, on which the correlation of
// x₀ | x_t is about the same wherever one looks. With data of an operator [Sample] asks for
// it where there are more than 128 cells; other priors are taken for a line.
type Lattice interface{ Lattice() (rows, cols int) }

// correlations are those of the cells of x₀ | x_t, averaged over x_t, at some noise levels.
// They enter the variance of η_k | x_t, which no Jacobian product gives at once.
type correlations struct {
	Sigma []float64 // rising
	// Table of every level: all pairs of up to wholeCells cells, and for more the
	// correlation by lag, (2 Rows − 1) × (2 Cols − 1) numbers with lag 0 in the middle.
	Table      [][]float64
	Cells      int
	Rows, Cols int // 0 where there are all pairs
}

const (
	// wholeCells is the largest number of cells of which all pairs are kept.
	wholeCells = 128
	// correlationLevels is the number of levels; between them tables are interpolated.
	correlationLevels = 16
	// The rows of Cov(x₀ | x_t) that are averaged at every level: of each cell where
	// all pairs are kept, and in all where lags are.
	correlationEach, correlationAll = 4, 32
)

func (c *correlations) whole() bool { return c.Rows == 0 }

// at is the table at a noise level.
func (c *correlations) at(sigma float64) []float64 {
	i := sort.SearchFloat64s(c.Sigma, sigma)
	if i == 0 {
		return c.Table[0]
	}
	if i == len(c.Sigma) {
		return c.Table[i-1]
	}
	w := math.Log(sigma/c.Sigma[i-1]) / math.Log(c.Sigma[i]/c.Sigma[i-1])
	out := make([]float64, len(c.Table[i]))
	for k := range out {
		out[k] = (1-w)*c.Table[i-1][k] + w*c.Table[i][k]
	}
	return out
}

// between is the correlation of two cells in a table.
func (c *correlations) between(table []float64, a, b int) float64 {
	if c.whole() {
		return table[a*c.Cells+b]
	}
	return table[(a/c.Cols-b/c.Cols+c.Rows-1)*(2*c.Cols-1)+a%c.Cols-b%c.Cols+c.Cols-1]
}

// correlationRevision is part of the key of stored tables.
const correlationRevision = 1

// correlated is the table of the sampler's prior, measured once and stored.
func (c *Compiled) correlated() (*correlations, error) {
	if c.correlation != nil {
		return c.correlation, nil
	}
	if err := c.look(); err != nil {
		return nil, err
	}
	compute := func() (*correlations, error) { return c.measureCorrelations() }
	var err error
	if _, linear := c.prior.(Linear); linear || c.sampler.Fresh {
		c.correlation, err = compute()
		return c.correlation, err
	}
	key, err := PriorFingerprint(c.prior, c.sampler.Engine)
	if err != nil {
		return nil, err
	}
	c.correlation, err = store.Once("correlation", store.Key(correlationRevision, key), store.JSON[*correlations](), compute)
	return c.correlation, err
}

// measureCorrelations takes rows of Cov(x₀ | x_t) by Jacobian products at x_t that a
// deterministic descent without data passes, from pure noise to low noise.
func (c *Compiled) measureCorrelations() (*correlations, error) {
	d, batch := c.prior.Dim(), c.block
	out := &correlations{Cells: d}
	each := correlationAll
	switch _, linear := c.prior.(Linear); {
	case d <= wholeCells && linear: // the same at every x_t
		each = d
	case d <= wholeCells:
		each = correlationEach * d
	default:
		out.Rows, out.Cols = 1, d
		if l, ok := c.prior.(Lattice); ok {
			out.Rows, out.Cols = l.Lattice()
		}
		if out.Rows*out.Cols != d {
			return nil, fmt.Errorf("sample: %v has %d cells and says that they are a lattice of %d by %d", c.prior, d, out.Rows, out.Cols)
		}
	}
	calls := (each + batch - 1) / batch
	exec, err := NewExec(c.sampler.Engine.Backend, func(args []*Node) []*Node {
		l := LevelNodes{SqrtAlpha: args[2], V: args[3]}
		p := &Point{X: args[0], Level: l}
		mean, variance := c.prior.Moments(p.X, l)
		p.Mean = mean
		return []*Node{p.Cov(args[1]), mean, BroadcastToDims(Sqrt(variance), mean.Shape().Dimensions...)}
	})
	if err != nil {
		return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
	}
	defer exec.Finalize()
	scale := math.Max(rms(c.sd), 1e-30)
	sigmas := loggrid.Of(40*scale, 0.005*scale, correlationLevels-1)
	out.Sigma, out.Table = make([]float64, correlationLevels), make([][]float64, correlationLevels)
	x, rng := make([]float64, batch*d), Stream(0, "correlation")
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i, sigma := range sigmas {
		sum := newCovariances(out)
		level := LevelAt(sigma)
		var mean []float64
		for call := range calls {
			cells := make([]int, batch)
			unit := make([]float64, batch*d)
			for b := range cells {
				if cells[b] = (call*batch + b) % d; !out.whole() {
					cells[b] = rng.IntN(d)
				}
				unit[b*d+cells[b]] = 1
			}
			args := []*tensors.Tensor{tensorAs(c.sampler.DType, x, batch, d), tensorAs(c.sampler.DType, unit, batch, d),
				tensorAs(c.sampler.DType, []float64{level.SqrtAlpha}, 1, 1), tensorAs(c.sampler.DType, []float64{level.V}, 1, 1)}
			got, err := exec.Call(args[0], args[1], args[2], args[3])
			if err != nil {
				return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
			}
			var values [3][]float64
			for k := range values {
				if values[k], err = doubles(got[k]); err != nil {
					return nil, err
				}
			}
			if err := engine.Release(append(args, got...)...); err != nil {
				return nil, err
			}
			mean = values[1]
			for b, cell := range cells {
				sum.add(cell, values[0][b*d:(b+1)*d], values[2][b*d:(b+1)*d])
			}
		}
		at := correlationLevels - 1 - i
		out.Sigma[at], out.Table[at] = sigma, sum.correlations()
		if i+1 < len(sigmas) { // Euler's step of the probability flow in σ
			next := LevelAt(sigmas[i+1])
			for k := range x {
				x[k] = next.SqrtAlpha * (mean[k] + sigmas[i+1]/sigma*(x[k]/level.SqrtAlpha-mean[k]))
			}
		}
	}
	return out, nil
}

// rms is the root of the mean square.
func rms(v []float64) float64 { return floats.Norm(v, 2) / math.Sqrt(float64(len(v))) }

// covariances adds up rows of Cov(x₀ | x_t) over the product of standard deviations.
type covariances struct {
	of         *correlations
	sum, count []float64
}

func newCovariances(of *correlations) *covariances {
	n := of.Cells * of.Cells
	if !of.whole() {
		n = (2*of.Rows - 1) * (2*of.Cols - 1)
	}
	return &covariances{of, make([]float64, n), make([]float64, n)}
}

// add takes the row of a cell, with the standard deviations of all cells.
func (s *covariances) add(cell int, row, sd []float64) {
	for j, v := range row {
		v /= sd[cell] * sd[j]
		for _, at := range [2]int{s.at(cell, j), s.at(j, cell)} {
			s.sum[at] += v
			s.count[at]++
		}
	}
}

func (s *covariances) at(a, b int) int {
	c := s.of
	if c.whole() {
		return a*c.Cells + b
	}
	return (a/c.Cols-b/c.Cols+c.Rows-1)*(2*c.Cols-1) + a%c.Cols - b%c.Cols + c.Cols - 1
}

// correlations are the averages; a lag that was never seen has none.
func (s *covariances) correlations() []float64 {
	out := make([]float64, len(s.sum))
	for i, n := range s.count {
		if n > 0 {
			out[i] = math.Min(math.Max(s.sum[i]/n, -1), 1)
		}
	}
	for j := range s.of.Cells {
		out[s.at(j, j)] = 1
	}
	return out
}

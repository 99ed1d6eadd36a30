package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/loggrid"
	"github.com/expfam/lab/expfam/store"
)

// Lattice is a prior whose cells form a grid, row after row, where the correlation of x₀ |
// x_t is about the same everywhere. [Sample] uses the grid for operators on more than 128
// cells. A prior without this method is taken for a line.
type Lattice interface{ Lattice() (rows, cols int) }

// correlations are those of the cells of x₀ | x_t, averaged over x_t, at some noise levels.
// They enter the variance of η_k | x_t, which no Jacobian product gives at once.
type correlations struct {
	Sigma  []float64 // rising
	Table  [][]float64
	Blocks []correlationBlock
	// Change is by how much a variance of x₀ | x_t differs between draws of x_t at most, of
	// up to wholeCells cells; see [Compiled.suited].
	Change float64
}

// correlationBlock are cells that are correlated with each other alone. A table has all
// pairs of up to wholeCells cells, and of more the correlation by lag,
// (2 Rows − 1) × (2 Cols − 1) numbers with lag 0 in the middle.
type correlationBlock struct {
	First, Cells int
	Rows, Cols   int // 0 where there are all pairs
	At           int // where its numbers begin in a table
}

func (b correlationBlock) whole() bool { return b.Rows == 0 }

func (b correlationBlock) size() int {
	if b.whole() {
		return b.Cells * b.Cells
	}
	return (2*b.Rows - 1) * (2*b.Cols - 1)
}

// index is where a table has a pair of cells, numbered in the block.
func (b correlationBlock) index(i, j int) int {
	if b.whole() {
		return b.At + i*b.Cells + j
	}
	return b.At + (i/b.Cols-j/b.Cols+b.Rows-1)*(2*b.Cols-1) + i%b.Cols - j%b.Cols + b.Cols - 1
}

const (
	// wholeCells is the largest number of cells of which all pairs are kept.
	wholeCells = 128
	// At pureNoise, in units of x₀, the prior's own variances are seen, and below informative,
	// in units of the prior, x_t tells of x₀.
	pureNoise, informative = 40, 4
	// correlationLevels is the number of levels; between them tables are interpolated.
	correlationLevels = 16
	// The rows of Cov(x₀ | x_t) that are averaged at every level: of each cell where
	// all pairs are kept, more of few cells, and in all where lags are.
	correlationEach, correlationFew, correlationAll = 8, 128, 32
)

// newCorrelations lays out the tables of a prior.
func newCorrelations(prior Prior) (*correlations, error) {
	c := &correlations{}
	var add func(p Prior, first int) error
	add = func(p Prior, first int) error {
		if parts, ok := p.(interface{ Parts() []Prior }); ok && p.Dim() > wholeCells {
			for _, part := range parts.Parts() {
				if err := add(part, first); err != nil {
					return err
				}
				first += part.Dim()
			}
			return nil
		}
		b := correlationBlock{First: first, Cells: p.Dim()}
		if n := len(c.Blocks); n > 0 {
			b.At = c.Blocks[n-1].At + c.Blocks[n-1].size()
		}
		if b.Cells > wholeCells {
			b.Rows, b.Cols = 1, b.Cells
			if l, ok := p.(Lattice); ok {
				b.Rows, b.Cols = l.Lattice()
			}
			if b.Rows*b.Cols != b.Cells {
				return fmt.Errorf("sample: %v has %d cells and says that they are a lattice of %d by %d", p, b.Cells, b.Rows, b.Cols)
			}
		}
		c.Blocks = append(c.Blocks, b)
		return nil
	}
	return c, add(prior, 0)
}

// probes are the cells whose rows of the covariance are taken at a level.
func (c *correlations) probes(linear bool, rng *rand.Rand) (cells []int) {
	for _, b := range c.Blocks {
		switch {
		case !b.whole():
			for range correlationAll {
				cells = append(cells, b.First+rng.IntN(b.Cells))
			}
		default:
			each := max(correlationEach, correlationFew/b.Cells)
			if linear { // the same at every x_t
				each = 1
			}
			for range each { // in another order, so that a cell is seen at different x_t
				for _, j := range rng.Perm(b.Cells) {
					cells = append(cells, b.First+j)
				}
			}
		}
	}
	return cells
}

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

// block is that of a cell.
func (c *correlations) block(cell int) correlationBlock {
	i := sort.Search(len(c.Blocks), func(i int) bool { return c.Blocks[i].First > cell })
	return c.Blocks[i-1]
}

// correlationRevision is part of the key of stored tables.
const correlationRevision = 2

// correlated is the table of the sampler's prior, measured once and stored.
func (c *Compiled) correlated() (*correlations, error) {
	if c.correlation != nil {
		return c.correlation, nil
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
	out, err := newCorrelations(c.prior)
	if err != nil {
		return nil, err
	}
	d, batch := c.prior.Dim(), c.block
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
	x, rng := make([]float64, batch*d), Stream(0, "correlation")
	_, _, prior, err := c.covarianceRows(exec, x, nil, LevelAt(pureNoise))
	if err != nil {
		return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
	}
	scale := math.Max(rms(prior[:d]), 1e-30)
	sigmas := loggrid.Of(40*scale, 0.005*scale, correlationLevels-1)
	out.Sigma, out.Table = make([]float64, correlationLevels), make([][]float64, correlationLevels)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	_, linear := c.prior.(Linear)
	for i, sigma := range sigmas {
		sum, level, variances := newCovariances(out), LevelAt(sigma), newChanges(d)
		cells := out.probes(linear, rng)
		var mean []float64
		for first := 0; first < len(cells); first += batch {
			some := cells[first:min(first+batch, len(cells))]
			row, m, sd, err := c.covarianceRows(exec, x, some, level)
			if err != nil {
				return nil, fmt.Errorf("sample: correlations of %v: %w", c.prior, err)
			}
			mean = m
			for b, cell := range some {
				sum.add(cell, row[b*d:(b+1)*d], sd[b*d:(b+1)*d])
				variances.add(cell, row[b*d+cell])
			}
		}
		at := correlationLevels - 1 - i
		out.Sigma[at], out.Table[at] = sigma, sum.correlations()
		if sigma < informative*scale {
			out.Change = max(out.Change, variances.most())
		}
		if i+1 < len(sigmas) { // Euler's step of the probability flow in σ
			next := LevelAt(sigmas[i+1])
			for k := range x {
				x[k] = next.SqrtAlpha * (mean[k] + sigmas[i+1]/sigma*(x[k]/level.SqrtAlpha-mean[k]))
			}
		}
	}
	return out, nil
}

// covarianceRows are the rows of Cov(x₀ | x_t) of some cells, at most a block of them, each
// at its own x_t, with the mean and the standard deviation of all cells.
func (c *Compiled) covarianceRows(exec *Exec, x []float64, cells []int, level Level) (row, mean, sd []float64, err error) {
	d, batch := c.prior.Dim(), c.block
	unit := make([]float64, batch*d)
	for b, cell := range cells {
		unit[b*d+cell] = 1
	}
	dtype := c.sampler.DType
	args := []*tensors.Tensor{tensorAs(dtype, x, batch, d), tensorAs(dtype, unit, batch, d),
		tensorAs(dtype, []float64{level.SqrtAlpha}, 1, 1), tensorAs(dtype, []float64{level.V}, 1, 1)}
	got, err := c.sampler.Engine.Call(exec, arguments(args)...)
	if err != nil {
		return nil, nil, nil, err
	}
	for k, to := range []*[]float64{&row, &mean, &sd} {
		if *to, err = doubles(got[k]); err != nil {
			return nil, nil, nil, err
		}
	}
	return row, mean, sd, engine.Release(append(args, got...)...)
}

// rms is the root of the mean square.
func rms(v []float64) float64 { return floats.Norm(v, 2) / math.Sqrt(float64(len(v))) }

// covariances adds up rows of Cov(x₀ | x_t) over the product of standard deviations.
type covariances struct {
	of         *correlations
	sum, count []float64
}

func newCovariances(of *correlations) *covariances {
	last := of.Blocks[len(of.Blocks)-1]
	n := last.At + last.size()
	return &covariances{of, make([]float64, n), make([]float64, n)}
}

// add takes the row of a cell, with the standard deviations of all cells.
func (s *covariances) add(cell int, row, sd []float64) {
	b := s.of.block(cell)
	i := cell - b.First
	for j := range b.Cells {
		v := row[b.First+j] / (sd[cell] * sd[b.First+j])
		for _, at := range [2]int{b.index(i, j), b.index(j, i)} {
			s.sum[at] += v
			s.count[at]++
		}
	}
}

// correlations are the averages; a lag that was never seen has none.
func (s *covariances) correlations() []float64 {
	out := make([]float64, len(s.sum))
	for i, n := range s.count {
		if n > 0 {
			out[i] = math.Min(math.Max(s.sum[i]/n, -1), 1)
		}
	}
	for _, b := range s.of.Blocks {
		for j := range b.Cells {
			out[b.index(j, j)] = 1
		}
		if b.whole() {
			semidefinite(out[b.At:b.At+b.size()], b.Cells)
		}
	}
	return out
}

// semidefinite makes the nearest correlation matrix of one that was measured: eigenvalues below
// those that rounding leaves are raised to them, and the diagonal is 1 again.
func semidefinite(table []float64, d int) {
	const least = 1e-6
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(d, table), true) || eigen.Values(nil)[0] >= -least {
		return
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	root := mat.NewDense(d, d, nil)
	root.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(math.Max(eigen.Values(nil)[k], least)) }, &vectors)
	out := mat.NewSymDense(d, nil)
	out.SymOuterK(1, root)
	for i := range d {
		for j := range d {
			table[i*d+j] = out.At(i, j) / math.Sqrt(out.At(i, i)*out.At(j, j))
		}
	}
}

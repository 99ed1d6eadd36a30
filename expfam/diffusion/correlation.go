package diffusion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
)

// correlations holds the correlations between the cells of x₀ | x_t, averaged over x_t, at some
// noise levels. They enter the variance of η_k | x_t, which no single Jacobian product gives.
type correlations struct {
	Sigma  []float64   // the noise levels, in units of x₀, rising
	Table  [][]float64 // for each level, the numbers of all blocks
	Blocks []correlationBlock
	// Change is the largest coefficient of variation that the variance of a cell of x₀ | x_t has between draws of x_t,
	// over the noise levels at which x_t is informative about x₀; see [denseCovariance.defaultMethod].
	Change float64
}

// correlationBlock is a set of consecutive cells that are correlated with each other alone. If the cells are [isSmall],
// a table has the correlations of all pairs. Otherwise it has the correlations by lag, (2 Rows − 1) × (2 Cols − 1)
// numbers with lag 0 in the middle.
type correlationBlock struct {
	First, Cells int // number of the first cell, and number of cells
	Rows, Cols   int // dimensions of the grid, 0 where the table has all pairs
	At           int // where the numbers of the block begin in a table
}

// whole reports whether a table has all pairs of cells of the block.
func (b correlationBlock) whole() bool { return b.Rows == 0 }

// size returns how many numbers the block has in a table.
func (b correlationBlock) size() int {
	if b.whole() {
		return b.Cells * b.Cells
	}
	return (2*b.Rows - 1) * (2*b.Cols - 1)
}

// index returns the position in a table of the pair (i, j), where i and j number cells from the block's first.
func (b correlationBlock) index(i, j int) int {
	if b.whole() {
		return b.At + i*b.Cells + j
	}
	return b.At + (i/b.Cols-j/b.Cols+b.Rows-1)*(2*b.Cols-1) + i%b.Cols - j%b.Cols + b.Cols - 1
}

const (
	// pureNoise is a noise level, in units of x₀, at which the variances of x₀ | x_t are those of the prior.
	// informative is the noise level, in standard deviations of the prior, below which x_t is informative about x₀.
	pureNoise, informative = 40, 4
	// correlationLevels is the number of noise levels. Between them tables are interpolated.
	correlationLevels = 16
	// Where a table has all pairs of a block, correlationEach rows of Cov(x₀ | x_t) are averaged
	// for each cell at every level. Blocks of few cells have more, correlationFew rows in all.
	// Where a table has lags, the block has correlationAll rows in all.
	correlationEach, correlationFew, correlationAll = 8, 128, 32
)

// atPureNoise returns as many x_t as there are draws, at which the moments of x₀ given x_t are those of the prior. x_t
// = 0 carries no information about x₀. The exception are networks of priors with parameters ([nn.Modes]): they see the
// power of x_t, which is never 0 in training. For these x_t is noise, and each second x_t is the opposite of the one
// before it. The caller averages the moments over the draws.
func atPureNoise(prior expfam.Prior, draws int) []float64 {
	d := prior.Dim()
	x := make([]float64, draws*d)
	if !augmented(prior) {
		return x
	}
	rng := expfam.Stream(0, "pure noise")
	for k := range x {
		if x[k] = rng.NormFloat64(); k/d%2 == 1 {
			x[k] = -x[k-d]
		}
	}
	return x
}

// averageOfRows returns the average of the rows of a matrix of d columns.
func averageOfRows(v []float64, d int) []float64 {
	sum, rows := make([]float64, d), len(v)/d
	for k := range rows {
		floats.Add(sum, v[k*d:(k+1)*d])
	}
	floats.Scale(1/float64(rows), sum)
	return sum
}

// newCorrelations lays out the tables of a prior: it makes the blocks, and no numbers. A prior of
// many cells that has independent parts has a block for each part.
func newCorrelations(prior expfam.Prior) (*correlations, error) {
	c := &correlations{}
	var add func(p expfam.Prior, first int) error
	add = func(p expfam.Prior, first int) error {
		if parts, ok := p.(expfam.Joint); ok && !isSmall(p.Dim()) {
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
		if !isSmall(b.Cells) {
			b.Rows, b.Cols = 1, b.Cells
			if l, ok := p.(expfam.Lattice); ok {
				b.Rows, b.Cols = l.Lattice()
			}
			if b.Rows*b.Cols != b.Cells {
				return fmt.Errorf("sample: %v has %d cells and says that they are a lattice of %d by %d", p, b.Cells,
					b.Rows, b.Cols)
			}
		}
		c.Blocks = append(c.Blocks, b)
		return nil
	}
	return c, add(prior, 0)
}

// probes returns the cells whose rows of Cov(x₀ | x_t) are taken at a level, one entry for each row.
func (c *correlations) probes(linear bool, rng *rand.Rand) (cells []int) {
	for _, b := range c.Blocks {
		if !b.whole() {
			for range correlationAll {
				cells = append(cells, b.First+rng.IntN(b.Cells))
			}
			continue
		}
		each := max(correlationEach, correlationFew/b.Cells)
		if linear { // the row of a cell is the same at every x_t
			each = 1
		}
		for range each { // in a new order each time, so that a cell is seen at different x_t
			for _, j := range rng.Perm(b.Cells) {
				cells = append(cells, b.First+j)
			}
		}
	}
	return cells
}

// at returns the table at a noise level, interpolated in log σ. Beyond the levels it returns the
// table of the nearest one.
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

// block returns the block of a cell.
func (c *correlations) block(cell int) correlationBlock {
	i := sort.Search(len(c.Blocks), func(i int) bool { return c.Blocks[i].First > cell })
	return c.Blocks[i-1]
}

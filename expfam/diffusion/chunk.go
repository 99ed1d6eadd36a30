package diffusion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// chunk is a batch of draws that go through all steps together. A step evaluates the draws in
// blocks of c.block rows. Draw k of all draws always stands in the same row of a block, because
// the last bits of an engine's results depend on the row: so blocks begin at multiples of
// c.block. The rows of the first and the last block that no draw of the batch takes are filled
// with copies of a draw that is asked for, because other draws could diverge. With a corrector,
// whose step is an average over the block, the draws that follow fill these rows.
type chunk struct {
	*Compiled
	set     configuration
	fixed   [][2]*tensors.Tensor // statistics and sizes, a copy for each worker: a call locks its arguments
	first   int                  // number of the batch's first draw in the run
	wanted  int                  // number of draws that are asked for
	before  int                  // number of rows of the first block before the first draw
	blocks  []block
	streams []*rand.Rand // the random streams of all rows, nil for a row that repeats another
	noise   [][]float64  // for each worker, noise for the cells of a block
	more    [][]float64  // for each worker, noise for the cells and data of a block, in drawn steps
	limit   float64      // the norm of all draws together at which they count as diverged
}

// chunk prepares the batch that begins with draw number first, of a run of the given number of draws.
func (c *Compiled) chunk(set configuration, fixed [][2]*tensors.Tensor, seed uint64, first, draws int) *chunk {
	b := &chunk{Compiled: c, set: set, fixed: fixed, first: first, wanted: min(c.sampler.Batch, draws-first),
		before: (c.sampler.First + first) % c.block}
	b.blocks = make([]block, batches(b.before+b.wanted, c.block))
	b.noise, b.more = make([][]float64, set.graphs.workers()), make([][]float64, set.graphs.workers())
	for w := range b.noise {
		b.noise[w] = make([]float64, c.block*c.prior.Dim())
		if drawn.in(set.steps) {
			b.more[w] = make([]float64, c.block*(c.prior.Dim()+c.forward.Data()))
		}
	}
	b.streams = make([]*rand.Rand, len(b.blocks)*c.block)
	for k := range b.streams {
		if asked := k >= b.before && k < b.before+b.wanted; asked || c.sampler.corrects() {
			b.streams[k] = expfam.Stream(seed, fmt.Sprintf("draw/%d", c.sampler.First+first-b.before+k))
		}
	}
	return b
}

// run moves the draws from pure noise through all steps, and writes them into their rows of out.
func (b *chunk) run(ctx context.Context, out *mat.Dense) (err error) {
	d := b.prior.Dim()
	defer func() {
		for _, block := range b.blocks {
			err = errors.Join(err, engine.Release(block.x, block.previous))
		}
	}()
	for k := range b.blocks {
		b.draw(b.noise[0], k)
		b.blocks[k] = block{tensorAs(b.set.graphs.dtype, b.noise[0], b.block, d),
			tensorAs(b.set.graphs.dtype, make([]float64, b.block*d), b.block, d)}
	}
	for i := range b.set.steps {
		if ctx.Err() != nil {
			return expfam.ErrInterrupted
		}
		if err := b.advance(ctx, i); err != nil {
			return err
		}
		if err := b.report(i); err != nil {
			return err
		}
	}
	return b.collect(out.Slice(b.first, b.first+b.wanted, 0, d).(*mat.Dense),
		func(block block) *tensors.Tensor { return block.x })
}

// draw fills noise with standard normal numbers for the rows of block k, len(noise)/b.block
// numbers for each row. A row without a stream gets the noise of the first row that has one.
func (b *chunk) draw(noise []float64, k int) {
	d := len(noise) / b.block
	rows := b.streams[k*b.block : (k+1)*b.block]
	for r, rng := range rows {
		for j := range d {
			if rng != nil {
				noise[r*d+j] = rng.NormFloat64()
			}
		}
	}
	asked := slices.IndexFunc(rows, func(rng *rand.Rand) bool { return rng != nil })
	for r, rng := range rows {
		if rng == nil {
			copy(noise[r*d:(r+1)*d], noise[asked*d:(asked+1)*d])
		}
	}
}

// advance moves all blocks by step i. It returns an error if the first step shows a prior beyond
// the noise levels of the trajectory, or if the draws diverge.
func (b *chunk) advance(ctx context.Context, i int) (err error) {
	step := b.set.steps[i]
	rest := b.set.graphs.rest && i == len(b.set.steps)-1
	var table []float64
	k := step.kind()
	if table, err = b.table(ctx, step.Level.Sigma(), k); err != nil {
		return err
	}
	row := b.scalars(b.set.graphs, step, rest)
	seen, err := b.each(func(worker, n int) (view, error) {
		in := stepInputs{kind: k, row: row, noise: b.noise[worker], table: table, fixed: b.fixed[worker]}
		if step.S > 0 || step.SNR > 0 || step.Spread > 0 || rest {
			b.draw(in.noise, n)
		} else {
			clear(in.noise)
		}
		if k == drawn {
			in.more = b.more[worker]
			b.draw(in.more, n)
		}
		return b.step(b.set.graphs, b.set.graphs.execs[k][worker], &b.blocks[n], in)
	})
	if err != nil {
		return fmt.Errorf("step %d of %d (sigma %.3g): %w", i+1, len(b.set.steps), step.Level.Sigma(), err)
	}
	if i == 0 {
		if err := covers(b.set.steps, seen.sd, seen.mean, seen.product); err != nil {
			return err
		}
		b.limit = 1e4 * (1 + seen.sd + seen.mean) * math.Sqrt(float64(b.wanted*b.prior.Dim()))
	}
	if norm := math.Sqrt(seen.squares); !(norm < b.limit) {
		return fmt.Errorf("diverged at step %d of %d (sigma %.3g): the draws have norm %.3g; %s", i+1,
			len(b.set.steps), step.Level.Sigma(), norm, b.advice())
	}
	return nil
}

// wideColumn is the prior standard deviation of what a datum looks at, by one cell alone, from which that cell has the
// wrong unit: a rate would vary by the factor e^30.
const wideColumn = 30

// advice says what to do about draws that diverge. An operator whose weights have another unit than the prior's cells,
// such as a covariate in metres, is the cause that stands in the data.
func (c *Compiled) advice() string {
	cell, weight, widest := 0, 0.0, 0.0
	data := 0
	for _, s := range c.forward.Parts {
		if s.H == nil {
			continue
		}
		for i, j := range s.H.Cell {
			if v := math.Abs(s.H.Weight[i]) * c.sd[j]; v > widest {
				cell, weight, widest, data = j, s.H.Weight[i], v, s.Rows
			}
		}
	}
	if _, lattice := c.prior.(expfam.Lattice); widest < wideColumn && !lattice && !c.forward.Plain() &&
		c.prior.Dim() > wholeCells {
		if _, linear := c.prior.(expfam.Linear); linear {
			return fmt.Sprintf("behind an operator the %d cells of %v are taken for a line: if they are a grid, take "+
				"a prior that knows it, such as gmrf.Prior.Field, or use gmrf.Sample", c.prior.Dim(), c.prior)
		}
	}
	if widest < wideColumn {
		return "use more steps, a guidance with covariance correction, or check the data"
	}
	name := fmt.Sprintf("cell %d of the prior", cell)
	if cell >= data { // operator.Design has the cells of the field first
		name = fmt.Sprintf("column %d of the design (cell %d of the prior)", cell-data, cell)
	}
	return fmt.Sprintf("%s has values up to %.4g in the operator, and its prior a standard deviation of %.3g, so "+
		"that a datum varies by %.3g: "+
		"centre and rescale it, for example kilometres for metres, or give its prior a smaller standard deviation",
		name, weight, c.sd[cell], widest)
}

// report calls the sampler's Watch and Progress after step i.
func (b *chunk) report(i int) error {
	sigma := b.set.steps[i].Level.Sigma()
	if b.sampler.Watch != nil {
		estimate := mat.NewDense(b.wanted, b.prior.Dim(), nil)
		if err := b.collect(estimate, func(block block) *tensors.Tensor { return block.previous }); err != nil {
			return err
		}
		b.sampler.Watch(b.sampler.First+b.first, sigma, &expfam.Draws{X: estimate})
	}
	if b.sampler.Progress != nil {
		draws, batch, steps := b.sampler.Draws, b.sampler.Batch, len(b.set.steps)
		total := batches(draws, batch) * steps
		b.sampler.Progress(total-batches(draws-b.first, batch)*steps+i+1, total, sigma)
	}
	return nil
}

// collect writes one tensor of each block, the one that of selects, into the rows of out. It
// leaves out rows of the blocks that are not asked for.
func (b *chunk) collect(out *mat.Dense, of func(block block) *tensors.Tensor) error {
	for k, block := range b.blocks {
		if err := b.Compiled.collect(out, of(block), k*b.block-b.before); err != nil {
			return err
		}
	}
	return nil
}

// workers returns how many blocks of a batch are evaluated at the same time.
func (c *Compiled) workers() int {
	if c.sampler.corrects() { // a batch of a corrector is one block
		return 1
	}
	return min(c.sampler.Engine.Workers(), batches(c.sampler.Batch, c.block))
}

// each does the work on all blocks, spread over the workers. It returns the joined views of the
// blocks and the error of the first block that has one.
func (b *chunk) each(work func(worker, k int) (view, error)) (seen view, err error) {
	views, errs := make([]view, len(b.blocks)), make([]error, len(b.blocks))
	var next atomic.Int64
	var all sync.WaitGroup
	for w := range min(len(b.noise), len(b.blocks)) {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(b.blocks); k = int(next.Add(1)) - 1 {
				views[k], errs[k] = work(w, k)
			}
		})
	}
	all.Wait()
	for _, v := range views {
		seen = seen.add(v)
	}
	if k := slices.IndexFunc(errs, func(err error) bool { return err != nil }); k >= 0 {
		return seen, errs[k]
	}
	return seen, nil
}

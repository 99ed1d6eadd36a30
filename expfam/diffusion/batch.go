package diffusion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// batch is a number of draws that go through all steps together. A step evaluates the draws in blocks of run.block
// rows. Draw k of all draws always stands in the same row of a block, because the last bits of an engine's results
// depend on the row: so blocks begin at multiples of run.block. The rows of the first and the last block that no draw
// of the batch takes are filled with copies of a draw that is asked for, because other draws could diverge. With a
// corrector, whose step is an average over the block, the draws that follow fill these rows.
type batch struct {
	*run
	first   int // number of the batch's first draw in the run
	wanted  int // number of draws that are asked for
	before  int // number of rows of the first block before the first draw
	blocks  []block
	streams []*rand.Rand // the random streams of all rows, nil for a row that repeats another
	noise   [][]float64  // for each worker, noise for the cells of a block
	more    [][]float64  // for each worker, noise for the cells and data of a block, in drawn steps
	limit   float64      // the norm of all draws together at which they count as diverged
}

// batch prepares the batch that begins with draw number first.
func (r *run) batch(seed uint64, first int) *batch {
	b := &batch{run: r, first: first, wanted: min(r.sampler.Batch, r.sampler.Draws-first),
		before: (r.sampler.First + first) % r.block}
	b.blocks = make([]block, batchCount(b.before+b.wanted, r.block))
	b.noise, b.more = make([][]float64, r.workers), make([][]float64, r.workers)
	for w := range b.noise {
		b.noise[w] = make([]float64, r.block*r.prior.Dim())
		if drawn.in(r.steps) {
			b.more[w] = make([]float64, r.block*(r.prior.Dim()+r.forward.Data()))
		}
	}
	b.streams = make([]*rand.Rand, len(b.blocks)*r.block)
	for k := range b.streams {
		if asked := k >= b.before && k < b.before+b.wanted; asked || r.sampler.corrects() {
			b.streams[k] = expfam.Stream(seed, fmt.Sprintf("draw/%d", r.sampler.First+first-b.before+k))
		}
	}
	return b
}

// move moves the draws from pure noise through all steps, and writes them into their rows of out.
func (b *batch) move(ctx context.Context, out *mat.Dense) (err error) {
	d := b.prior.Dim()
	defer func() {
		for _, block := range b.blocks {
			err = errors.Join(err, block.release())
		}
	}()
	for k := range b.blocks {
		b.draw(b.noise[0], k)
		b.blocks[k] = b.newBlock(b.graphs, b.noise[0])
	}
	for i := range b.steps {
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
func (b *batch) draw(noise []float64, k int) {
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
func (b *batch) advance(ctx context.Context, i int) (err error) {
	step := b.steps[i]
	rest := b.graphs.rest && i == len(b.steps)-1
	var table []float64
	k := step.kind()
	if table, err = b.covariance.table(ctx, step.Level.Sigma(), k); err != nil {
		return err
	}
	row := b.scalars(b.graphs, step, rest)
	views := make([]view, len(b.blocks))
	err = parallel.Each(len(b.noise), len(b.blocks), func(worker, n int) (err error) {
		if ctx.Err() != nil {
			return expfam.ErrInterrupted
		}
		in := stepInputs{kind: k, row: row, noise: b.noise[worker], table: table, data: b.data[worker]}
		if step.S > 0 || step.SNR > 0 || step.Spread > 0 || rest {
			b.draw(in.noise, n)
		} else {
			clear(in.noise)
		}
		if k == drawn {
			in.more = b.more[worker]
			b.draw(in.more, n)
		}
		views[n], err = b.step(b.graphs.execs[b.program(step)][worker], &b.blocks[n], in)
		if err == nil && b.imputed != nil && isReturn(b.steps, i) {
			err = b.impute(b.noise[worker], n)
		}
		return err
	})
	if errors.Is(err, expfam.ErrInterrupted) {
		return err
	}
	if err != nil {
		return fmt.Errorf("step %d of %d (sigma %.3g): %w", i+1, len(b.steps), step.Level.Sigma(), err)
	}
	var seen view
	for _, v := range views {
		seen = seen.add(v)
	}
	if i == 0 {
		if err := checkFinalLevel(b.steps, seen.sd, seen.mean, seen.product); err != nil {
			return err
		}
		b.limit = 1e4 * (1 + seen.sd + seen.mean) * math.Sqrt(float64(b.wanted*b.prior.Dim()))
	}
	if norm := math.Sqrt(seen.squares); !(norm < b.limit) {
		return fmt.Errorf("diverged at step %d of %d (sigma %.3g): the draws have norm %.3g; %s", i+1,
			len(b.steps), step.Level.Sigma(), norm, b.advice())
	}
	return nil
}

// report calls the sampler's Watch and Progress after step i.
func (b *batch) report(i int) error {
	sigma := b.steps[i].Level.Sigma()
	if b.sampler.Watch != nil {
		estimate := mat.NewDense(b.wanted, b.prior.Dim(), nil)
		if err := b.collect(estimate, func(block block) *tensors.Tensor { return block.previous }); err != nil {
			return err
		}
		b.sampler.Watch(b.sampler.First+b.first, sigma, &expfam.Draws{X: estimate})
	}
	if b.sampler.Progress != nil {
		draws, batch, steps := b.sampler.Draws, b.sampler.Batch, len(b.steps)
		total := batchCount(draws, batch) * steps
		b.sampler.Progress(total-batchCount(draws-b.first, batch)*steps+i+1, total, sigma)
	}
	return nil
}

// collect writes one tensor of each block, the one that of selects, into the rows of out. It
// leaves out rows of the blocks that are not asked for.
func (b *batch) collect(out *mat.Dense, of func(block block) *tensors.Tensor) error {
	d := b.prior.Dim()
	for k, block := range b.blocks {
		values, err := float64s(of(block))
		if err != nil {
			return err
		}
		for r := range b.block {
			if i := k*b.block - b.before + r; i >= 0 && i < b.wanted {
				out.SetRow(i, values[r*d:(r+1)*d])
			}
		}
	}
	return nil
}

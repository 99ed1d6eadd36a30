package diffusion

import (
	"slices"
	"sync"
	"sync/atomic"
)

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

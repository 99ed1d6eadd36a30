package diffusion

import (
	"cmp"
	"fmt"
)

// Share returns the sampler of share i, from 0 to n−1, if the draws are split into n shares. Each
// of n machines samples one share, and [expfam.Merge] joins their posteriors:
//
//	share, err := s.Share(i, n)
//	post, err := diffusion.Sample(prior, like, obs, share)
//
// Draw k is the same in every share that contains it, to the bit on equal machines. If
// Batch is set, the shares consist of whole batches of the run.
func (s Sampler) Share(i, n int) (Sampler, error) {
	s.Draws = cmp.Or(s.Draws, 500)
	batch := max(s.Batch, 1)
	all := batchCount(s.Draws, batch)
	if i < 0 || i >= n || n > all {
		return s, fmt.Errorf("sample: share %d of %d, from 0 on, of %d draws in batches of %d; a share has at "+
			"least one batch", i, n, s.Draws, batch)
	}
	first, next := i*all/n*batch, min((i+1)*all/n*batch, s.Draws)
	s.First, s.Draws = s.First+first, next-first
	return s, nil
}

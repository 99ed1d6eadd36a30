package increments

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/internal/must"
)

// The Jacobian of a network of signals with jumps is far from a covariance at some x_t. Draw 24 of the first
// signal then ended 26 root mean squares of a signal from the truth; the noise has a standard deviation of 0.04.
func TestDrawsDoNotStray(t *testing.T) {
	law := Student{}
	prior := must.Get(learned(t.Context(), law))(t)
	p := must.Get(New(law, Whole))(t)
	model, signal := OfSignals(law, prior), p.Test(0)
	like := model.likelihood(p)
	obs := must.Get(like.Observe1(signal.Y...))(t)
	s := Ours(model).Grid[0].(Guided).Sampler
	s.Draws, s.First, s.Seed, s.Fresh = 1, 24, 1, true
	post := must.Get(diffusion.Sample(prior, like, obs, s))(t)
	for j, x := range post.X.RawRowView(0) {
		// Thirteen standard deviations of the noise: jumps leave cells less certain than the noise does.
		truth := signal.S[j] / unit(law)
		must.Be(t, math.Abs(x-truth) < 0.5, "cell %d is %.2f, the truth %.2f", j, x, truth)
	}
}

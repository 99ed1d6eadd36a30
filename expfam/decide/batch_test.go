package decide_test

import (
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Three seeds choose the same batch, or the batch says where it is undecided: the first survey in which they differ is
// among the rivals of the others. All surveys together are worth no more than perfect information.
func TestBatchesAgree(t *testing.T) {
	l := newLand(t)
	problem := decide.Problem{Loss: decide.Threshold{At: 0.25, Missed: 2, False: 1}, People: l.named}
	same, open, all := 0, 0, fulltest.N(1, 12)
	for m := range uint64(all) {
		rng := expfam.Stream(m, "batches")
		x := make([]float64, 100)
		l.prior.Draw(rng, x)
		for j := range x {
			x[j] = expfam.SigmoidLink.At(x[j])
		}
		obs := make(expfam.Observations, 100)
		l.survey(t, x, obs, rng.Perm(100)[:15], 30, rng)
		post := l.prior.Sample(t, l.like, obs, 500, m)
		var batches []*decide.Batch
		for seed := range uint64(3) {
			b := must.Get(decide.Survey{Size: 60, Value: decide.LossOf{Problem: problem, Through: l.areas}, Seed: seed,
				Outcomes: fulltest.N(64, 256)}.Batch(post, fulltest.N(2, 4), nil, 0))(t)
			sum, se := b.Gain()
			must.Be(t, sum <= b.Perfect, "map %d: surveys are worth %g ± %g of perfect information %g", m, sum, se,
				b.Perfect)
			for k, s := range b.Stops {
				must.Be(t, s.Gain >= -2*s.SE, "map %d: survey %d is worth %g ± %g", m, k, s.Gain, s.SE)
				must.Be(t, !slices.Contains(s.Rivals, s.Cell), "map %d: cell %d is its own rival", m, s.Cell)
			}
			batches = append(batches, b)
		}
		if slices.Equal(batches[0].Cells(), batches[1].Cells()) && slices.Equal(batches[0].Cells(),
			batches[2].Cells()) {
			same++
			continue
		}
		open++
		for k := range batches[0].Stops {
			at := func(b *decide.Batch) decide.Stop { return b.Stops[k] }
			a, b, c := at(batches[0]), at(batches[1]), at(batches[2])
			if a.Cell == b.Cell && b.Cell == c.Cell {
				continue
			}
			for _, pair := range [][2]decide.Stop{{a, b}, {b, c}, {a, c}} {
				must.Be(t, pair[0].Cell == pair[1].Cell || slices.Contains(pair[0].Rivals, pair[1].Cell) ||
					slices.Contains(pair[1].Rivals, pair[0].Cell), "map %d, survey %d: cells %d and %d, and "+
					"neither is a "+
					"rival of the other", m, k, pair[0].Cell, pair[1].Cell)
			}
			break
		}
	}
	t.Logf("%d maps: the same batch from three seeds on %d, said to be undecided on %d", all, same, open)
}

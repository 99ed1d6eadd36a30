package calibrate

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// 16 by 16 cells, every third one observed.
func sparse() Splits {
	obs := make(expfam.Observations, 256)
	for j := 0; j < len(obs); j += 3 {
		obs[j] = expfam.Term{Stat: float64(j), Size: 1}
	}
	return Splits{Grid: grid.Grid{Rows: 16, Cols: 16}, Obs: obs, Seed: 1}
}

func TestSplits(t *testing.T) {
	for _, c := range []struct {
		name string
		hold grid.HoldOut
		held int // of 86 cells with data
	}{
		{"cells", grid.HoldOut{}, 18}, // 20%, rounded up
		{"blocks", grid.HoldOut{Block: 4, Fraction: 0.5}, 43},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sparse()
			s.HoldOut = c.hold
			var masks [][]bool
			for k := range 3 {
				split := must.Get(s.Split(k))(t)
				must.Equal(t, split.IsHeld, must.Get(s.Split(k))(t).IsHeld, "a split is another one the second time")
				blocks := make(map[int][2]int) // cells seen and held
				held := 0
				for j, is := range split.IsHeld {
					want := [2]expfam.Term{s.Obs[j], {}}
					if is {
						want[0], want[1] = want[1], want[0]
						held++
					}
					must.Be(t, !is || s.Obs[j] != (expfam.Term{}), "cell %d has no data and is held out", j)
					must.Be(t, split.Seen[j] == want[0] && split.Held[j] == want[1],
						"cell %d: seen %v, held %v", j, split.Seen[j], split.Held[j])
					if s.Obs[j] != (expfam.Term{}) {
						at := blocks[j/64*4+j%16/4]
						if is {
							at[1]++
						} else {
							at[0]++
						}
						blocks[j/64*4+j%16/4] = at
					}
				}
				// A block more than needed at most, of 6 cells with data.
				if over := held - c.held; over < 0 || over > 5 || (c.hold.Block == 0 && over != 0) {
					t.Errorf("%d cells held out, want %d", held, c.held)
				}
				for b, at := range blocks {
					must.Be(t, c.hold.Block <= 0 || at[0] <= 0 || at[1] <= 0, "block %d is split, %v", b, at)
				}
				masks = append(masks, split.IsHeld)
			}
			must.Be(t, !slices.Equal(masks[0], masks[1]) && !slices.Equal(masks[1], masks[2]), "splits are alike")
		})
	}
}

func TestRepeated(t *testing.T) {
	type pair struct{ a, b float64 }
	first := func(p pair) float64 { return p.a }
	s := sparse()
	r := must.Get(Repeat(s, func(_ context.Context, s Split) (pair, error) {
		k := float64(s.Number)
		return pair{k, k + 2}, nil
	}))(t)
	// 0 … 4: mean 2, variance 2.5; 18 of 86 cells held out.
	want := math.Sqrt(2.5 * (1.0/5 + 18.0/68))
	near(t, "mean", r.Mean(first).Mean, 2, 1e-15)
	near(t, "standard error", r.Mean(first).SE, want, 1e-15)
	d := r.Mean(func(p pair) float64 { return p.b - p.a })
	must.Be(t, d.Mean == 2 && d.SE == 0 && d.N == 5, "difference %+v", d)
	r.Ratio = 0 // as of independent data sets
	near(t, "standard error", r.Mean(first).SE, math.Sqrt(2.5/5), 1e-15)
	failure := errors.New("no posterior")
	part, err := Repeat(s, func(_ context.Context, s Split) (pair, error) {
		if s.Number == 2 {
			return pair{}, failure
		}
		return pair{}, nil
	})
	must.Be(t, errors.Is(err, failure) && part.Mean(first).N == 2, "a failure: %v, %+v", err, part)
	ctx, cancel := context.WithCancel(context.Background())
	part, err = RepeatContext(ctx, s, func(context.Context, Split) (pair, error) {
		cancel()
		return pair{1, 1}, nil
	})
	must.Be(t, errors.Is(err, expfam.ErrInterrupted) && part.Mean(first).N == 1, "interrupted: %v, %+v", err, part)
}

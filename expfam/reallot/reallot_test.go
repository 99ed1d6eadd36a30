package reallot

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// blocks cuts a square of the given side into across × across districts.
func blocks(t testing.TB, side float64, across int) (regions []land.Region) {
	step := side / float64(across)
	for k := range across * across {
		w, s := step*float64(k%across)-0.5, step*float64(k/across)-0.5
		ring := []land.Position{{Lon: w, Lat: s}, {Lon: w + step, Lat: s}, {Lon: w + step, Lat: s + step},
			{Lon: w, Lat: s + step}, {Lon: w, Lat: s}}
		regions = append(regions, must.Get(land.NewRegion(fmt.Sprint(k), [][][]land.Position{{ring}}))(t))
	}
	return regions
}

// TestReallot: rates of a smooth field, counted by one partition, and asked for by another that does not nest in it.
// The intervals hold the expected counts of the new districts. On two thirds of the maps at least, the CRPS is below
// that of area weighting, whose intervals have the Poisson variance of the counts. With -full there are 30 maps of
// 16×16 cells.
func TestReallot(t *testing.T) {
	side, old, recent, maps := 12, 4, 3, 2
	if *fulltest.Full {
		side, old, recent, maps = 16, 4, 3, 30
	}
	g := grid.Grid{Rows: side, Cols: side}
	prior := must.Get(gmrf.Prior{Grid: g, Range: float64(side) / 3, SD: 0.8, Level: 0, LevelSD: 1}.Field())(t)
	r := Reallot{From: blocks(t, float64(side), old), To: blocks(t, float64(side), recent), Grid: g, Prior: prior}
	better, inside, total := 0, 0.0, 0.0
	for m := range maps {
		x := make([]float64, g.Len())
		rng := expfam.Stream(uint64(m), "reallot")
		prior.Draw(rng, x)
		rates := mat.NewDense(1, len(x), nil)
		for j, v := range x {
			rates.Set(0, j, math.Exp(v))
		}
		truthOld, truth := sums(r.From, r, rates.RawRowView(0)), sums(r.To, r, rates.RawRowView(0))
		like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
		counts := must.Get(like.Simulate(truthOld, nil, 1, uint64(m)))(t).Y[0]
		post := must.Get(r.Sample(counts, diffusion.Sampler{Draws: 200, Seed: 1, Fresh: true}))(t)
		// Area weighting: the rate of every cell is that of its old district.
		flat, spread := weighting(r, counts)
		var ours, theirs float64
		for k, v := range truth {
			draws := mat.Col(nil, k, post.X)
			slices.Sort(draws)
			n := len(draws)
			if total++; draws[n/40] <= v && v <= draws[n-1-n/40] {
				inside++
			}
			ours += crps(draws, v)
			normal := make([]float64, n)
			for i := range normal {
				normal[i] = flat[k] + spread[k]*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/float64(n)-1)
			}
			theirs += crps(normal, v)
		}
		if ours < theirs {
			better++
		}
		t.Logf("map %d: CRPS %.3g, area weighting %.3g, %.1f s", m, ours/float64(len(truth)),
			theirs/float64(len(truth)),
			post.Info.Seconds)
	}
	share := inside / total
	t.Logf("%.3f of %.0f new districts inside, better on %d of %d maps", share, total, better, maps)
	// Districts of a map are about half as many independent ones.
	if bound := math.Max(0.02, 4*math.Sqrt(0.95*0.05/(total/2))); math.Abs(share-0.95) > bound ||
		3*better < 2*maps {
		t.Errorf("%.3f of the new districts are inside, want .95 ± %.3f, and %d of %d maps are better", share, bound,
			better,
			maps)
	}
}

// sums returns the expected counts of regions.
func sums(regions []land.Region, r Reallot, rates []float64) []float64 {
	out := make([]float64, len(regions))
	op := r.over(regions)
	for k := range regions {
		op.Row(k, func(j int, w float64) { out[k] += w * rates[j] })
	}
	return out
}

// weighting returns the counts of the new districts by shares of area, with their standard deviations.
func weighting(r Reallot, counts []float64) (mean, sd []float64) {
	op, cells := r.over(r.From), make([][]float64, r.Grid.Len())
	areas := sums(r.From, r, ones(r.Grid.Len()))
	for k := range r.From {
		op.Row(k, func(j int, w float64) { cells[j] = append(cells[j], float64(k), w) })
	}
	to := r.over(r.To)
	for i := range r.To {
		share := make([]float64, len(counts))
		to.Row(i, func(j int, w float64) {
			var all float64
			for c := 1; c < len(cells[j]); c += 2 {
				all += cells[j][c]
			}
			for c := 0; c < len(cells[j]); c += 2 {
				share[int(cells[j][c])] += w * cells[j][c+1] / all / areas[int(cells[j][c])]
			}
		})
		var m, v float64
		for k, s := range share {
			m, v = m+s*counts[k], v+s*s*math.Max(1, counts[k])
		}
		mean, sd = append(mean, m), append(sd, math.Sqrt(v))
	}
	return mean, sd
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// crps returns the continuous ranked probability score of sorted draws: E|X − v| − E|X − X′|/2.
func crps(sorted []float64, v float64) float64 {
	n := float64(len(sorted))
	var first, second float64
	for i, x := range sorted {
		first += math.Abs(x-v) / n
		second += x * (2*float64(i) - n + 1) / (n * n)
	}
	return first - second
}

// TestTotals: both partitions cover the same grid, so every draw has the same total in both.
func TestTotals(t *testing.T) {
	g := grid.Grid{Rows: 6, Cols: 6}
	prior := must.Get(gmrf.Prior{Grid: g, Range: 3, SD: 0.5, LevelSD: 1}.Field())(t)
	r := Reallot{From: blocks(t, 6, 2), To: blocks(t, 6, 4), Grid: g, Prior: prior}
	s := diffusion.Sampler{Draws: 20, Seed: 1, Fresh: true}
	counts := []float64{12, 30, 4, 18}
	field := must.Get(r.Field(t.Context(), counts, s))(t)
	to := must.Get(r.Sample(counts, s))(t)
	from := must.Get(field.Through(r.over(r.From)))(t)
	for i := range 20 {
		if a, b := mat.Sum(from.X.RowView(i)), mat.Sum(to.X.RowView(i)); math.Abs(a-b) > 1e-9*a {
			t.Errorf("draw %d: %g in the old districts and %g in the new ones", i, a, b)
		}
	}
}

// TestRefused: what does not fit together is one sentence.
func TestRefused(t *testing.T) {
	g := grid.Grid{Rows: 4, Cols: 4}
	prior := must.Get(gmrf.Prior{Grid: g, Range: 3, SD: 0.5, LevelSD: 1}.Field())(t)
	r := Reallot{From: blocks(t, 4, 2), To: blocks(t, 9, 1), Grid: g, Prior: prior}
	s := diffusion.Sampler{Draws: 10, Fresh: true}
	must.Refuse(r.Sample([]float64{1, 2}, s))(t, "2 counts of 4 old districts")
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, "the new districts", "beyond the grid")
	r.Grid = grid.Grid{Rows: 5, Cols: 4}
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, "the prior has 16 cells and the grid 20")
	r.Prior = nil
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, "no Prior")
}

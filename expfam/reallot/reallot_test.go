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

// TestReallot: cases of a smooth field of rates are counted by one partition, and among a part of the people by another
// one. The intervals hold the expected counts of a third. On most maps the CRPS is below that of area weighting, whose
// intervals have the Poisson variance of the counts, and below that of BYM2 with unknown sd and mixing on the districts
// of the first partition, in which the rates are constant. With -full there are 100 maps of 64×64 cells, on 90 of which
// both must hold, and 100 cases a district are expected at a rate of 1; else there are about 16.
func TestReallot(t *testing.T) {
	side, first, second, third, maps, cases := 12, 4, 5, 3, 2, 256.0
	if *fulltest.Full {
		side, first, second, third, maps, cases = 64, 8, 5, 7, 100, 6400
	}
	g := grid.Grid{Rows: side, Cols: side}
	prior := must.Get(gmrf.Prior{Grid: g, Range: float64(side) / 4, SD: 0.8, Level: 0, LevelSD: 1}.Field())(t)
	people := make([]float64, g.Len())
	for j := range people {
		people[j] = cases / float64(g.Len())
	}
	r := Reallot{From: blocks(t, float64(side), first), To: blocks(t, float64(side), third), Grid: g, Prior: prior,
		People: people}
	other := blocks(t, float64(side), second)
	inside, total := 0.0, 0.0
	better, ratio := [2]int{}, [2]float64{}
	for m := range maps {
		x := make([]float64, g.Len())
		rng := expfam.Stream(uint64(m), "reallot")
		prior.Draw(rng, x)
		rates := make([]float64, g.Len())
		for j, v := range x {
			rates[j] = math.Exp(v)
		}
		poisson := func(means []float64) []float64 {
			like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
			return must.Get(like.Simulate(means, nil, 1, uint64(m)))(t).Y[0]
		}
		truth := sums(r.To, r, rates)
		counts, examined := poisson(sums(r.From, r, rates)), sums(other, r, ones(g.Len()))
		means := sums(other, r, rates)
		for k := range other { // a fifth of the people were examined
			examined[k] *= 0.2
			means[k] *= 0.2
		}
		r.Also = []Source{{other, poisson(means), examined}}
		post := must.Get(r.Sample(counts, diffusion.Sampler{Draws: 199, Seed: 1, Fresh: true}))(t)
		flat, spread := weighting(t, r, counts)
		smooth := bym2(t, r, counts, first)
		var ours, weighted, areal float64
		for k, v := range truth {
			draws := mat.Col(nil, k, post.X)
			slices.Sort(draws)
			n := len(draws) // of 199 draws and the truth, 5 are below the fifth and 5 above the last but four
			if total++; draws[4] <= v && v <= draws[n-5] {
				inside++
			}
			ours += crps(draws, v)
			normal := make([]float64, n)
			for i := range normal {
				normal[i] = flat[k] + spread[k]*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/float64(n)-1)
			}
			weighted += crps(normal, v)
			slices.Sort(smooth[k])
			areal += crps(smooth[k], v)
		}
		for i, theirs := range [2]float64{weighted, areal} {
			ratio[i] += ours / theirs / float64(maps)
			if ours < theirs {
				better[i]++
			}
		}
		n := float64(len(truth))
		t.Logf("map %d: CRPS %.3g, area weighting %.3g, BYM2 %.3g, %.1f s; %.3f inside; %v", m, ours/n, weighted/n,
			areal/n, post.Info.Seconds, inside/total, post.Info.Certificate)
	}
	share := inside / total
	t.Logf("%.3f of %.0f new districts inside; CRPS lower than that of area weighting on %d, and of BYM2 on %d of %d "+
		"maps", share, total, better[0], better[1], maps)
	// Districts of a map are about half as many independent ones. Two maps tell nothing about how many are better.
	if bound := math.Max(0.02, 4*math.Sqrt(0.95*0.05/(total/2))); math.Abs(share-0.95) > bound ||
		max(ratio[0], ratio[1]) >= 1 || *fulltest.Full && 10*min(better[0], better[1]) < 9*maps {
		t.Errorf("%.3f of the new districts are inside, want .95 ± %.3f; mean ratios of CRPS %.2f; better on %d of %d "+
			"maps", share, bound, ratio, better, maps)
	}
}

func ones(n int) []float64 {
	return slices.Repeat([]float64{1}, n)
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
		a, b := mat.Sum(from.X.RowView(i)), mat.Sum(to.X.RowView(i))
		must.Be(t, math.Abs(a-b) <= 1e-9*a, "draw %d: %g in the old districts and %g in the new ones", i, a, b)
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
	r.Also = []Source{{Regions: blocks(t, 4, 1), Counts: []float64{3}, Examined: []float64{0}}}
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, `of the 16 people of Also[0]'s district "0" 0 were examined`)
	r.Also[0].Counts = nil
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, "0 counts of 1 Also[0]'s districts")
	r.Also = nil
	r.Grid = grid.Grid{Rows: 5, Cols: 4}
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, "the prior has 16 cells and the grid 20")
	r.Prior = nil
	must.Refuse(r.Sample([]float64{1, 2, 3, 4}, s))(t, "no Prior")
}

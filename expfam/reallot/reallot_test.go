package reallot

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/operator"
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

// bym2 returns draws of the expected counts of the new districts with constant rates in the first ones, which have BYM2
// as a prior and lie on a lattice. It sees the counts of both sources.
func bym2(t testing.TB, r Reallot, counts []float64, across int) [][]float64 {
	var pairs [][2]int
	for k := range across * across {
		if k%across > 0 {
			pairs = append(pairs, [2]int{k - 1, k})
		}
		if k >= across {
			pairs = append(pairs, [2]int{k - across, k})
		}
	}
	n := must.Get(graph.Edges(len(r.From), pairs))(t)
	rows := sharesOf(t, r, r.From, r.From)
	y := slices.Clone(counts)
	for i, row := range sharesOf(t, r, r.From, r.Also[0].Regions) {
		people := mat.Sum(mat.NewVecDense(len(row), row))
		floats.Scale(r.Also[0].Examined[i]/people, row)
		rows, y = append(rows, row), append(y, r.Also[0].Counts[i])
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink,
		Operator: expfam.SumOf{Operator: &operator.Dense{Matrix: matrix(rows)}}}
	obs := must.Get(like.Observe1(y...))(t)
	prior := gp.Unknown{Of: graph.BYM2{Neighbours: n, LevelSD: 1}}
	post := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 199, Seed: 1, Fresh: true}))(t)
	var rates, out mat.Dense
	rates.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, post.X)
	out.Mul(matrix(sharesOf(t, r, r.From, r.To)), rates.T())
	draws := make([][]float64, len(r.To))
	for k := range draws {
		draws[k] = mat.Row(nil, k, &out)
	}
	return draws
}

// sharesOf returns the people of every region by the districts of another partition in which they are.
func sharesOf(t testing.TB, r Reallot, of, regions []land.Region) [][]float64 {
	cells := make([][]float64, r.Grid.Len())
	from, to := r.over(of), r.over(regions)
	must.Do(t, from.Check())
	must.Do(t, to.Check())
	for k := range of {
		from.Row(k, func(j int, w float64) { cells[j] = append(cells[j], float64(k), w) })
	}
	all := make([][]float64, len(regions))
	for i := range regions {
		all[i] = make([]float64, len(of))
		to.Row(i, func(j int, w float64) {
			var sum float64
			for c := 1; c < len(cells[j]); c += 2 {
				sum += cells[j][c]
			}
			for c := 0; c < len(cells[j]); c += 2 {
				all[i][int(cells[j][c])] += w * cells[j][c+1] / sum
			}
		})
	}
	return all
}

func matrix(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
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

// weighting returns the counts of the new districts by shares of area, with their standard deviations. The estimates of
// the two sources have weights by their precision.
func weighting(t testing.TB, r Reallot, counts []float64) (mean, sd []float64) {
	first, variance := byArea(t, r, Source{Regions: r.From, Counts: counts})
	second, v := byArea(t, r, r.Also[0])
	for k := range first {
		w := v[k] / (variance[k] + v[k])
		mean = append(mean, w*first[k]+(1-w)*second[k])
		sd = append(sd, math.Sqrt(variance[k]*v[k]/(variance[k]+v[k])))
	}
	return mean, sd
}

// byArea returns the counts of the new districts by their shares of the areas of a source, with their variances.
func byArea(t testing.TB, r Reallot, s Source) (mean, variance []float64) {
	known := s.Examined
	if known == nil {
		known = sums(s.Regions, r, ones(r.Grid.Len()))
	}
	for _, row := range sharesOf(t, r, s.Regions, r.To) {
		var m, v float64
		for k, people := range row {
			m, v = m+people*s.Counts[k]/known[k], v+people*people*math.Max(1, s.Counts[k])/known[k]/known[k]
		}
		mean, variance = append(mean, m), append(variance, v)
	}
	return mean, variance
}

func ones(n int) []float64 {
	return slices.Repeat([]float64{1}, n)
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

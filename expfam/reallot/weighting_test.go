package reallot

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

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

package diffusion

import (
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/internal/must"
)

// The spread of a row is the double sum over its cells, for a grid by lags beside cells by pairs: for rows that are
// alike at other places, rows of both blocks, differences, and cells whose pairs cancel.
func TestSpread(t *testing.T) {
	c := &correlations{Blocks: []correlationBlock{{Cells: 150, Rows: 10, Cols: 15},
		{First: 150, Cells: 3, At: 19 * 29}}}
	table, rng := make([]float64, 19*29+9), expfam.Stream(1, "table")
	for i := range table {
		table[i] = 2*rng.Float64() - 1
	}
	lag := func(i, j int) float64 {
		if i >= 150 && j >= 150 {
			return table[19*29+(i-150)*3+j-150]
		}
		if i >= 150 || j >= 150 {
			return 0
		}
		return table[(i/15-j/15+9)*29+i%15-j%15+14]
	}
	rows := [][]rowWeight{
		{{0, 1}, {1, 2}, {16, -0.5}}, {{37, 1}, {38, 2}, {53, -0.5}}, {{14, 1}, {15, 2}, {30, -0.5}},
		{{3, 1}, {151, 2}, {152, 1}}, {{3, 1}, {150, 2}, {151, 1}}, {{3, 1}, {4, -1}, {5, -1}, {6, 1}}, {{149, 3}},
		{{152, -1}},
	}
	var all []rowWeight
	for j := range 150 {
		all = append(all, rowWeight{j, rng.NormFloat64()})
	}
	rows = append(rows, all)
	h := sparse.New(len(rows), 153, func(k int, visit func(int, float64)) {
		for _, w := range rows[k] {
			visit(w.cell, w.weight)
		}
	})
	s := c.varianceRatio(h)
	must.Be(t, s.rows[0] == s.rows[1] && s.rows[0] != s.rows[2] && s.rows[3] != s.rows[4],
		"rows have the sums %v; 0 and 1 are alike, 2 goes over an edge, and 3 and 4 have other pairs", s.rows)
	for k, got := range s.of(table) {
		var sum, squares float64
		for _, a := range rows[k] {
			squares += a.weight * a.weight
			for _, b := range rows[k] {
				sum += a.weight * b.weight * lag(a.cell, b.cell)
			}
		}
		want := math.Max(sum/squares, leastVarianceRatio)
		must.Be(t, math.Abs(got-want) <= 1e-13*float64(len(rows[k])), "row %d: %.15g, want %.15g", k, got, want)
	}
}

type rowWeight struct {
	cell   int
	weight float64
}

// BenchmarkSpread is the tables of 16 noise levels for a Gaussian blur of 64×64 cells.
func BenchmarkSpread(b *testing.B) {
	const n, reach = 64, 6
	c := &correlations{Blocks: []correlationBlock{{Cells: n * n, Rows: n, Cols: n}}}
	table := make([]float64, (2*n-1)*(2*n-1))
	h := sparse.New(n*n, n*n, func(k int, visit func(int, float64)) {
		for r := max(0, k/n-reach); r <= min(n-1, k/n+reach); r++ {
			for col := max(0, k%n-reach); col <= min(n-1, k%n+reach); col++ {
				u, v := float64(r-k/n), float64(col-k%n)
				visit(r*n+col, math.Exp(-(u*u+v*v)/4.5))
			}
		}
	})
	b.Run(fmt.Sprint(len(h.Cell)), func(b *testing.B) {
		for b.Loop() {
			s := c.varianceRatio(h)
			for range 16 {
				s.of(table)
			}
		}
	})
}

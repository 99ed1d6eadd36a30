package operator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Sums and means over labels are those of a map from label to cells.
func TestAreasByLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	labels, weights := make([]int, 200), make([]float64, 200)
	sums, exposure := map[int]float64{}, map[int]float64{}
	counts := map[int]float64{}
	plain := map[int]float64{}
	x := normals(7, 1, 200)[0]
	for j := range labels {
		labels[j], weights[j] = rng.IntN(14)-1, 5*rng.Float64()
		sums[labels[j]] += weights[j] * x[j]
		exposure[labels[j]] += weights[j]
		plain[labels[j]] += x[j]
		counts[labels[j]]++
	}
	for name, c := range map[string]struct {
		op   *Areas
		want func(k int) float64
	}{
		"weighted sums": {&Areas{Labels: labels, Weights: weights}, func(k int) float64 { return sums[k] }},
		"weighted means": {&Areas{Labels: labels, Weights: weights, Mean: true},
			func(k int) float64 { return sums[k] / exposure[k] }},
		"sums":  {&Areas{Labels: labels}, func(k int) float64 { return plain[k] }},
		"means": {&Areas{Labels: labels, Mean: true}, func(k int) float64 { return plain[k] / counts[k] }},
	} {
		got := product(c.op, x)
		must.Need(t, len(got) == 13, "%s: %d areas, want 13", name, len(got))
		for k, v := range got {
			near(t, fmt.Sprintf("%s of area %d", name, k), v, c.want(k))
		}
	}
}

func TestAreasRefuse(t *testing.T) {
	refusals(t, []refused{
		{"areas without Labels", &Areas{}},
		{"3 Labels and 2 Weights", &Areas{Labels: []int{0, 0, 1}, Weights: []float64{1, 2}}},
		{"cell 1 has the label -2", &Areas{Labels: []int{0, -2, 1}}},
		{"cell 2 has the label 7; labels are 0 to 2", &Areas{Labels: []int{0, 1, 7}}},
		{"all of 2 cells have the label −1", &Areas{Labels: []int{-1, -1}}},
		{"1 of 3 areas have no cell: area 1; number the areas from 0 without gaps", &Areas{Labels: []int{0, 2, 0}}},
		{"area 0: cell 1 has the weight -1", &Areas{Labels: []int{0, 0, 1}, Weights: []float64{1, -1, 2}}},
		{"area 1: cell 2 has the weight NaN", &Areas{Labels: []int{0, 0, 1}, Weights: []float64{1, 1, math.NaN()}}},
		{"the weights of area 1 add up to 0; leave out areas", &Areas{Labels: []int{0, 0, 1},
			Weights: []float64{1, 1, 0}}},
	})
}

// Means of blocks are those of loops over them, and of areas with the labels of the blocks.
func TestDownsample(t *testing.T) {
	op := &Downsample{Rows: 6, Cols: 12, Down: 2, Across: 3}
	x := normals(8, 1, 72)[0]
	labels := make([]int, 72)
	for j := range labels {
		labels[j] = j/12/2*4 + j%12/3
	}
	areas := product(&Areas{Labels: labels, Mean: true}, x)
	got := product(op, x)
	must.Need(t, len(got) == 12, "%d blocks, want 12", len(got))
	for k, v := range got {
		var sum float64
		for r := range 2 {
			for c := range 3 {
				sum += x[(k/4*2+r)*12+k%4*3+c]
			}
		}
		near(t, fmt.Sprintf("block %d", k), v, sum/6)
		near(t, fmt.Sprintf("area %d", k), areas[k], sum/6)
	}
	for name, c := range map[string]struct {
		op          *Downsample
		data, cells int
	}{
		"default":         {&Downsample{Rows: 4, Cols: 6}, 6, 24},
		"one is both":     {&Downsample{Rows: 6, Cols: 6, Down: 3}, 4, 36},
		"line":            {&Downsample{Cols: 6}, 3, 6},
		"line, by Across": {&Downsample{Cols: 6, Across: 3}, 2, 6},
	} {
		if data, cells := c.op.Dims(); data != c.data || cells != c.cells {
			t.Errorf("%s: %d data of %d cells, want %d of %d", name, data, cells, c.data, c.cells)
		}
	}
	refusals(t, []refused{
		{"a downsampling of 0 rows and 0 columns", &Downsample{}},
		{"blocks of 2 by 2 don't tile 5×4 cells", &Downsample{Rows: 5, Cols: 4}},
		{"blocks of -1 by 2 don't tile 4×4 cells", &Downsample{Rows: 4, Cols: 4, Down: -1, Across: 2}},
		{"blocks of 2 by 2 don't tile 4 cells", &Downsample{Cols: 4, Down: 2}},
	})
}

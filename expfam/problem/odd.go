package problem

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
)

// odd is an image that is no photograph: a formula, or draws of a generator.
type odd struct {
	name string
	// at returns x₀ in row r and column c, both from 0 to 1.
	at func(r, c float64, rng *rand.Rand) float64
}

// OddImages returns twenty images that a prior of photographs does not expect: noise of several amplitudes, stripes,
// checkers, blobs, ramps and constants. They have the counts of the given number of replicates, and 20% of the cells
// are held out, as in [Images].
func OddImages(side, replicates int, seed uint64) ([]Image, error) {
	g := grid.Grid{Rows: side, Cols: side}
	var all []Image
	for k, o := range odds(float64(side)) {
		rng := expfam.Stream(seed, "benchmark/odd/"+o.name)
		x0 := make([]float64, g.Len())
		for j := range x0 {
			row, col := g.Cell(j)
			x := o.at((float64(row)+0.5)/float64(side), (float64(col)+0.5)/float64(side), rng)
			x0[j] = min(max(x, -1), 1)
		}
		image, err := newImage(o.name, g, x0, replicates, seed+uint64(k))
		if err != nil {
			return nil, fmt.Errorf("problem: odd images: %w", err)
		}
		all = append(all, image)
	}
	return all, nil
}

// odds returns the images for squares with the given number of cells on each side.
func odds(cells float64) (list []odd) {
	add := func(name string, at func(r, c float64, rng *rand.Rand) float64) { list = append(list, odd{name, at}) }
	for _, sd := range []float64{0.02, 0.05, 0.1, 0.2, 0.4} {
		add(fmt.Sprintf("noise of sd %g", sd),
			func(_, _ float64, rng *rand.Rand) float64 { return sd * rng.NormFloat64() })
	}
	stripes := func(height, period, across, down float64) func(r, c float64, _ *rand.Rand) float64 {
		return func(r, c float64, _ *rand.Rand) float64 {
			return height * math.Sin(2*math.Pi*cells/period*(across*c+down*r))
		}
	}
	add("stripes, 16 cells", stripes(0.8, 16, 1, 0))
	add("stripes, 6 cells", stripes(0.5, 6, 0, 1))
	add("faint diagonal stripes", stripes(0.2, 8, 0.8, 0.6))
	add("stripes with edges", func(r, c float64,
		rng *rand.Rand) float64 {
		return math.Copysign(0.6, stripes(1, 8, 1, 0)(r, c, rng))
	})
	for _, b := range []struct{ height, side float64 }{{0.9, 8}, {0.6, 2}, {0.2, 4}} {
		add(fmt.Sprintf("checkers of %g cells, ±%g", b.side, b.height), func(r, c float64, _ *rand.Rand) float64 {
			return b.height * float64(1-2*((int(r*cells/b.side)+int(c*cells/b.side))%2))
		})
	}
	for _, b := range []struct {
		count         int
		sd, low, high float64
	}{{4, 0.12, -0.9, 0.9}, {40, 0.03, -0.5, 0.5}, {12, 0.06, 0.8, -0.8}} {
		add(fmt.Sprintf("%d blobs", b.count), blobs(b.count, b.sd, b.low, b.high))
	}
	add("ramp", func(r, c float64, _ *rand.Rand) float64 { return 0.9 * (r + c - 1) })
	add("round ramp", func(r, c float64, _ *rand.Rand) float64 { return 0.8 - 2*math.Hypot(r-0.5, c-0.4) })
	add("ramp with noise", func(r, _ float64, rng *rand.Rand) float64 { return 0.7*(1-2*r) + 0.1*rng.NormFloat64() })
	for _, x := range []float64{-0.8, 0.7} {
		add(fmt.Sprintf("constant %g", x), func(_, _ float64, _ *rand.Rand) float64 { return x })
	}
	return list
}

// blobs returns an image of Gaussian bumps at random places.
func blobs(count int, sd, low, high float64) func(r, c float64, rng *rand.Rand) float64 {
	var places [][2]float64
	return func(r, c float64, rng *rand.Rand) float64 {
		for len(places) < count {
			places = append(places, [2]float64{rng.Float64(), rng.Float64()})
		}
		var sum float64
		for _, p := range places {
			sum += math.Exp(-(math.Pow(r-p[0], 2) + math.Pow(c-p[1], 2)) / (2 * sd * sd))
		}
		return low + (high-low)*min(sum, 1)
	}
}

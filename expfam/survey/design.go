package survey

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
)

// design is where a simulated campaign goes: a Neyman-Scott process. Towns are
// uniform on the land, one in 20 000 km², with Pareto sizes (the sizes of real
// ones follow Zipf's law, exponent 1; 1.1 has a mean). Nine clusters of ten are
// around a town that is chosen by its size, the others anywhere; the surveys of
// a cluster, 1 + Poisson(8), are normal around its centre (a Thomas process).
//
// On 256 × 256 cells of sub-Saharan Africa an observed cell so has 4.5 surveys,
// 2, 8 and 13 at the quantiles of 50, 90 and 95%, and a median of 190 examined.
// In the real surveys of [Campaign] these are 6.4, 1, 15, 25 and 228; without the
// surveys of cities 3.5, 1, 6 and 13.
type design struct {
	m     *land.Map
	rng   *rand.Rand
	area  []float64 // cumulative over the cells
	towns []land.Position
	size  []float64 // cumulative
}

const (
	townArea = 20_000 // km²
	zipf     = 1.1
	urban    = 0.9 // of the clusters
	radius   = 20  // km, standard deviation of each coordinate
	extra    = 8   // surveys of a cluster beyond the first, on average
)

func newDesign(m *land.Map, seed uint64) *design {
	d := &design{m: m, rng: expfam.Stream(seed, "campaign/places")}
	d.area = cumulative(m.Grid.Areas())
	for range max(3, int(d.area[len(d.area)-1]/townArea)) {
		d.towns = append(d.towns, d.anywhere())
		d.size = append(d.size, math.Pow(1-d.rng.Float64(), -1/zipf))
	}
	d.size = cumulative(d.size)
	return d
}

// visit calls stop with the surveys, their cells and clusters, until it returns
// false.
func (d *design) visit(stop func(p land.Position, j, cluster int) (more bool)) error {
	// Nine tenths of the land at most are asked for, and one cluster of ten goes
	// anywhere: ten of those a cell, where two and a half would do, fall short if
	// the land is slivers that surveys are not allowed to leave.
	for cluster := 1; cluster <= 100*len(d.area)+1000; cluster++ {
		centre := d.anywhere()
		if d.rng.Float64() < urban {
			centre = d.towns[choose(d.size, d.rng)]
		}
		for range 1 + poisson(extra, d.rng) {
			p, j, ok := d.around(centre)
			if ok && !stop(p, j, cluster) {
				return nil
			}
		}
	}
	return fmt.Errorf("the surveys do not reach so many cells; ask for fewer")
}

// anywhere is uniform on the land.
func (d *design) anywhere() land.Position {
	x, y := d.m.Grid.Centre(choose(d.area, d.rng))
	ax, ay := d.m.Grid.Axes()
	x, y = x+(d.rng.Float64()-0.5)*ax.Step, y+(d.rng.Float64()-0.5)*ay.Step
	return land.Position{Lon: d.m.Projection.Lon(x), Lat: d.m.Projection.Lat(y)}
}

// around is a survey of a cluster, on land.
func (d *design) around(centre land.Position) (p land.Position, j int, ok bool) {
	const degree = grid.EarthRadius * math.Pi / 180 // km
	for range 20 {
		p.Lat = centre.Lat + radius/degree*d.rng.NormFloat64()
		p.Lon = centre.Lon + radius/degree*d.rng.NormFloat64()/math.Cos(centre.Lat*math.Pi/180)
		// Five decimals are a metre, as in tables.
		p.Lat, p.Lon = math.Round(p.Lat*1e5)/1e5, math.Round(p.Lon*1e5)/1e5
		if j, ok = d.m.Locate(p); ok && d.m.Grid.Inside(j) {
			return p, j, true
		}
	}
	return p, j, false
}

func cumulative(w []float64) []float64 {
	sum, out := 0.0, make([]float64, len(w))
	for i, v := range w {
		sum += v
		out[i] = sum
	}
	return out
}

// choose is an index by its weight; one of weight 0 never.
func choose(cumulative []float64, rng *rand.Rand) int {
	u := rng.Float64() * cumulative[len(cumulative)-1]
	return sort.Search(len(cumulative)-1, func(i int) bool { return cumulative[i] > u })
}

// poisson counts the unit exponentials that fit into mean.
func poisson(mean float64, rng *rand.Rand) int {
	n := 0
	for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
		n++
	}
	return n
}

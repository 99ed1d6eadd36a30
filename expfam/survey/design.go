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

// design draws the places of a simulated campaign, by a Neyman-Scott process. Towns are uniform on the land, one in 20
// 000 km². Their sizes have a Pareto distribution of exponent 1.1. (The sizes of real towns follow Zipf's law, whose
// exponent 1 has no mean.) Nine clusters in ten are around a town that is chosen by its size, and the others are
// anywhere on land. A cluster has 1 + Poisson(8) surveys, which are normal around its centre (a Thomas process).
//
// On 256 × 256 cells of sub-Saharan Africa an observed cell then has 4.5 surveys on average, with quantiles 2, 8 and 13
// at 50, 90 and 95%, and a median of 190 examined. In the real surveys of [Campaign] these numbers are 6.4, 1, 15, 25
// and 228. Without the surveys of cities the numbers of surveys are 3.5, 1, 6 and 13.
type design struct {
	m     *land.Map
	rng   *rand.Rand
	area  []float64 // cumulative areas of the cells
	towns []land.Position
	size  []float64 // cumulative sizes of the towns
}

const (
	townArea = 20_000 // km² per town
	zipf     = 1.1    // exponent of the sizes of towns
	urban    = 0.9    // share of the clusters that are around a town
	radius   = 20     // km, standard deviation of each coordinate of a survey in a cluster
	extra    = 8      // mean number of surveys of a cluster beyond the first
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

// visit calls stop with the place, the cell and the cluster of one survey after the other, until stop returns false.
func (d *design) visit(stop func(p land.Position, j, cluster int) (more bool)) error {
	// At most nine tenths of the land are asked for, and one cluster in ten is anywhere. So
	// there are ten such clusters per cell, where two and a half would suffice. These can
	// fall short only if the land consists of slivers, which surveys must not leave.
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

// anywhere draws a place that is uniform on the land.
func (d *design) anywhere() land.Position {
	x, y := d.m.Grid.Centre(choose(d.area, d.rng))
	ax, ay := d.m.Grid.Axes()
	x, y = x+(d.rng.Float64()-0.5)*ax.Step, y+(d.rng.Float64()-0.5)*ay.Step
	return land.Position{Lon: d.m.Projection.Lon(x), Lat: d.m.Projection.Lat(y)}
}

// around draws the place of a survey of a cluster, and its cell. ok is false if no place on land was found.
func (d *design) around(centre land.Position) (p land.Position, j int, ok bool) {
	const degree = grid.EarthRadius * math.Pi / 180 // km
	for range 20 {
		p.Lat = centre.Lat + radius/degree*d.rng.NormFloat64()
		p.Lon = centre.Lon + radius/degree*d.rng.NormFloat64()/math.Cos(centre.Lat*math.Pi/180)
		// Five decimals, about a metre, as in tables.
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

// choose draws an index in proportion to its weight, from the cumulative weights. It never draws an index of weight 0.
func choose(cumulative []float64, rng *rand.Rand) int {
	u := rng.Float64() * cumulative[len(cumulative)-1]
	return sort.Search(len(cumulative)-1, func(i int) bool { return cumulative[i] > u })
}

// poisson draws a Poisson number: how many unit exponentials have a sum below mean.
func poisson(mean float64, rng *rand.Rand) int {
	n := 0
	for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
		n++
	}
	return n
}

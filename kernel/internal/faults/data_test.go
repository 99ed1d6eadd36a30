package faults

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/expfam/lab/expfam"
)

// odd values that tables of data have.
var odd = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.5, 2.5, -3, 1e-300,
	5e-324, 1e15 + 0.5, 1e17, 1e300, math.MaxFloat64, -math.MaxFloat64}

// expected says what becomes of data.
type expected struct {
	first    int  // the first cell that is impossible, −1 if none is
	whole    bool // all of the data are refused, and no cell is to blame
	extremes bool // some term is one that a float64 may not hold
}

// data are random. Most that have known constants are of the family without its own, which they would contradict.
func (l *law) data(rng *rand.Rand) (d expfam.Data, want expected) {
	cells, replicates := 1+rng.IntN(5), 1+rng.IntN(3)
	oddity := pick(rng, 0, 0, 0.05, 0.3)
	d.Y = make([][]float64, replicates)
	if rng.IntN(2) == 0 && (len(l.knowns) > 0 || oddity > 0) {
		d.Known = l.constants(rng, pick(rng, 1, replicates), cells, oddity)
	}
	if d.Known != nil && l.bare != nil && rng.IntN(5) > 0 {
		l.family, l.bare = l.bare, nil
	}
	if rng.IntN(2) == 0 {
		d.Missing = make([][]bool, pick(rng, 1, replicates))
		for i := range d.Missing {
			d.Missing[i] = make([]bool, cells)
			for j := range d.Missing[i] {
				d.Missing[i][j] = rng.IntN(4) == 0
			}
		}
	}
	want.first = -1
	some, unknown := false, -1
	for i := range d.Y {
		d.Y[i] = make([]float64, cells)
		for j := range d.Y[i] {
			y, known := l.y(rng), l.at(d, i, j)
			if known > 0 && !l.possible(y, known) && rng.IntN(3) > 0 {
				y = min(y, math.Floor(known)) // trials of a row have fewer positives than the family's
			}
			if rng.Float64() < oddity {
				y = pick(rng, odd...)
			}
			d.Y[i][j] = y
			some = some || !math.IsNaN(y)
			if l.skips(d, i, j) {
				continue
			}
			if math.IsNaN(known) && unknown < 0 {
				unknown = j // is looked for before all else
			}
			if ok := l.possible(y, known) && (d.Known == nil || len(l.knowns) > 0); !ok && want.first < 0 {
				want.first = j
			}
			want.extremes = want.extremes || extreme(y, known)
		}
	}
	if want.first >= 0 && unknown >= 0 {
		want.first = unknown
	}
	want.whole = unknown < 0 && (!some || l.contradicted(d))
	return d, want
}

// constants are random known constants, some of them odd.
func (l law) constants(rng *rand.Rand, rows, cells int, oddity float64) [][]float64 {
	known := make([][]float64, rows)
	for i := range known {
		known[i] = make([]float64, cells)
		for j := range known[i] {
			if len(l.knowns) > 0 {
				known[i][j] = pick(rng, l.knowns...)
			}
			if rng.Float64() < oddity {
				known[i][j] = pick(rng, odd...)
			}
		}
	}
	return known
}

// contradicted reports whether known constants differ from the family's own.
func (l law) contradicted(d expfam.Data) bool {
	return l.bare != nil && slices.ContainsFunc(slices.Concat(d.Known...), func(v float64) bool {
		return v != 0 && v != l.own && !math.IsNaN(v)
	})
}

// skips reports whether Y[i][j] is missing, or a 0 where nothing was exposed or examined.
func (l law) skips(d expfam.Data, i, j int) bool {
	y, known := d.Y[i][j], l.at(d, i, j)
	none := l.empty && d.Known != nil && y == 0 && (known == 0 || math.IsNaN(known))
	return none || math.IsNaN(y) || d.Missing != nil && d.Missing[min(i, len(d.Missing)-1)][j]
}

// at is the constant in force.
func (l law) at(d expfam.Data, i, j int) float64 {
	if d.Known == nil {
		return l.own
	}
	return d.Known[min(i, len(d.Known)-1)][j]
}

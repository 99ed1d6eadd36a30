package land_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// Kenya and Tanzania share a border: together they have fewer edges than apart,
// every edge of either is there, once, and where the projection puts it.
func TestLines(t *testing.T) {
	for _, projection := range []land.Projection{land.LonLat{}, land.EqualArea{Parallel: 30}} {
		m := must.Get(land.Frame{Projection: projection}.Map())(t)
		edges := func(of ...land.Region) map[[4]float64]int {
			all := map[[4]float64]int{}
			l := m.Lines(of...)
			for k := range l.Len() {
				x, y := l.Path(k)
				for i := 1; i < len(x); i++ {
					a, b := [2]float64{x[i-1], y[i-1]}, [2]float64{x[i], y[i]}
					if b[0] < a[0] || b[0] == a[0] && b[1] < a[1] {
						a, b = b, a
					}
					all[[4]float64{a[0], a[1], b[0], b[1]}]++
				}
			}
			return all
		}
		kenya := must.Get(land.Country("Kenya"))(t)
		tanzania := must.Get(land.Country("Tanzania"))(t)
		one, other, both := edges(kenya), edges(tanzania), edges(kenya, tanzania)
		must.Be(t, len(both) < len(one)+len(other),
			"%s: %d and %d edges apart, %d together: none shared", projection, len(one), len(other), len(both))
		for _, part := range []map[[4]float64]int{one, other} {
			for e := range part {
				must.Need(t, both[e] == 1, "%s: edge %v is drawn %d times", projection, e, both[e])
			}
		}
		box, low, high := kenya.Box(), math.Inf(1), math.Inf(-1)
		for e := range one {
			low, high = min(low, e[0], e[2]), max(high, e[0], e[2])
		}
		must.Be(t, low == projection.X(box.West) && high == projection.X(box.East),
			"%s: Kenya from x = %g to %g, want %g to %g", projection, low, high, projection.X(box.West),
			projection.X(box.East))
	}
}

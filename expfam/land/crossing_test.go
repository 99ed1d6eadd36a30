package land_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// scribble is an outline of random corners, which cross in about n²/4 places.
func scribble(n int, rng *rand.Rand) []land.Position {
	ring := make([]land.Position, n, n+1)
	for i := range ring {
		ring[i] = land.Position{Lon: rng.Float64(), Lat: rng.Float64()}
	}
	return append(ring, ring[0])
}

// zigzag is an outline of two waves that cross n times.
func zigzag(n int) []land.Position {
	var there, back []land.Position
	for i := range n + 1 {
		up := float64(i%2) * 1e-2
		there = append(there, land.Position{Lon: float64(i) * 1e-2, Lat: up})
		back = append(back, land.Position{Lon: float64(i) * 1e-2, Lat: 1e-2 - up})
	}
	for i := n; i >= 0; i-- {
		there = append(there, back[i])
	}
	return append(there, there[0])
}

// TestManyCrossings: an outline of thousands of crossings is refused, and what can be repaired is, in time that grows
// with its crossings.
func TestManyCrossings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{200, 1000, 4000, 12000} {
		_, err := land.NewRegion("scribble", [][][]land.Position{{scribble(n, rng)}})
		must.Err(t, err, "its rings cross themselves", "more than "+strconv.Itoa(1000+4*(n+1))+" places")
	}
	for _, n := range []int{400, 4000} {
		outline := [][][]land.Position{{zigzag(n)}}
		_, err := land.NewRegion("zigzag", outline)
		must.Err(t, err, "its rings cross themselves")
		r := must.Get(land.Repair("zigzag", outline))(t)
		must.Equal(t, len(r.Polygons), n+1, "polygons")
		must.Absolute(t, "area", flat(r), float64(n)*0.5e-4, 1e-12) // each step has two triangles of a quarter
	}
	_, err := land.Repair("scribble", [][][]land.Position{{scribble(2000, rng)}})
	must.Err(t, err, "more than 131072 places")
}

// TestRepairIsEvenOdd: a repaired scribble contains the places that lie within an odd number of turns of the outline.
func TestRepairIsEvenOdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for k := range 60 {
		rings := [][][]land.Position{{scribble(4+rng.IntN(40), rng)}}
		if k%3 == 0 { // on a lattice, where edges lie on one another and meet in corners
			for i, p := range rings[0][0] {
				rings[0][0][i] = land.Position{Lon: math.Round(4 * p.Lon), Lat: math.Round(4 * p.Lat)}
			}
		}
		r, err := land.Repair("scribble", rings)
		if err != nil {
			must.Be(t, k%3 == 0, "%d: %v", k, err) // on the lattice all may cancel
			continue
		}
		raw := land.Region{Polygons: rings}
		box := raw.Box()
		for range 2000 {
			at := land.Position{Lon: box.West + rng.Float64()*(box.East-box.West),
				Lat: box.South + rng.Float64()*(box.North-box.South)}
			if r.Contains(at) != raw.Contains(at) {
				t.Logf("%d: %v is inside: %v of %v", k, at, r.Contains(at), rings)
				t.Log(r.Polygons)
				t.FailNow()
			}
		}
	}
}

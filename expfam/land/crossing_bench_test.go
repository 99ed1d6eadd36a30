package land_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/expfam/land"
)

// BenchmarkCrossings: refusing and repairing outlines by the number of their corners.
func BenchmarkCrossings(b *testing.B) {
	for _, n := range []int{600, 1000, 4000, 12000} {
		ring := scribble(n, rand.New(rand.NewPCG(1, 1)))
		b.Run(fmt.Sprint("refuse/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := land.NewRegion("a", [][][]land.Position{{ring}}); err == nil {
					b.Fatal("it is accepted")
				}
			}
		})
		b.Run(fmt.Sprint("repair/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := land.Repair("a", [][][]land.Position{{zigzag(n)}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// comb is an outline with n teeth from west to east, all of which lie beside one another at each longitude.
func comb(n int) []land.Position {
	ring := []land.Position{{Lon: -1, Lat: 0}}
	for i := range n {
		lat := float64(i)
		ring = append(ring, land.Position{Lon: 1, Lat: lat + 0.1}, land.Position{Lon: 1, Lat: lat + 0.4},
			land.Position{Lon: 0, Lat: lat + 0.5}, land.Position{Lon: 0, Lat: lat + 0.9})
	}
	return append(ring, land.Position{Lon: -1, Lat: float64(n)}, ring[0])
}

// BenchmarkValid: reading regions that are right, by the number of their corners: a circle, teeth from west to east and
// from south to north, and islands in a shape without an order.
func BenchmarkValid(b *testing.B) {
	for _, n := range []int{4000, 16000} {
		var circle, teeth []land.Position
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.3) / float64(n))
			circle = append(circle, land.Position{Lon: cos, Lat: sin})
		}
		circle = append(circle, circle[0])
		across := comb(n / 4)
		for _, p := range across {
			teeth = append(teeth, land.Position{Lon: p.Lat, Lat: p.Lon + p.Lat*1e-9})
		}
		for name, ring := range map[string][]land.Position{"circle": circle, "across": across, "up": teeth} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					if _, err := land.NewRegion("a", [][][]land.Position{{ring}}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		islands := [][]land.Position{circle}
		for i := range n / 16 {
			x, y := float64(i%64)/64-0.5, float64(i/64)/64-0.5
			islands = append(islands, square1(x, y, x+0.01, y+0.01))
		}
		b.Run(fmt.Sprint("holes/", n), func(b *testing.B) {
			for b.Loop() {
				if out := land.Nest(islands); len(out) != 1 {
					b.Fatal(len(out))
				}
			}
		})
	}
}

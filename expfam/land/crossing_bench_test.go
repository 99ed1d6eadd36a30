package land_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/expfam/land"
)

// BenchmarkCrossings: refusing and repairing outlines by the number of their corners.
func BenchmarkCrossings(b *testing.B) {
	for _, n := range []int{1000, 4000, 12000} {
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

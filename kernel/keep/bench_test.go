package keep

import (
	"fmt"
	"testing"
)

// A program loads a variable, reads it and keeps it: a map of many entries, and a slice of many numbers.
func BenchmarkProgram(b *testing.B) {
	for _, n := range []int{1_000_000} {
		b.Run(fmt.Sprint("map/", n), func(b *testing.B) {
			m := map[string]float64{}
			for i := range n {
				m[fmt.Sprint("k", i)] = float64(i)
			}
			dir := b.TempDir()
			first := Open(dir, 1)
			first.Define("m", &m)
			first.End()
			for i := 2; b.Loop(); i++ {
				var again map[string]float64
				p := Open(dir, i).Load("m", &again)
				p.End()
			}
		})
		b.Run(fmt.Sprint("slice/", 10*n), func(b *testing.B) {
			s := make([]float64, 10*n)
			dir := b.TempDir()
			first := Open(dir, 1)
			first.Define("s", &s)
			first.End()
			for i := 2; b.Loop(); i++ {
				var again []float64
				p := Open(dir, i).Load("s", &again)
				p.End()
			}
		})
	}
}

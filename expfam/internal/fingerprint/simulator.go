package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/expfam/lab/expfam/store"
)

// Draws has the methods of expfam.Simulator.
type Draws interface {
	String() string
	Dim() int
	Draw(rng *rand.Rand, x []float64)
}

// Simulator returns a hash of what a simulator draws. It is part of a [store.Key]. The hash covers the type, the text,
// the exported fields and some draws at fixed seeds: two draws of many cells, or eight of few. It also covers the
// Fingerprint of a simulator that is a [store.Fingerprinter]. An option that changes only rare draws may change none of
// these draws: name such an option in String. The function stream is expfam.Stream.
func Simulator(sim Draws, stream func(seed uint64, name string) *rand.Rand) (string, error) {
	parts := []any{NameOf(sim), FieldsOf(sim), sim.Dim()}
	if a, ok := sim.(interface{ Stationary() bool }); ok {
		parts = append(parts, "stationary", a.Stationary())
	}
	if b, ok := sim.(interface{ Bounds() (low, high float64) }); ok {
		low, high := b.Bounds()
		parts = append(parts, "bounds", low, high)
	}
	if f, ok := sim.(store.Fingerprinter); ok {
		parts = append(parts, "fingerprint", f.Fingerprint())
	}
	draws := 8
	if sim.Dim() >= 256 {
		draws = 2
	}
	var failed error
	hash, x := sha256.New(), make([]float64, sim.Dim())
	func() {
		defer func() {
			if reason := recover(); reason != nil {
				failed = fmt.Errorf("a draw of %v failed: %v", sim, reason)
			}
		}()
		for k := range draws {
			sim.Draw(stream(0, fmt.Sprintf("fingerprint/%d", k)), x)
			binary.Write(hash, binary.LittleEndian, x)
		}
	}()
	return store.Key(append(parts, hash.Sum(nil))...), failed
}

// Package binomial draws binomial numbers.
package binomial

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Keep keeps each event of a count with probability share, and returns the number kept.
func Keep(count, share float64, rng *rand.Rand) float64 {
	if count == 0 {
		return 0
	}
	return distuv.Binomial{N: count, P: share, Src: rng}.Rand()
}

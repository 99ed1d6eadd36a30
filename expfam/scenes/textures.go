package scenes

import (
	"math"
	"sync"

	"github.com/expfam/lab/expfam"
)

// textures returns tiles with mean 0 and variance 1, the same in every process: six Gaussian
// fields, two for each of three exponents, and three images of dead leaves.
var textures = sync.OnceValue(func() []torus {
	rng := expfam.Stream(0, "grid/textures")
	var tiles []torus
	for _, a := range []float64{0.7, 1, 1.4} {
		u, v := spectral(rng, tileSize, a)
		tiles = append(tiles, tile(u), tile(v))
	}
	s := newScene(rng, newRadii(tileSize, tileSize, 0.7, tileSize/6))
	for range 3 {
		c := newCanvas(tileSize, tileSize)
		for c.left > 0.01*tileSize*tileSize {
			l := s.leaf(rng, tileSize, tileSize)
			c.paintTorus(&l)
		}
		tiles = append(tiles, tile(c.value))
	}
	return tiles
})

// tile returns x with mean 0 and variance 1.
func tile[T float32 | float64](x []T) torus {
	var sum, square float64
	for _, v := range x {
		sum += float64(v)
		square += float64(v) * float64(v)
	}
	mean := sum / float64(len(x))
	sd := math.Sqrt(square/float64(len(x)) - mean*mean)
	t := make(torus, len(x))
	for j, v := range x {
		t[j] = float32((float64(v) - mean) / sd)
	}
	return t
}

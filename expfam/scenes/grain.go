package scenes

import (
	"math/rand/v2"
	"sync"

	"github.com/expfam/lab/expfam"
)

// grains returns tiles of fine noise with mean 0 and variance 1. Two are white. Two have
// power that falls as 1/|k|, which makes them a little coarser.
var grains = sync.OnceValue(func() []torus {
	rng := expfam.Stream(0, "grid/grains")
	white, next := make([]float64, tileSize*tileSize), make([]float64, tileSize*tileSize)
	for j := range white {
		white[j], next[j] = rng.NormFloat64(), rng.NormFloat64()
	}
	rough, other := spectral(rng, tileSize, 0.5)
	return []torus{tile(white), tile(next), tile(rough), tile(other)}
})

// weaves returns tiles of regular patterns with mean 0 and variance 1, whose periods divide
// the size of a tile.
var weaves = sync.OnceValue(func() []torus {
	var tiles []torus
	for _, period := range []float64{4, 8, 16, 32} {
		for kind := range patternKinds {
			if kind == rings {
				continue // rings have a centre and do not repeat
			}
			p := pattern{kind: kind, duty: 0.5, steep: float32(period / 2)}
			if kind == bricks || kind == mesh {
				p.duty = 0.75
			}
			p.axes(period, period, 0)
			pix := make([]float64, tileSize*tileSize)
			for j := range pix {
				pix[j] = float64(p.at(float32(j%tileSize), float32(j/tileSize)))
			}
			tiles = append(tiles, tile(pix))
		}
	}
	return tiles
})

// finery replaces the texture of a leaf by grain with probability 0.25, and by a woven or
// built pattern with probability 0.1. It gives half of the leaves a texture of log-uniform
// amplitude, which may be hardly visible.
func (s scene) finery(rng *rand.Rand, l *leaf) {
	switch u := rng.Float64(); {
	case u < 0.25:
		tiles := grains()
		l.texture = tiles[rng.IntN(len(tiles))]
	case u < 0.35:
		tiles := weaves()
		l.texture = tiles[rng.IntN(len(tiles))]
	}
	if rng.Float64() < 0.5 {
		l.depth = float32(logUniform(rng, 0.003, 1))
	}
}

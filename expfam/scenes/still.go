package scenes

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/expfam/lab/expfam"
)

// still is a picture without leaves.
type still int

const (
	plane   still = iota // one tone
	ramp                 // tones that rise and fall along one direction
	blobs                // smooth bumps at random places
	regular              // a pattern
)

// newStill draws the kind. Two in five are patterns, and one in five each of the others.
func newStill(rng *rand.Rand) still {
	return [...]still{plane, ramp, blobs, regular, regular}[rng.IntN(5)]
}

// camera draws the camera of a still picture. Pictures have all contrasts, and noise of all amplitudes up to amplitudes
// that hide the picture. A plane has any tone, no contrast, and in four cases of five noise.
func (s still) camera(rng *rand.Rand, size float64) camera {
	var c camera
	noisy := 0.5
	if s == plane {
		noisy = 0.8
		c.fade(rng, 0)
	} else {
		c.shake(rng, size, 0.2)
		if rng.Float64() < 0.6 {
			c.fade(rng, logUniform(rng, 0.01, 1))
		}
	}
	if rng.Float64() < noisy {
		c.sensor(rng, 0.7)
	}
	return c
}

// draw makes rows × cols pixels of a picture. Its patterns, ramps and blobs are scaled to an
// image whose longer edge is size pixels.
func (s still) draw(rng *rand.Rand, rows, cols int, size float64) []float32 {
	pix := make([]float32, rows*cols)
	switch s {
	case plane:
		return pix
	case ramp:
		addRamp(rng, pix, cols, size, 1)
	case blobs:
		addBlobs(rng, pix, rows, cols, size)
	case regular:
		p := newPattern(rng, size)
		for j := range pix {
			pix[j] = p.at(float32(j%cols), float32(j/cols))
		}
	}
	if rng.Float64() < 0.3 {
		addRamp(rng, pix, cols, size, 2*rng.Float64())
	}
	return pix
}

// addRamp adds tones that rise and fall between −height and height along a direction. The tones turn back after one
// half to sixteen sizes of the image, so that all pixels have the same distribution.
func addRamp(rng *rand.Rand, pix []float32, cols int, size, height float64) {
	turn, period := 2*math.Pi*rng.Float64(), size*logUniform(rng, 1, 32)
	ux, uy, u := float32(math.Cos(turn)/period), float32(math.Sin(turn)/period), float32(rng.Float64())
	for j := range pix {
		t := u + ux*float32(j%cols) + uy*float32(j/cols)
		pix[j] += float32(height) * (4*abs(t-floor(t)-0.5) - 1)
	}
}

// addBlobs adds Gaussian bumps, bright and dark or of one sign, of similar widths. Their
// number in an image is Poisson with a mean that falls as the width grows.
func addBlobs(rng *rand.Rand, pix []float32, rows, cols int, size float64) {
	width := logUniform(rng, 1.2, max(1.5, size/5))
	signs, spread := rng.Float64(), 0.5*rng.Float64()
	if rng.Float64() < 0.5 {
		signs = 1
	}
	// Centres lie up to 3 widths outside of the picture. Blobs cover up to half of the picture.
	reach := 3 * width
	tall, wide := float64(rows)+2*reach, float64(cols)+2*reach
	mean := min(400, tall*wide/(width*width)*logUniform(rng, 0.005, 0.2))
	for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
		x, y := wide*rng.Float64()-reach, tall*rng.Float64()-reach
		w := width * math.Exp(spread*rng.NormFloat64())
		height := 0.5 + 0.5*rng.Float64()
		if rng.Float64() > signs {
			height = -height
		}
		fall := -0.5 / (w * w)
		for r := max(0, int(y-3*w)); r <= min(rows-1, int(y+3*w)); r++ {
			across := height * math.Exp(fall*(float64(r)-y)*(float64(r)-y))
			for c := max(0, int(x-3*w)); c <= min(cols-1, int(x+3*w)); c++ {
				pix[r*cols+c] += float32(across * math.Exp(fall*(float64(c)-x)*(float64(c)-x)))
			}
		}
	}
}

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

// weaves returns tiles of regular patterns with mean 0 and variance 1, whose periods divide the size of a tile.
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

// finery replaces the texture of a leaf by grain with probability 0.25, and by a woven or built pattern with
// probability 0.1. It gives half of the leaves a texture of log-uniform amplitude, which may be hardly visible.
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

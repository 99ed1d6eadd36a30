package scenes

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/expfam/lab/expfam"
)

// pattern is a picture that repeats, like the patterns that people weave, build and print, and
// like the pictures that maps are tested with.
type pattern struct {
	kind             patternKind
	ux, uy, vx, vy   float32 // periods per pixel along the two axes of the pattern
	u, v             float32 // position, in periods, of the centre of the first pixel
	duty             float32 // share of a period that is bright
	steep            float32 // one over the width of an edge in periods: large for sharp edges
	wave             waveKind
	jitter           float32 // amplitude of the differences in tone between elements
	bend             float32 // amplitude, in periods, by which the axes are distorted
	dent             torus   // the noise that distorts the axes and varies the tones
	dentX, dentY     float32 // place of the first pixel on dent
	dentZoom         float32 // pixels of dent per pixel
	centreX, centreY float32 // of rings, in pixels
}

type patternKind int

const (
	stripes patternKind = iota
	checkers
	bricks
	dots
	mesh
	rings
	patternKinds
)

type waveKind int

const (
	squareWave waveKind = iota // with edges of any width
	sineWave
	sawWave
)

// newPattern draws a pattern whose period is between 2 pixels and the size of the image. Half
// of the patterns lie along the axes of the image. Half of these have a whole number of
// pixels in a period, as pictures that are drawn on a lattice have.
func newPattern(rng *rand.Rand, size float64) pattern {
	p := pattern{kind: patternKind(rng.IntN(int(patternKinds))), duty: float32(0.15 + 0.7*rng.Float64())}
	if rng.Float64() < 0.5 {
		p.duty = 0.5
	}
	period := logUniform(rng, 2, max(4, size))
	aspect := 1.
	if rng.Float64() < 0.5 {
		aspect = math.Exp2(1.5 * rng.NormFloat64())
	}
	turn := 2 * math.Pi * rng.Float64()
	if rng.Float64() < 0.5 {
		turn = math.Pi / 2 * float64(rng.IntN(4))
		if rng.Float64() < 0.5 {
			period = max(2, math.Round(period))
		}
	}
	p.axes(period, max(2, period*aspect), turn)
	p.u, p.v = float32(rng.Float64()), float32(rng.Float64())
	// An edge is from a twentieth of a pixel to half a period wide.
	p.steep = float32(period / logUniform(rng, 0.05, max(1, period/2)))
	if u := rng.Float64(); u < 0.25 {
		p.wave = sineWave
	} else if u < 0.3 {
		p.wave = sawWave
	}
	p.centreX, p.centreY = float32(size*(2*rng.Float64()-0.5)), float32(size*(2*rng.Float64()-0.5))
	p.dent = textures()[4+rng.IntN(2)] // the smoothest of the Gaussian fields
	p.dentX, p.dentY = float32(tileSize*rng.Float64()), float32(tileSize*rng.Float64())
	p.dentZoom = float32(tileSize / 4 / size)
	if rng.Float64() < 0.3 {
		p.bend = float32(rng.Float64())
	}
	if rng.Float64() < 0.3 {
		p.jitter = float32(rng.Float64())
	}
	return p
}

// axes sets the two axes of the pattern: their periods across and along in pixels, and their direction.
func (p *pattern) axes(across, along, turn float64) {
	cos, sin := math.Cos(turn), math.Sin(turn)
	p.ux, p.uy = float32(cos/across), float32(sin/across)
	p.vx, p.vy = float32(-sin/along), float32(cos/along)
}

// at returns the tone of a pixel: the tone of the pattern, in [−1, 1], plus the jitter of the element.
func (p *pattern) at(x, y float32) float32 {
	u, v := p.u+p.ux*x+p.uy*y, p.v+p.vx*x+p.vy*y
	if p.kind == rings {
		dx, dy := x-p.centreX, y-p.centreY
		u = p.u + sqrt((dx*dx+dy*dy)*(p.ux*p.ux+p.uy*p.uy))
	}
	if p.bend != 0 {
		bend := p.bend * p.dent.at(p.dentX+p.dentZoom*x, p.dentY+p.dentZoom*y)
		u, v = u+bend, v+bend
	}
	var value float32
	switch p.kind {
	case stripes, rings:
		v = 0
		value = p.profile(u)
	case checkers:
		value = p.profile(u) * p.profile(v)
	case mesh:
		value = min(p.profile(u), p.profile(v))
	case bricks:
		u += 0.5 * float32(int(floor(v))&1)
		value = min(p.profile(u), p.profile(v))
	case dots:
		u += 0.5 * float32(int(floor(v))&1)
		du, dv := u-floor(u)-0.5, v-floor(v)-0.5
		value = max(-1, min(1, 2*p.steep*(0.6*p.duty-sqrt(du*du+dv*dv))))
	}
	if p.jitter != 0 {
		// Neighbouring elements are 7.3 pixels of the tile apart, so their tones hardly correlate.
		value += p.jitter * p.dent.at(7.3*floor(u), 7.3*floor(v))
	}
	return value
}

// profile returns the tone along one axis, at t periods.
func (p *pattern) profile(t float32) float32 {
	t -= floor(t)
	switch p.wave {
	case sineWave:
		return float32(math.Sin(2 * math.Pi * float64(t)))
	case sawWave:
		return 2*t - 1
	}
	return max(-1, min(1, p.steep*(p.duty-abs(2*t-1))))
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

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
		for c.left > float64(float32(0.01*tileSize*tileSize)) {
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

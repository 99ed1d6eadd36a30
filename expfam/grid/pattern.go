package grid

import (
	"math"
	"math/rand/v2"
)

// pattern is a picture that repeats: what people weave, build and print, and what tests of
// maps are made of.
type pattern struct {
	kind             patternKind
	ux, uy, vx, vy   float32 // periods a pixel along the two axes of the pattern
	u, v             float32 // at the centre of the first pixel
	duty             float32 // share of a period that is bright
	steep            float32 // tones a period at an edge: high for sharp ones
	wave             waveKind
	jitter, bend     float32 // of tones from one element to the next; of the axes, in periods
	dent             torus   // by which the axes bend, and which gives elements their tones
	dentX, dentY     float32
	dentZoom         float32
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
	squareWave waveKind = iota // with edges that are more or less steep
	sineWave
	sawWave
)

// newPattern draws a pattern of periods from 2 pixels to the size of the image. Half of the
// patterns lie along the axes of the image, and half of those have a whole number of pixels
// in a period, as what is drawn on a lattice has.
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
	p.dent = textures()[4+rng.IntN(2)] // the smoothest
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

func (p *pattern) axes(across, along, turn float64) {
	cos, sin := math.Cos(turn), math.Sin(turn)
	p.ux, p.uy = float32(cos/across), float32(sin/across)
	p.vx, p.vy = float32(-sin/along), float32(cos/along)
}

// at is the tone in [−1, 1] of a pixel, plus the element's own.
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
		// 7.3 pixels of the tile an element, so that neighbours are hardly alike.
		value += p.jitter * p.dent.at(7.3*floor(u), 7.3*floor(v))
	}
	return value
}

// profile is the tone along one axis, at t periods.
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

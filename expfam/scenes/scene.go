package scenes

import (
	"math"
	"math/rand/v2"
)

// scene has the properties that the leaves of an image share.
type scene struct {
	radii
	skew       float64 // exponent that skews the distribution of the tones
	busy       float64 // share of leaves with a texture
	sunX, sunY float64 // direction of the light
	round      float64 // share of leaves with a bulge
	textures   []torus // nil: no leaf has a texture
	fine       bool    // surfaces may also have grain, patterns and faint textures
	// Leaves that are close have similar tones: their tones share a 1/f field.
	region           torus
	regionX, regionY float32 // place of the first pixel on region
	zoom             float32 // pixels of region per pixel
	own, common      float32 // weights of a leaf's own tone and of the shared field
}

func newScene(rng *rand.Rand, r radii) scene {
	sun := 2 * math.Pi * rng.Float64()
	return scene{radii: r, skew: math.Exp2(2*rng.Float64() - 1), busy: 0.4 + 0.6*rng.Float64(),
		sunX: math.Cos(sun), sunY: math.Sin(sun), round: rng.Float64()}
}

// light draws the Gaussian field that the tones share, which is a part of a tile, and its weight.
func (s *scene) light(rng *rand.Rand, size float64) {
	s.region = s.textures[1+rng.IntN(5)]
	s.regionX, s.regionY = float32(tileSize*rng.Float64()), float32(tileSize*rng.Float64())
	s.zoom = float32(tileSize / 2 / size)
	turn := math.Pi / 2 * rng.Float64()
	s.own, s.common = float32(math.Cos(turn)), float32(0.9*math.Sin(turn))
}

// leaf draws a leaf that may meet a window of rows × cols.
func (s scene) leaf(rng *rand.Rand, rows, cols int) leaf {
	r := s.draw(rng)
	l := leaf{
		x:    float32(rng.Float64()*(float64(cols)+2*reach*r) - reach*r - 0.5),
		y:    float32(rng.Float64()*(float64(rows)+2*reach*r) - reach*r - 0.5),
		soft: 1,
		cos:  1, a: float32(r), b: float32(r),
	}
	l.tone = tone(math.Pow(rng.Float64(), s.skew))
	if s.region != nil {
		l.tone = s.own*l.tone + s.common*s.region.at(s.regionX+s.zoom*l.x, s.regionY+s.zoom*l.y)
	}
	if r < 1 {
		return l // too small for its shape to be seen
	}
	l.shape = shape(rng.IntN(int(shapes)))
	turn := 2 * math.Pi * rng.Float64()
	l.cos, l.sin = float32(math.Cos(turn)), float32(math.Sin(turn))
	// The ratio of the axes is log-uniform in 1 … 6, at the same area.
	long := float32(math.Exp(math.Log(6) / 2 * rng.Float64()))
	l.a, l.b = l.a*long, l.b/long
	if r < 2 {
		return l // too small for its shade to be seen
	}
	if rng.Float64() < 0.15 {
		l.soft = float32(math.Pow(r, rng.Float64())) // out of focus
	}
	shade := 0.4 * rng.NormFloat64() / max(r, 8)
	l.shadeX, l.shadeY = float32(shade*s.sunX), float32(shade*s.sunY)
	if rng.Float64() < s.round {
		l.bulge = float32(0.4 * rng.NormFloat64())
	}
	if len(s.textures) > 0 && rng.Float64() < s.busy {
		s.dress(rng, &l)
	}
	return l
}

// tone maps u from [0, 1] to [−1, 1]. It gives the ends of the range more weight than the
// middle, because things are lit or in the dark.
func tone(u float64) float32 {
	t := 2*u - 1
	return float32(t * (1.5 - 0.5*t*t))
}

// dress gives a leaf a texture: a tile that is turned, stretched and shifted.
func (s scene) dress(rng *rand.Rand, l *leaf) {
	l.texture = s.textures[rng.IntN(len(s.textures))]
	l.depth = float32(1.3 * rng.Float64() * rng.Float64())
	l.u, l.v = float32(tileSize*rng.Float64()), float32(tileSize*rng.Float64())
	turn := 2 * math.Pi * rng.Float64()
	cos, sin := math.Cos(turn), math.Sin(turn)
	// At most one pixel of the tile per pixel of the image: more would alias.
	su, sv := math.Exp2(-rng.Float64()), math.Exp2(-rng.Float64())
	l.ux, l.uy, l.vx, l.vy = float32(su*cos), float32(su*sin), float32(-sv*sin), float32(sv*cos)
	if s.fine {
		s.finery(rng, l)
	}
}

package grid

import (
	"math"
	"math/rand/v2"
)

// camera is how an image of a scene is taken. The zero value is sharp, without noise, and
// uses all of the range [−1, 1].
type camera struct {
	radius float64 // of the disc over which a lens out of focus averages, in pixels
	dx, dy float64 // half of the way of the camera during the exposure, in pixels

	gamma        float64 // exponent of the tones, which span [0, 1] before and after; 0: none
	black, white float64 // shares of the range that are cut off at its ends

	faint          bool    // the image spans level ± span, not [−1, 1]
	level, span    float64 // within [−1, 1]
	noise          float64 // standard deviation
	shot           bool    // the variance of the noise grows in proportion to the brightness
	grain          torus   // the noise is a part of this tile; none: it is white
	atX, atY       float32
	alongX, alongY float32
}

// expose bends the tones of half of the images, towards bright or dark.
func (c *camera) expose(rng *rand.Rand) {
	if rng.Float64() < 0.5 {
		c.gamma = math.Exp(0.6 * rng.NormFloat64())
	}
}

// degrade takes each step of what else may happen to an image of so many pixels along an edge
// with a probability of its own.
func (c *camera) degrade(rng *rand.Rand, size float64) {
	c.shake(rng, size, 0.4)
	if rng.Float64() < 0.3 {
		c.black, c.white = 0.25*rng.Float64()*rng.Float64(), 0.25*rng.Float64()*rng.Float64()
	}
	if rng.Float64() < 0.4 {
		c.fade(rng, logUniform(rng, 0.02, 1))
	}
	if rng.Float64() < 0.6 {
		c.sensor(rng, 0.3)
	}
}

// shake blurs with a probability: two times in three out of focus, otherwise in motion.
func (c *camera) shake(rng *rand.Rand, size, probability float64) {
	if rng.Float64() >= probability {
		return
	}
	if rng.Float64() < 2./3 {
		c.radius = logUniform(rng, 0.7, max(1, size/20))
		return
	}
	way, turn := logUniform(rng, 0.7, max(1, size/12)), 2*math.Pi*rng.Float64()
	c.dx, c.dy = way*math.Cos(turn), way*math.Sin(turn)
}

// fade lets the image span level ± span, where the level is uniform over what the range has
// room for.
func (c *camera) fade(rng *rand.Rand, span float64) {
	c.faint, c.span, c.level = true, span, (1-span)*(2*rng.Float64()-1)
}

// sensor adds noise at all amplitudes up to one: white, or coarse as the grain of film; of
// one variance everywhere, or of one that follows the brightness, as that of a count of
// photons.
func (c *camera) sensor(rng *rand.Rand, most float64) {
	c.noise = logUniform(rng, 0.002, most)
	c.shot = rng.Float64() < 0.4
	if rng.Float64() < 0.25 {
		tiles := grains()
		c.grain = tiles[rng.IntN(len(tiles))]
		c.atX, c.atY = float32(tileSize*rng.Float64()), float32(tileSize*rng.Float64())
		turn, zoom := 2*math.Pi*rng.Float64(), math.Exp2(-rng.Float64())
		c.alongX, c.alongY = float32(zoom*math.Cos(turn)), float32(zoom*math.Sin(turn))
	}
}

// logUniform is uniform on a logarithmic axis.
func logUniform(rng *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, rng.Float64())
}

// margin is how many pixels around the image its blur needs.
func (c camera) margin() int {
	return int(math.Ceil(max(c.radius, math.Abs(c.dx), math.Abs(c.dy))))
}

// take fills x, row after row, with the image of a scene of rows × cols pixels around which
// there is the margin.
func (c camera) take(rng *rand.Rand, scene []float32, rows, cols int, x []float64) {
	m := c.margin()
	pix := scene
	switch {
	case c.radius > 0:
		pix = defocus(scene, rows+2*m, cols+2*m, m, c.radius)
	case m > 0:
		pix = drag(scene, rows+2*m, cols+2*m, m, c.dx, c.dy)
	}
	if stretch(pix, x) {
		c.develop(x)
	} else {
		clear(x)
	}
	low, span := -1., 1.
	if c.faint {
		low, span = c.level-c.span, c.span
	}
	for j, v := range x {
		v = low + span*(v+1)
		if c.noise > 0 {
			v += c.noise * c.deviate(rng, v, j/cols, j%cols)
		}
		x[j] = v
	}
	if !c.faint && c.noise > 0 {
		restretch(x)
	}
	for j, v := range x {
		x[j] = min(1, max(-1, v))
	}
}

// develop bends the tones and cuts off their ends, on [−1, 1].
func (c camera) develop(x []float64) {
	if c.gamma == 0 && c.black == 0 && c.white == 0 {
		return
	}
	for j, v := range x {
		v = (v + 1) / 2
		v = min(1, max(0, (v-c.black)/(1-c.black-c.white)))
		if c.gamma != 0 {
			v = math.Pow(v, c.gamma)
		}
		x[j] = 2*v - 1
	}
}

// deviate is noise of standard deviation 1 at the brightness 1.
func (c camera) deviate(rng *rand.Rand, v float64, row, col int) float64 {
	var e float64
	if c.grain == nil {
		e = rng.NormFloat64()
	} else {
		x, y := float32(col), float32(row)
		e = float64(c.grain.at(c.atX+c.alongX*x-c.alongY*y, c.atY+c.alongY*x+c.alongX*y))
	}
	if c.shot {
		e *= math.Sqrt(min(1, max(0, (v+1)/2)))
	}
	return e
}

// restretch scales to [−1, 1] what is not constant.
func restretch(x []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	if high > low {
		for j, v := range x {
			x[j] = 2*(v-low)/(high-low) - 1
		}
	}
}

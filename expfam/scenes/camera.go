package scenes

import (
	"math"
	"math/rand/v2"
)

// camera has the settings with which an image of a scene is taken. The image of the zero
// value is sharp, has no noise, and spans the complete range [−1, 1].
type camera struct {
	radius float64 // of the disc over which a lens out of focus averages, in pixels
	dx, dy float64 // half of the path of the camera during the exposure, in pixels

	gamma        float64 // exponent of the tone curve, which maps [0, 1] to [0, 1]; 0: no curve
	black, white float64 // shares of the range that are cut off at the dark and the bright end

	faint          bool    // the image spans level ± span, not [−1, 1]
	level, span    float64 // within [−1, 1]
	noise          float64 // standard deviation
	shot           bool    // the variance of the noise is proportional to the brightness
	grain          torus   // the noise is a part of this tile; nil: the noise is white
	atX, atY       float32 // place of the first pixel on the tile
	alongX, alongY float32 // step on the tile to the next pixel of a row
}

// expose gives half of the images a tone curve, which makes them brighter or darker.
func (c *camera) expose(rng *rand.Rand) {
	if rng.Float64() < 0.5 {
		c.gamma = math.Exp(0.6 * rng.NormFloat64())
	}
}

// degrade draws further defects: blur, tones that are cut off, low contrast, and noise. Each
// has a probability of its own. size is the longer edge of the image in pixels.
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

// shake blurs with the given probability. Two blurs in three are defocus, the others are motion blur.
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

// fade makes the image span level ± span. The level is uniform over the values for which this
// interval lies within [−1, 1].
func (c *camera) fade(rng *rand.Rand, span float64) {
	c.faint, c.span, c.level = true, span, (1-span)*(2*rng.Float64()-1)
}

// sensor adds noise whose amplitude is log-uniform between 0.002 and most. The noise is white, or coarse like the grain
// of film. Its variance is constant, or proportional to the brightness like the variance of a photon count.
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

// logUniform draws a number between low and high that is uniform on a logarithmic axis.
func logUniform(rng *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, rng.Float64())
}

// margin returns how many pixels around the image its blur needs.
func (c camera) margin() int { return int(math.Ceil(max(c.radius, math.Abs(c.dx), math.Abs(c.dy)))) }

// take fills x, row after row, with the image of a scene. The image has rows × cols pixels, and
// the scene has the margin around it.
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

// develop cuts off the ends of the tones, which span [−1, 1], and applies the tone curve.
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

// deviate returns the noise of a pixel with value v. The standard deviation is 1; with shot
// it is the square root of the brightness (v + 1)/2.
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

// restretch scales x to [−1, 1]. A constant x stays as it is.
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

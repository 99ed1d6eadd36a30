package scenes

import (
	"math"
	"math/rand/v2"
)

// canvas is painted from the front to the back: a leaf shows where the leaves before it let
// light through. Painted in this order, the picture is an exact draw of the stationary model
// as soon as no light is left (Kendall and Thönnes 1999).
type canvas struct {
	rows, cols int
	light      []float32 // share of light that each pixel lets through, from 1 to 0
	value      []float32
	left       float64 // sum of light
}

func newCanvas(rows, cols int) *canvas {
	c := &canvas{rows: rows, cols: cols, light: make([]float32, rows*cols), value: make([]float32, rows*cols),
		left: float64(rows * cols)}
	for j := range c.light {
		c.light[j] = 1
	}
	return c
}

// leaf is a shape around (x, y), in pixels, with a tone, a gradient of shade, a bulge towards its middle and a texture.
type leaf struct {
	x, y     float32
	shape    shape
	soft     float32 // width of the edge in pixels, at least 1
	cos, sin float32 // orientation
	a, b     float32 // semi-axes, a ≥ b

	tone, shadeX, shadeY, bulge float32

	texture        torus // nil: none
	depth          float32
	u, v           float32 // place of the centre on the texture
	ux, uy, vx, vy float32 // pixels of the texture per pixel of the image
}

// shape is the outline of a leaf.
type shape int

const (
	ellipse shape = iota
	box
	triangle
	blob   // a circle with three lobes
	shapes // number of shapes
)

// edge returns the signed distance in pixels, negative inside, of the point (p, q) from the edge. The point is in the
// leaf's own coordinates. edge also returns a level that rises from 0 at the centre to about 1 at the edge. The
// distance is exact to first order near the edge, which suffices for anti-aliasing.
func (l *leaf) edge(p, q float32) (distance, level float32) {
	u, v := p/l.a, q/l.b
	n := u*u + v*v
	switch l.shape {
	case box:
		return max(abs(p)-l.a, abs(q)-l.b), max(u*u, v*v)
	case triangle:
		// Half-planes at 120 degrees, at half the radius of the corners.
		return max(q-l.b/2, 0.8660254*abs(p)*l.b/l.a-0.5*q-l.b/2), n
	case blob:
		root := sqrt(n)
		wave := float32(0)
		if n > 1e-6 {
			wave = 0.25 * u * (u*u - 3*v*v) / (n * root) // cos 3φ
		}
		return (root - 1 - wave) * l.b, n
	}
	// To first order the distance is (n − 1)/|∇n|.
	gradient := 2 * sqrt(u*u/(l.a*l.a)+v*v/(l.b*l.b))
	if gradient < 1e-6 {
		return -l.b, n
	}
	return (n - 1) / gradient, n
}

func abs(x float32) float32  { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// paint adds a leaf behind all leaves that are there.
func (c *canvas) paint(l *leaf) {
	around := 1.26*l.a + l.soft // lobes reach 1.25
	if l.shape == box {
		around = sqrt(l.a*l.a+l.b*l.b) + l.soft
	}
	half := l.soft / 2
	for y := max(0, ceil(l.y-around)); y <= min(c.rows-1, ceil(l.y+around)-1); y++ {
		dy := float32(y) - l.y
		wide := sqrt(max(0, around*around-dy*dy))
		row := y * c.cols
		for x := max(0, ceil(l.x-wide)); x <= min(c.cols-1, ceil(l.x+wide)-1); x++ {
			light := c.light[row+x]
			if light == 0 {
				continue
			}
			dx := float32(x) - l.x
			d, n := l.edge(l.cos*dx+l.sin*dy, l.cos*dy-l.sin*dx)
			if d >= half {
				continue
			}
			shown := light
			if d > -half {
				shown *= 0.5 - d/l.soft
			}
			if light -= shown; light < 1.0/512 {
				shown, light = shown+light, 0
			}
			value := l.tone + l.shadeX*dx + l.shadeY*dy + l.bulge*(1-min(n, 1))
			if l.texture != nil {
				value += l.depth * l.texture.at(l.u+l.ux*dx+l.uy*dy, l.v+l.vx*dx+l.vy*dy)
			}
			c.value[row+x] += shown * value
			c.light[row+x] = light
			c.left -= float64(shown)
			if len(c.light) <= 1<<24 { // which float32 counts; images of a revision stay the same to the bit
				c.left = float64(float32(c.left))
			}
		}
	}
}

// paintTorus paints a leaf on a torus, on which opposite edges of the canvas meet: it
// paints all copies of the leaf that reach the canvas.
func (c *canvas) paintTorus(l *leaf) {
	for _, dy := range []int{-c.rows, 0, c.rows} {
		for _, dx := range []int{-c.cols, 0, c.cols} {
			moved := *l
			moved.x, moved.y = l.x+float32(dx), l.y+float32(dy)
			c.paint(&moved)
		}
	}
}

func ceil(x float32) int { return int(math.Ceil(float64(x))) }

// radii draws the radii of a scale-invariant set of leaves. The number of leaves falls as r^−3 between low and high
// (Ruderman 1997; Lee, Mumford and Huang 2001). A leaf can meet a window of rows × cols if its centre is within reach·r
// of the window, in an area of (rows + 2 reach r)(cols + 2 reach r). So the density of r is proportional to r^−3 times
// that area, which is a sum of terms r^−3, r^−2 and 1/r.
type radii struct {
	low, high  float64
	body, edge float64 // weights of the terms r^−3 and r^−2
	all        float64 // weight of all three terms
}

// reach is how far the longest leaf of radius 1 extends: the lobe of a blob whose axes have the ratio 6 : 1.
const reach = 1.25 * 2.4495

func newRadii(rows, cols int, low, high float64) radii {
	r := radii{low: low, high: high}
	r.body = float64(rows*cols) * (1/(low*low) - 1/(high*high)) / 2
	r.edge = 2 * reach * float64(rows+cols) * (1/low - 1/high)
	r.all = r.body + r.edge + 4*reach*reach*math.Log(high/low)
	return r
}

func (r radii) draw(rng *rand.Rand) float64 {
	u, which := rng.Float64(), rng.Float64()*r.all
	switch {
	case which < r.body:
		a, b := 1/(r.low*r.low), 1/(r.high*r.high)
		return 1 / math.Sqrt(a+u*(b-a))
	case which < r.body+r.edge:
		return 1 / (1/r.low + u*(1/r.high-1/r.low))
	}
	return r.low * math.Pow(r.high/r.low, u)
}

package grid

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
)

// Procedural is a prior of images that needs no data. It imitates a property of
// photographs at all scales: objects hide each other, and their number falls as r^−3 with
// their radius r. The statistics therefore do not depend on the distance of the camera.
//
// An image is a dead leaves model (Matheron 1968; its statistics are those of
// photographs: Ruderman 1997, Lee, Mumford and Huang 2001): ellipses, boxes, triangles
// and lobed blobs at random places, in front of each other, up to and beyond the size of
// the image. A leaf has a tone, a gradient of shade, often a bulge, an edge that is sharp
// or out of focus, and a texture, strong or faint: a 1/f^a field, or dead leaves again,
// down to the pixel. Small details are therefore not spread evenly, but belong to
// objects, as in photographs. A share of the images has no leaves but one Gaussian 1/f^a
// field. Images are scaled to [−1, 1] as photographs are ([ReadPhoto]).
//
// An image depends only on the generator, and an image of [Procedural.Item] only on seed
// and index.
type Procedural struct {
	Rows, Cols int // default 64 each
	// Fields is the share of images that are pure 1/f^a fields. Default 0.1; with
	// NoFields there are none.
	Fields   float64
	NoFields bool
}

func (p Procedural) orDefault() Procedural {
	p.Rows = cmp.Or(p.Rows, 64)
	p.Cols = cmp.Or(p.Cols, 64)
	p.Fields = cmp.Or(p.Fields, 0.1)
	if p.NoFields {
		p.Fields = 0
	}
	return p
}

// proceduralRevision goes up when the same seed draws another image: it is part
// of the name under which networks trained on them are stored.
const proceduralRevision = 1

// String names the prior.
func (p Procedural) String() string {
	p = p.orDefault()
	return fmt.Sprintf("procedural-%d(%dx%d, fields=%g)", proceduralRevision, p.Rows, p.Cols, p.Fields)
}

// Dim is the number of cells.
func (p Procedural) Dim() int {
	p = p.orDefault()
	return p.Rows * p.Cols
}

// Stationary is true, because nothing in an image depends on the position of its border.
func (p Procedural) Stationary() bool { return true }

// Bounds are the bounds of grey values.
func (p Procedural) Bounds() (low, high float64) { return -1, 1 }

// Concurrent says that images are drawn on all processors.
func (p Procedural) Concurrent() {}

// Grid is the lattice of the images.
func (p Procedural) Grid() Grid {
	p = p.orDefault()
	return Grid{Rows: p.Rows, Cols: p.Cols}
}

// Item fills x with image i of a seed.
func (p Procedural) Item(seed uint64, i int, x []float64) error {
	if p = p.orDefault(); p.Rows < 1 || p.Cols < 1 || len(x) != p.Rows*p.Cols {
		return fmt.Errorf("grid: %v: an image of %d cells; give Rows × Cols", p, len(x))
	}
	p.Draw(expfam.Stream(seed, fmt.Sprintf("procedural/%d", i)), x)
	return nil
}

// Draw fills x with one image.
func (p Procedural) Draw(rng *rand.Rand, x []float64) {
	p = p.orDefault()
	for {
		var pix []float32
		if rng.Float64() < p.Fields {
			pix = p.field(rng)
		} else {
			pix = p.leaves(rng)
		}
		if stretch(pix, x) {
			return
		}
		if len(pix) == 1 {
			x[0] = 0 // one cell has no range
			return
		}
	}
}

// field is a Gaussian field with power |k|^(−2a), cut from a torus twice as
// large, so that opposite edges have nothing in common.
func (p Procedural) field(rng *rand.Rand) []float32 {
	n := 1
	for n < 2*max(p.Rows, p.Cols) {
		n *= 2
	}
	u, _ := spectral(rng, n, 0.75+0.5*rng.Float64())
	const contrast = 0.6
	pix := make([]float32, p.Rows*p.Cols)
	for j := range pix {
		pix[j] = contrast * float32(u[j/p.Cols*n+j%p.Cols])
	}
	return expose(pix)
}

// expose bends values as film does, which loses contrast where it is bright or
// dark: v/√(1 + v²).
func expose(pix []float32) []float32 {
	for j, v := range pix {
		pix[j] = v / sqrt(1+v*v)
	}
	return pix
}

// leaves draws until less than 1% of the light is left, and then a ground.
func (p Procedural) leaves(rng *rand.Rand) []float32 {
	size := float64(max(p.Rows, p.Cols))
	c := newCanvas(p.Rows, p.Cols)
	// Scenes differ in where things end and textures begin, a pixel to an eighth
	// of the image, and in how far the largest leaves exceed it.
	low := 0.7 * math.Pow(max(1, size/8), math.Pow(rng.Float64(), 1.3))
	high := max(2*low, size*math.Exp2(5*rng.Float64()-1))
	s := newScene(rng, newRadii(p.Rows, p.Cols, low, high))
	s.textures = textures()
	s.light(rng, size)
	for end := 0.01 * float32(len(c.light)); c.left > end; {
		l := s.leaf(rng, p.Rows, p.Cols)
		c.paint(&l)
	}
	ground := s.leaf(rng, p.Rows, p.Cols)
	ground.shape, ground.a, ground.b, ground.soft = ellipse, 1e9, 1e9, 1
	c.paint(&ground)
	return expose(c.value)
}

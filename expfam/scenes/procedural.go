package scenes

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/grayscale"
)

// Procedural is a prior of images that needs no data. It imitates a property of
// photographs at all scales: objects hide each other, and their number falls as r^−3 with
// their radius r. The statistics therefore do not depend on the distance of the camera.
//
// Seven images in ten are dead leaves (Matheron 1968). The model has the statistics of photographs (Ruderman 1997; Lee,
// Mumford and Huang 2001). The leaves are ellipses, boxes, triangles and lobed blobs at random places, in front of each
// other, up to and beyond the size of the image. A leaf has a tone, a gradient of shade, often a bulge, and an edge
// that is sharp or out of focus. Most leaves have a texture: a 1/f^a field, smaller dead leaves down to the pixel,
// grain, or a woven or built pattern. The amplitude of the texture is strong for half of the leaves, and log-uniform
// down to 0.003 for the others. Real surfaces that look flat have such faint textures, and without them a prior is too
// certain of flat surfaces. One image in ten is a Gaussian 1/f^a field.
//
// Half of these images have a tone curve, so that bright and dark images occur. Half of them go through a camera. It
// may add defocus or motion blur, tones cut off at black or white, low contrast at any level, and noise with amplitudes
// from 0.002 to 0.3. The noise is white or coarse. Its variance is constant, or it grows with the brightness as the
// variance of counted photons does (Foi, Trimeche, Katkovnik and Egiazarian 2008).
//
// Two images in ten have no objects: planes of one tone, ramps, smooth blobs, and patterns (stripes, checkers, bricks,
// dots, meshes and rings). They have all contrasts, and noise with amplitudes up to 0.7. A map may look like that where
// a photograph does not. The intervals of a prior that never drew such an image are too narrow there.
//
// Images that are not faint span [−1, 1], as photographs do ([ReadPhoto]). At 64 × 64 the dead leaves have the
// statistics of twenty photographs. In brackets are the values of the photographs, then the values with
// [Procedural.Plain]. The power falls with the exponent −2.58 (−2.58; −2.42). The kurtosis of the differences of
// neighbours is 10.6 (10.1; 10.0). The kurtosis of Haar's diagonal coefficients is 9.9 (10.9; 9.7). The standard
// deviations in blocks of 8 × 8 cells have the quartiles 0.066, 0.20 and 0.36 (0.071, 0.20 and 0.32; 0.17, 0.32 and
// 0.44). The README of package benchmark has the complete table, and TestImageStatistics measures it.
//
// An image depends only on the generator.
type Procedural struct {
	Rows, Cols int // default 64 each
	// Fields is the share of images that are 1/f^a fields. Default 0.1; with NoFields there are none.
	Fields   float64
	NoFields bool
	// Patterns is the share of images without leaves and without fields: planes of one
	// tone, ramps, blobs and patterns. Default 0.2, or what Fields leaves if that is less.
	Patterns float64
	// Plain draws dead leaves and fields alone, all sharp, without noise and over all of
	// [−1, 1]: the images of revision 1, to the bit. Patterns then has no meaning.
	Plain bool
}

func (p Procedural) orDefault() Procedural {
	p.Rows = cmp.Or(p.Rows, 64)
	p.Cols = cmp.Or(p.Cols, 64)
	p.Fields = cmp.Or(p.Fields, 0.1)
	p.Patterns = cmp.Or(p.Patterns, 0.2)
	if p.NoFields {
		p.Fields = 0
	}
	if p.Plain {
		p.Patterns = 0
	}
	return p
}

// proceduralRevision is part of the name of the prior, under which networks that were trained on its images are stored.
// It is raised whenever the same seed draws another image. Plain images stay at revision 1.
const proceduralRevision = 2

// String names the prior.
func (p Procedural) String() string {
	p = p.orDefault()
	if p.Plain {
		return fmt.Sprintf("procedural-1(%dx%d, fields=%g)", p.Rows, p.Cols, p.Fields)
	}
	return fmt.Sprintf("procedural-%d(%dx%d, fields=%g, patterns=%g)", proceduralRevision, p.Rows, p.Cols, p.Fields,
		p.Patterns)
}

// Dim returns the number of cells.
func (p Procedural) Dim() int {
	p = p.orDefault()
	return p.Rows * p.Cols
}

// Stationary returns true: no property of an image depends on the place of its border.
func (p Procedural) Stationary() bool { return true }

// Bounds returns the bounds of grey values.
func (p Procedural) Bounds() (low, high float64) { return -1, 1 }

// Concurrent says that images are drawn on all processors.
func (p Procedural) Concurrent() {}

// Grid returns the lattice of the images.
func (p Procedural) Grid() grid.Grid {
	p = p.orDefault()
	return grid.Grid{Rows: p.Rows, Cols: p.Cols}
}

// Lattice returns the rows and columns of the images; see [expfam.Lattice].
func (p Procedural) Lattice() (rows, cols int) { return p.Grid().Rows, p.Grid().Cols }

// Resized returns the prior of images of another size; see learn.Resizable.
func (p Procedural) Resized(rows, cols int) expfam.Simulator {
	p.Rows, p.Cols = rows, cols
	return p
}

// Check refuses impossible sizes and shares.
func (p Procedural) Check() error {
	d := p.orDefault()
	if d.Rows < 1 || d.Cols < 1 || d.Rows > grayscale.MaxPixels/d.Cols {
		return fmt.Errorf("scenes: procedural images of %d Rows and %d Cols; give at least 1 of each, or 0 for 64, "+
			"and at most %d cells", p.Rows, p.Cols, grayscale.MaxPixels)
	}
	for _, f := range []struct {
		name  string
		share float64
	}{{"Fields", p.Fields}, {"Patterns", p.Patterns}} {
		if !(f.share >= 0 && f.share <= 1) {
			return fmt.Errorf("scenes: procedural images with a share of %g %s; it must be from 0 to 1, where 0 is "+
				"the default", f.share, f.name)
		}
	}
	return nil
}

// Draw fills x with one image.
func (p Procedural) Draw(rng *rand.Rand, x []float64) {
	p = p.orDefault()
	if p.Plain {
		p.plain(rng, x)
		return
	}
	size := float64(max(p.Rows, p.Cols))
	which := rng.Float64()
	if which >= p.Fields && which < p.Fields+p.Patterns {
		s := newStill(rng)
		c := s.camera(rng, size)
		m := c.margin()
		c.take(rng, s.draw(rng, p.Rows+2*m, p.Cols+2*m, size), p.Rows, p.Cols, x)
		return
	}
	var c camera
	c.expose(rng)
	if rng.Float64() < 0.5 {
		c.degrade(rng, size)
	}
	var scene []float32
	if which < p.Fields {
		scene = p.field(rng, c.margin())
	} else {
		scene = p.leaves(rng, c.margin())
	}
	c.take(rng, scene, p.Rows, p.Cols, x)
}

// plain fills x with an image of revision 1.
func (p Procedural) plain(rng *rand.Rand, x []float64) {
	for {
		var pix []float32
		if rng.Float64() < p.Fields {
			pix = p.field(rng, 0)
		} else {
			pix = p.leaves(rng, 0)
		}
		if stretch(pix, x) {
			return
		}
		if len(pix) == 1 {
			x[0] = 0 // a single cell cannot be stretched
			return
		}
	}
}

// field draws a Gaussian field with power |k|^(−2a), with a margin around the image. The
// field is cut from a torus at least twice as large, so that opposite edges are unrelated.
func (p Procedural) field(rng *rand.Rand, margin int) []float32 {
	n := 1
	for n < 2*max(p.Rows, p.Cols) {
		n *= 2
	}
	u, _ := spectral(rng, n, 0.75+0.5*rng.Float64())
	const contrast = 0.6
	cols := p.Cols + 2*margin
	pix := make([]float32, (p.Rows+2*margin)*cols)
	for j := range pix {
		pix[j] = contrast * float32(u[j/cols%n*n+j%cols%n])
	}
	return expose(pix)
}

// expose maps every value v to v/√(1 + v²). Like film it loses contrast in bright and dark places.
func expose(pix []float32) []float32 {
	for j, v := range pix {
		pix[j] = v / sqrt(1+v*v)
	}
	return pix
}

// leaves draws dead leaves, with a margin around the image. It adds leaves until less than 1%
// of the light is left, and then a ground.
func (p Procedural) leaves(rng *rand.Rand, margin int) []float32 {
	size := float64(max(p.Rows, p.Cols))
	rows, cols := p.Rows+2*margin, p.Cols+2*margin
	c := newCanvas(rows, cols)
	// Scenes differ in the radius of their smallest leaves, below which textures begin: from 0.7 pixels to 0.7/5 of the
	// size of the image (with Plain 0.7/8). They also differ in how far the largest leaves exceed the image.
	coarse, often := size/5, 1.1
	if p.Plain {
		coarse, often = size/8, 1.3
	}
	low := 0.7 * math.Pow(max(1, coarse), math.Pow(rng.Float64(), often))
	high := max(2*low, size*math.Exp2(5*rng.Float64()-1))
	s := newScene(rng, newRadii(rows, cols, low, high))
	s.textures = textures()
	s.fine = !p.Plain
	s.light(rng, size)
	for end := float64(0.01 * float32(len(c.light))); c.left > end; {
		l := s.leaf(rng, rows, cols)
		c.paint(&l)
	}
	ground := s.leaf(rng, rows, cols)
	ground.shape, ground.a, ground.b, ground.soft = ellipse, 1e9, 1e9, 1
	c.paint(&ground)
	return expose(c.value)
}

package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/scenes"
)

// Image is an image of unknown contrast and blur:
//
//	x = contrast (K z),
//
// where z is a draw of Of and K the blur by a Gaussian of standard deviation "blur", in cells, that reflects at the
// borders, as [operator.Convolution] with [operator.Gaussian] does. A prior that is trained on it finds the width of
// the blur from one blurred image. The sharp image follows from the posterior of the width, as the mixture over its
// draws of the posteriors of z behind a blur of this width.
type Image struct {
	// Of draws sharp images. Default scenes.Procedural{Rows: 32, Cols: 32, Plain: true}, whose grey values are from −1
	// to 1.
	Of Images
	// Laws gives priors of some of the parameters by name. Default: "contrast" log-normal of median 1 and sd 0.4,
	// "blur" log-normal of median 1 and sd 0.5.
	Laws law.Laws
}

// Images is a simulator of images whose Draw may be called by several goroutines.
type Images interface {
	expfam.Simulator
	expfam.Lattice
	Concurrent()
}

func (m Image) orDefault() Image {
	if m.Of == nil {
		m.Of = scenes.Procedural{Rows: 32, Cols: 32, Plain: true}
	}
	return m
}

func (Image) unknown() []law.Parameter {
	return []law.Parameter{
		{Name: "contrast", Law: law.LogNormal{Median: 1, SD: 0.4}},
		{Name: "blur", Unit: "cells", Law: law.LogNormal{Median: 1, SD: 0.5}},
	}
}

// Parameters returns the contrast and the standard deviation of the blur.
func (m Image) Parameters() []law.Parameter { return replaced(m.unknown(), m.Laws) }

// Check refuses simulators that are not of images, and impossible laws.
func (m Image) Check() error {
	d := m.orDefault()
	if err := traits.Check(d.Of); err != nil {
		return fmt.Errorf("simulate: Image: %w", err)
	}
	if rows, cols := d.Of.Lattice(); rows < 2 || cols < 2 || rows*cols != d.Of.Dim() {
		return fmt.Errorf("simulate: Image has %d cells in %d rows and %d columns; give a simulator of images",
			d.Of.Dim(), rows, cols)
	}
	if err := check("Image", m.unknown(), m.Laws); err != nil {
		return err
	}
	return between("Image", m.Parameters()[1], 0, math.Inf(1))
}

func (m Image) String() string {
	return fmt.Sprintf("image(%v)%s", m.orDefault().Of, describe(m.Parameters()))
}

// Dim returns the number of cells.
func (m Image) Dim() int { return m.orDefault().Of.Dim() }

// Lattice returns the rows and columns of the images; see [expfam.Lattice].
func (m Image) Lattice() (rows, cols int) { return m.orDefault().Of.Lattice() }

// DrawGiven fills x with a draw for values of the parameters; see [learn.ParametricSimulator].
func (m Image) DrawGiven(rng *rand.Rand, values, x []float64) {
	m = m.orDefault()
	m.Of.Draw(rng, x)
	m.Degrade(values, x)
}

// Degrade blurs a sharp image x and changes its contrast.
func (m Image) Degrade(values, x []float64) {
	rows, cols := m.Lattice()
	down, across := blurring(rows, values[1]), blurring(cols, values[1])
	image, half := mat.NewDense(rows, cols, x), mat.NewDense(rows, cols, nil)
	half.Mul(down, image)
	image.Mul(half, across.T())
	image.Scale(values[0], image)
}

// Draw fills x with a draw whose parameters are drawn from their laws.
func (m Image) Draw(rng *rand.Rand, x []float64) { m.DrawGiven(rng, law.Draw(rng, m.Parameters()), x) }

// Concurrent says that Draw may be called by several goroutines.
func (Image) Concurrent() {}

// blurring returns the matrix of a blur along n cells that reflects at both ends. The blur of a sharp image is 0, which
// a kernel cannot have, and one of many times the image is the mean of all cells.
func blurring(n int, sd float64) *mat.Dense {
	blur := &operator.Convolution{Cols: n, Kernel: operator.Gaussian{SD: min(max(sd, 1e-3), float64(10*n))}}
	out := mat.NewDense(n, n, nil)
	for k := range n {
		blur.Row(k, func(j int, w float64) { out.Set(k, j, w) })
	}
	return out
}

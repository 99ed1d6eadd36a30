package operator

import (
	"cmp"
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Radon takes integrals of a field along parallel rays at several angles, as a tomograph
// measures them. The ray of angle φ at the distance s from the centre of the grid is
//
//	s (cos φ, sin φ) + t (−sin φ, cos φ),
//
// in cells, with x to the right and y upward. At 0° rays go up the columns. The weight of a cell is the length of the
// ray within the cell (Siddon 1985). Data are numbered angle after angle, and within an angle from the lowest s on. Do
// not change the fields after the first use.
type Radon struct {
	Rows, Cols int // of the grid, whose cells are squares of side 1
	// Angles is the number of angles. They are equally spaced and start at 0. They cover
	// 180°, or 360° with Attenuation. Default 60.
	Angles int
	// At has the angles, in degrees, if they are not equally spaced.
	At []float64
	// Detectors is the number of rays of an angle, centred at s = 0. Default: the smaller
	// of Rows and Cols, divided by Spacing. Every ray then meets the grid at every angle.
	Detectors int
	Spacing   float64 // distance between neighbouring rays, in cells, default 1
	// Skip leaves out rays that miss the grid, which exist if the detector is wider than the
	// grid. Default: such rays are refused. [Radon.Ray] gives the ray of a datum.
	Skip bool
	// Attenuation has the coefficient μ of each cell, per side of a cell. Emission of a
	// cell arrives at the end of the ray, t → ∞, weakened by exp(−∫ μ dt). The weight of a
	// cell is the integral of this factor over the ray within the cell. Default 0.
	Attenuation []float64

	built
	rays []ray
}

// ray is the ray of a datum.
type ray struct {
	angle    float64 // degrees
	detector int
	s        float64
}

func (o *Radon) String() string {
	text := fmt.Sprintf("rays at %d angles through %s", len(o.angles()), size(o.Rows, o.Cols))
	if o.Attenuation != nil {
		text += ", attenuated"
	}
	return text
}

// angles returns the angles in degrees.
func (o *Radon) angles() []float64 {
	if o.At != nil {
		return o.At
	}
	n, turn := o.Angles, 180.0
	n = cmp.Or(n, 60)
	if o.Attenuation != nil {
		turn = 360
	}
	angles := make([]float64, max(n, 0))
	for i := range angles {
		angles[i] = turn * float64(i) / float64(n)
	}
	return angles
}

// detectors returns the distances s of the rays of an angle.
func (o *Radon) detectors() ([]float64, error) {
	spacing, n := o.Spacing, o.Detectors
	spacing = cmp.Or(spacing, 1)
	if !(spacing > 0) || math.IsInf(spacing, 1) {
		return nil, fmt.Errorf("operator: rays with a Spacing of %g cells; it must be positive and finite, or 0 for 1",
			o.Spacing)
	}
	n = cmp.Or(n, int(max(1, math.Floor(float64(min(o.Rows, o.Cols))/spacing+1e-9))))
	if n < 1 || n > maxCells/max(1, len(o.angles())) {
		return nil, fmt.Errorf("operator: %d Detectors at %d angles; give at least 1 and at most %d rays, or 0 for "+
			"as many as the grid is wide", n, len(o.angles()), maxCells)
	}
	s := make([]float64, n)
	for i := range s {
		s[i] = (float64(i) - float64(n-1)/2) * spacing
	}
	return s, nil
}

// fields refuses impossible values of the fields, except Detectors and Spacing.
func (o *Radon) fields() error {
	if o.Rows < 1 || o.Cols < 1 || o.Rows > maxCells/o.Cols {
		return fmt.Errorf("operator: rays through %d rows and %d columns; give at least 1 of each and at most %d cells",
			o.Rows, o.Cols, maxCells)
	}
	if o.At != nil && o.Angles != 0 {
		return fmt.Errorf("operator: rays at %d Angles and at the %d of At; give one of both", o.Angles, len(o.At))
	}
	if len(o.angles()) == 0 {
		return fmt.Errorf("operator: rays at no angle; give at least 1, or Angles 0 for 60")
	}
	for i, a := range o.angles() {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return fmt.Errorf("operator: angle %d of the rays is %g; angles must be finite", i, a)
		}
	}
	if o.Attenuation != nil && len(o.Attenuation) != o.Rows*o.Cols {
		return fmt.Errorf("operator: an attenuation of %d numbers for %s; give one for each cell", len(o.Attenuation),
			size(o.Rows, o.Cols))
	}
	for j, mu := range o.Attenuation {
		if !(mu >= 0) || math.IsInf(mu, 1) {
			return fmt.Errorf("operator: cell %d has the attenuation %g; it must be finite and not negative", j, mu)
		}
	}
	return nil
}

func (o *Radon) build() (*sparse.Matrix, error) {
	if err := o.fields(); err != nil {
		return nil, err
	}
	places, err := o.detectors()
	if err != nil {
		return nil, err
	}
	var rows [][]weight
	for _, angle := range o.angles() {
		for i, s := range places {
			row := o.trace(angle, s)
			if len(row) == 0 && !o.Skip {
				return nil, fmt.Errorf("operator: the ray of %g° and detector %d, %g cells from the centre, misses "+
					"the grid of %s; give fewer Detectors, or Skip such rays", angle, i, s, size(o.Rows, o.Cols))
			}
			if len(row) > 0 {
				rows, o.rays = append(rows, row), append(o.rays, ray{angle, i, s})
			}
		}
	}
	return merged(len(rows), o.Rows*o.Cols, each(rows)), nil
}

// trace returns the weights of the cells along a ray.
func (o *Radon) trace(angle, s float64) []weight {
	sin, cos := sincos(angle)
	// The middle of the ray, in coordinates of cells with rows downward. In both directions the
	// ray reaches beyond the corners of the grid.
	x, y := float64(o.Cols)/2+s*cos, float64(o.Rows)/2-s*sin
	reach := math.Hypot(float64(o.Rows), float64(o.Cols)) + math.Abs(s)
	var row []weight
	segment{x + reach*sin, y + reach*cos, x - reach*sin, y - reach*cos}.cells(o.Rows, o.Cols,
		func(r, c int, length float64) {
			row = append(row, weight{r*o.Cols + c, length})
		})
	if o.Attenuation == nil {
		return row
	}
	// The weight of a cell of length L is ∫₀ᴸ exp(−μ(L−u)) du = (1 − exp(−μL))/μ, times the
	// factor exp(−∫ μ dt) of the ray between the cell and its end.
	left := 0.0 // ∫ μ dt over the ray between the cell and its end
	kept := row[:0:0]
	for i := len(row) - 1; i >= 0; i-- {
		mu, length := o.Attenuation[row[i].cell], row[i].value
		if mu > 0 {
			length = -math.Expm1(-mu*length) / mu
		}
		kept = append(kept, weight{row[i].cell, math.Exp(-left) * length})
		left += mu * row[i].value
	}
	return kept
}

// Check refuses impossible fields, and unless Skip is set rays that miss the grid.
func (o *Radon) Check() error { return o.check(o, o.build) }

func (o *Radon) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Radon) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Radon) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Radon) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Radon) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Radon) Fingerprint() string { return fingerprint(o) }

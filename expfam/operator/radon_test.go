package operator

import (
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Rays through a disc have the lengths of its chords, 2√(R² − s²), up to the resolution of the grid.
func TestRadonOfADisc(t *testing.T) {
	const n, radius = 128, 50.0
	disc := make([]float64, n*n)
	for j := range disc {
		if x, y := float64(j%n)+0.5-n/2, float64(j/n)+0.5-n/2; x*x+y*y < radius*radius {
			disc[j] = 1
		}
	}
	op := &Radon{Rows: n, Cols: n, Angles: 7}
	got := product(op, disc)
	must.Need(t, len(got) == 7*n, "%d rays, want %d", len(got), 7*n)
	for k, v := range got {
		_, _, s := op.ray(k)
		want := 0.0
		if math.Abs(s) < radius {
			want = 2 * math.Sqrt(radius*radius-s*s)
		}
		// A cell at each end, which is cut where the ray grazes the circle.
		slack := 2.0
		if math.Abs(math.Abs(s)-radius) < 3 {
			slack = 2 * math.Sqrt(2*radius*2)
		}
		must.Absolute(t, fmt.Sprintf("ray %d at s = %g", k, s), v, want, slack)
	}
}

// Lengths in cells are those of a clip of the ray to every single cell, on a grid that is no
// square, with rays that miss it left out.
func TestRadonAgainstClippedCells(t *testing.T) {
	const rows, cols = 7, 11
	op := &Radon{Rows: rows, Cols: cols, At: []float64{0, 17, 45, 90, 133.3, 180, 269, -30}, Detectors: 15,
		Spacing: 0.93, Skip: true}
	x := normals(14, 1, rows*cols)[0]
	got := product(op, x)
	seen := 0
	for _, angle := range op.At {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		for i := range 15 {
			s := (float64(i) - 7) * 0.93
			var want, whole float64
			for j, v := range x {
				// The ray p + t d against the slabs of the cell, y upward.
				low, high := math.Inf(-1), math.Inf(1)
				clip := func(p, d, from, to float64) {
					if math.Abs(d) < 1e-12 {
						if p < from || p >= to {
							low, high = 1, 0
						}
						return
					}
					a, b := (from-p)/d, (to-p)/d
					low, high = max(low, min(a, b)), min(high, max(a, b))
				}
				left, bottom := float64(j%cols)-cols/2., rows/2.-float64(j/cols)-1
				clip(s*cos, -sin, left, left+1)
				clip(s*sin, cos, bottom, bottom+1)
				if high > low {
					want += (high - low) * v
					whole += high - low
				}
			}
			if whole < 1e-9 {
				continue
			}
			a, d, at := op.ray(seen)
			must.Need(t, a == angle && d == i && at == s,
				"datum %d is the ray of %g°, detector %d, s = %g; want %g°, %d, %g", seen, a, d, at, angle, i, s)
			near(t, fmt.Sprintf("ray of %g° at s = %g", angle, s), got[seen], want)
			seen++
		}
	}
	must.Equal(t, seen, len(got), "rays")
	must.Be(t, seen != len(op.At)*15, "no ray misses the grid, and Skip is not tested")
}

// At 0° rays sum columns and at 90° rows; 180° counts detectors the other way.
func TestRadonAtRightAngles(t *testing.T) {
	x := normals(15, 1, 36)[0]
	op := &Radon{Rows: 6, Cols: 6, At: []float64{0, 90, 180, 270}}
	got := product(op, x)
	for i := range 6 {
		var column, row float64
		for j := range 6 {
			column += x[j*6+i]
			row += x[(5-i)*6+j] // s grows upward
		}
		near(t, fmt.Sprintf("column %d", i), got[i], column)
		near(t, fmt.Sprintf("row %d", i), got[6+i], row)
		near(t, fmt.Sprintf("column %d from behind", i), got[12+5-i], column)
		near(t, fmt.Sprintf("row %d from behind", i), got[18+5-i], row)
	}
}

// Attenuation by a constant has a closed form, and by a map that of a quadrature along the ray.
func TestAttenuation(t *testing.T) {
	const n, mu = 20, 0.15
	constant, emission := make([]float64, n*n), make([]float64, n*n)
	for j := range constant {
		constant[j], emission[j] = mu, 1
	}
	// Straight up: ∫₀ⁿ exp(−μ t) dt.
	op := &Radon{Rows: n, Cols: n, At: []float64{0, 90, 180, 270}, Attenuation: constant}
	for k, v := range product(op, emission) {
		near(t, fmt.Sprintf("ray %d", k), v, -math.Expm1(-mu*n)/mu)
	}
	// No attenuation is none.
	for j := range constant {
		constant[j] = 0
	}
	plain, none := &Radon{Rows: n, Cols: n, At: []float64{30, 200}}, &Radon{Rows: n, Cols: n, At: []float64{30, 200},
		Attenuation: constant}
	x := normals(16, 1, n*n)[0]
	want := product(plain, x)
	for k, v := range product(none, x) {
		near(t, fmt.Sprintf("ray %d without attenuation", k), v, want[k])
	}

	varied := normals(17, 1, n*n)[0]
	for j := range varied {
		varied[j] = 0.1 * math.Abs(varied[j])
	}
	op = &Radon{Rows: n, Cols: n, At: []float64{25, 110, 222}, Detectors: 5, Attenuation: varied}
	got := product(op, x)
	for k, v := range got {
		angle, _, s := op.ray(k)
		sin, cos := math.Sincos(angle * math.Pi / 180)
		const step = 1e-3
		var sum, left float64
		for u := 20.0; u > -20; u -= step { // from the detector on
			c, r := int(math.Floor(n/2+s*cos-u*sin)), int(math.Floor(n/2-s*sin-u*cos))
			if r >= 0 && r < n && c >= 0 && c < n {
				sum += step * math.Exp(-left-varied[r*n+c]*step/2) * x[r*n+c]
				left += varied[r*n+c] * step
			}
		}
		// Every crossing of a border is off by up to a step, some 40 of them by differences of order one.
		must.Absolute(t, fmt.Sprintf("ray of %g° at s = %g", angle, s), v, sum, 0.03)
	}
}

func TestRadonRefuses(t *testing.T) {
	refusals(t, []refused{
		{"rays through 0 rows and 0 columns", &Radon{}},
		{"rays through 4 rows and 0 columns", &Radon{Rows: 4}},
		{"rays at 3 Angles and at the 1 of At", &Radon{Rows: 4, Cols: 4, Angles: 3, At: []float64{1}}},
		{"rays at no angle", &Radon{Rows: 4, Cols: 4, At: []float64{}}},
		{"rays at no angle", &Radon{Rows: 4, Cols: 4, Angles: -2}},
		{"angle 1 of the rays is NaN", &Radon{Rows: 4, Cols: 4, At: []float64{0, nan}}},
		{"a Spacing of -1 cells", &Radon{Rows: 4, Cols: 4, Spacing: -1}},
		{"-3 Detectors", &Radon{Rows: 4, Cols: 4, Detectors: -3}},
		{"the ray of 0° and detector 0, -2.5 cells from the centre, misses the grid of 4×4 cells",
			&Radon{Rows: 4, Cols: 4, Detectors: 6}},
		{"has no data", &Radon{Rows: 4, Cols: 4, Detectors: 2, Spacing: 100, Skip: true}},
		{"an attenuation of 3 numbers for 4×4 cells", &Radon{Rows: 4, Cols: 4, Attenuation: make([]float64, 3)}},
		{"cell 2 has the attenuation -1", &Radon{Rows: 2, Cols: 2, Attenuation: []float64{0, 0, -1, 0}}},
	})
}

// ray returns the ray of datum k: its angle in degrees, the number of its detector, from 0, and
// its distance s from the centre of the grid in cells.
func (o *Radon) ray(k int) (angle float64, detector int, s float64) {
	o.made()
	r := o.rays[k]
	return r.angle, r.detector, r.s
}

package scenes

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Images with Plain are those that networks were trained with before there was a camera:
// one cell, the mean and the standard deviation, noted from the code of that time.
func TestPlainIsRevision1(t *testing.T) {
	for _, c := range []struct {
		p              Procedural
		cell, mean, sd float64
	}{
		{Procedural{Plain: true}, 0.091869138, 0.235492153, 0.479074048},
		{Procedural{Rows: 17, Cols: 40, Fields: 1, Plain: true}, 0.068367902, -0.222381171, 0.514537114},
		{Procedural{Rows: 16, Cols: 16, NoFields: true, Plain: true}, 0.490533687, 0.131507533, 0.548594457},
	} {
		x := make([]float64, c.p.Dim())
		c.p.item(3, 5, x)
		mean, sd := stat.MeanStdDev(x, nil)
		// Some processors round products of float32 differently.
		must.Be(t, math.Abs(x[7]-c.cell) <= 1e-4 && math.Abs(mean-c.mean) <= 1e-4 && math.Abs(sd-c.sd) <= 1e-4,
			"%v: cell 7 %.9f, mean %.9f, sd %.9f; want %.9f, %.9f, %.9f", c.p, x[7], mean, sd, c.cell, c.mean, c.sd)
	}
}

// A disc of radius r has variance r²/4 along each axis, a way from −d to d has d²/3, and a pixel adds up to 1/6.
func TestBlursSpreadAPointAsTheyShould(t *testing.T) {
	const margin, side = 6, 41
	rows := side + 2*margin
	point := make([]float32, rows*rows)
	point[(margin+20)*rows+margin+20] = 1
	for _, c := range []struct {
		name        string
		out         []float32
		across, off float64 // variance along x, and along y
	}{
		{"disc of 0.7", defocus(point, rows, rows, margin, 0.7), 0.1225, 0.1225},
		{"disc of 3", defocus(point, rows, rows, margin, 3), 2.25, 2.25},
		{"disc of 5.5", defocus(point, rows, rows, margin, 5.5), 7.5625, 7.5625},
		{"along x", drag(point, rows, rows, margin, 5, 0), 25. / 3, 0},
		{"oblique", drag(point, rows, rows, margin, 4, -6), 16. / 3, 12},
	} {
		var sum, x, y, xx, yy float64
		for j, v := range c.out {
			w, dx, dy := float64(v), float64(j%side-20), float64(j/side-20)
			sum, x, y, xx, yy = sum+w, x+w*dx, y+w*dy, xx+w*dx*dx, yy+w*dy*dy
		}
		must.Be(t, math.Abs(sum-1) <= 1e-5 && math.Abs(x) <= 1e-4 && math.Abs(y) <= 1e-4,
			"%s: sum %.6f, centre (%.4f, %.4f); want 1 and the origin", c.name, sum, x, y)
		must.Be(t, math.Abs(xx-c.across) <= 0.2 && math.Abs(yy-c.off) <= 0.2,
			"%s: variance %.3f and %.3f, want %.3f and %.3f", c.name, xx, yy, c.across, c.off)
	}
}

func TestCameraTakesNoiseAndContrast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const side = 64
	scene, x := make([]float32, side*side), make([]float64, side*side)
	take := func(c camera) (mean, sd float64) {
		c.take(rng, scene, side, side, x)
		return stat.MeanStdDev(x, nil)
	}
	// 4096 values: standard errors of 1.6% of the mean's unit and 1.1% of the sd.
	mean, sd := take(camera{faint: true, level: 0.3, noise: 0.1})
	must.Be(t, math.Abs(mean-0.3) <= 0.008 && math.Abs(sd-0.1) <= 0.005,
		"a plane at 0.3 with noise of 0.1: mean %.4f, sd %.4f", mean, sd)
	// At the level −0.5 the brightness is a quarter.
	_, sd = take(camera{faint: true, level: -0.5, noise: 0.1, shot: true})
	must.Be(t, math.Abs(sd-0.05) <= 0.0025, "counted photons at a quarter of the brightness: sd %.4f, want 0.05", sd)
	for j := range scene {
		scene[j] = float32(j % side)
	}
	take(camera{faint: true, level: 0.2, span: 0.1})
	must.Be(t, math.Abs(x[0]-0.1) <= 1e-12 && math.Abs(x[side-1]-0.3) <= 1e-12,
		"a ramp of 0.2 ± 0.1 goes from %g to %g", x[0], x[side-1])
	take(camera{gamma: 2, black: 0.2, white: 0.3})
	must.Be(t, x[8] == -1 && x[60] == 1 && math.Abs(x[38]-(2*math.Pow((38./63-0.2)/0.5, 2)-1)) <= 1e-6,
		"tones %g, %g and %g of a bent ramp", x[8], x[38], x[60])
}

func TestPatternsRepeat(t *testing.T) {
	rng := expfam.Stream(1, "patterns")
	for range 200 {
		p := newPattern(rng, 64)
		if p.kind == rings {
			continue
		}
		p.jitter, p.bend = 0, 0
		p.axes(8, 16, 0)
		// Two rows of bricks are one period.
		for _, at := range [][2]float32{{3, 5}, {40, 11}, {7.25, 60}} {
			a, b, c := p.at(at[0], at[1]), p.at(at[0]+8, at[1]), p.at(at[0], at[1]+32)
			// Edges may be sharp: periods of 2^k pixels are exact, phases round.
			if near := p.at(at[0]+1e-4, at[1]+1e-4); abs(near-a) > 1e-2 {
				continue
			}
			must.Need(t, abs(a-b) <= 1e-2 && abs(a-c) <= 1e-2, "%+v at %v: %g, %g and %g one period on", p, at, a, b, c)
		}
	}
}

// All images stay in the range, a quarter of them without filling it.
func TestProceduralImagesHaveAllContrasts(t *testing.T) {
	var faint, flat int
	images := ensemble(t, Procedural{Rows: 24, Cols: 24}, 600)
	for i, x := range images {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range x {
			must.Need(t, v >= -1 && v <= 1, "image %d has the value %g", i, v)
			low, high = min(low, v), max(high, v)
		}
		if high-low < 2-1e-9 {
			faint++
		}
		if stat.StdDev(x, nil) < 0.05 {
			flat++
		}
	}
	// Shares are 0.29 and 0.12 with standard errors of 0.02.
	must.Be(t, faint >= 130 && faint <= 220 && flat >= 40 && flat <= 110,
		"of 600 images %d do not span the range and %d have an sd below 0.05", faint, flat)
}

package scenes

import (
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// The light that a leaf takes is its area, which is known for every shape.
func TestLeavesCoverTheirArea(t *testing.T) {
	for name, c := range map[string]struct {
		shape shape
		unit  float64 // area for a = b = 1
	}{
		"ellipse":  {ellipse, math.Pi},
		"box":      {box, 4},
		"triangle": {triangle, 3 * math.Sqrt(3) / 4},      // equilateral, corners at 1
		"blob":     {blob, math.Pi * (1 + 0.25*0.25/2.0)}, // ½∫(1 + ¼ cos 3φ)² dφ
	} {
		for _, turn := range []float64{0, 0.3, 1.1} {
			canvas := newCanvas(100, 120)
			l := leaf{x: 57.3, y: 49.8, soft: 1, shape: c.shape, a: 30, b: 20, tone: 1, cos: float32(math.Cos(turn)),
				sin: float32(math.Sin(turn))}
			canvas.paint(&l)
			var area float64
			for j, light := range canvas.light {
				area += float64(1 - light)
				if math.Abs(float64(canvas.value[j]-(1-light))) > 1e-6 { // float32
					t.Fatalf("%s: pixel %d shows %g of a leaf of tone 1 that takes %g", name, j, canvas.value[j],
						1-light)
				}
			}
			// The edge is a ramp of a pixel on a perimeter of 150: its curvature and its corners cost less than 0.5%.
			want := c.unit * 30 * 20
			must.Be(t, math.Abs(area/want-1) <= 0.005, "%s turned by %g: area %g, want %g", name, turn, area, want)
			if left := 100*120 - area; math.Abs(canvas.left/left-1) > 1e-4 { // float32
				t.Errorf("%s: %g light left, want %g", name, canvas.left, left)
			}
		}
	}
}

func TestLeavesBehindAreHidden(t *testing.T) {
	c := newCanvas(20, 20)
	front := leaf{x: 9, y: 9, soft: 1, shape: box, a: 5, b: 5, cos: 1, tone: 0.5}
	c.paint(&front)
	back := leaf{x: 9, y: 9, soft: 1, shape: box, a: 90, b: 90, cos: 1, tone: -1}
	c.paint(&back)
	for j, v := range c.value {
		x, y := math.Abs(float64(j%20-9)), math.Abs(float64(j/20-9))
		// The edge of the front leaf runs through the pixels at distance 5.
		want := float32(-1)
		switch d := max(x, y); {
		case d < 5:
			want = 0.5
		case d == 5:
			want = -0.25
		}
		must.Need(t, v == want && c.light[j] == 0,
			"pixel (%g, %g) from the centre is %g with %g light left, want %g", x, y, v, c.light[j], want)
	}
}

// P(r > s) of the density r^−3 (rows + 2 k r)(cols + 2 k r), by its integral.
func TestRadiiFollowTheirLaw(t *testing.T) {
	const rows, cols, low, high, n = 30, 50, 0.5, 80.0, 200000
	tail := func(s float64) float64 {
		return rows*cols*(1/(s*s)-1/(high*high))/2 + 2*reach*(rows+cols)*(1/s-1/high) + 4*reach*reach*math.Log(high/s)
	}
	r := newRadii(rows, cols, low, high)
	rng := expfam.Stream(1, "radii")
	draws := make([]float64, n)
	for i := range draws {
		if draws[i] = r.draw(rng); draws[i] < low || draws[i] > high {
			t.Fatalf("radius %g is not in [%g, %g]", draws[i], low, high)
		}
	}
	for _, s := range []float64{0.6, 1, 3, 10, 40} {
		want, got := tail(s)/tail(low), 0.0
		for _, v := range draws {
			if v > s {
				got += 1.0 / n
			}
		}
		must.Absolute(t, fmt.Sprintf("P(r > %g)", s), got, want, 4*math.Sqrt(want*(1-want)/n))
	}
}

// Leaves cover a corner of the window as often as its middle.
func TestLeavesAreStationary(t *testing.T) {
	rng := expfam.Stream(1, "stationary")
	s := newScene(rng, newRadii(20, 20, 2, 60))
	const n = 200000
	var covered [2]int
	for range n {
		l := s.leaf(rng, 20, 20)
		for k, at := range []float32{0, 10} {
			dx, dy := at-l.x, at-l.y
			if d, _ := l.edge(l.cos*dx+l.sin*dy, l.cos*dy-l.sin*dx); d < 0 {
				covered[k]++
			}
		}
	}
	// The difference of two counts of about c has a standard error below √(2c).
	if d := math.Abs(float64(covered[0] - covered[1])); d > 4*math.Sqrt(float64(2*covered[1])) {
		t.Errorf("the corner is covered by %d leaves, the middle by %d, of %d", covered[0], covered[1], n)
	}
}

func TestTorusRepeatsAndInterpolates(t *testing.T) {
	tile := make(torus, tileSize*tileSize)
	rng := expfam.Stream(1, "torus")
	for j := range tile {
		tile[j] = rng.Float32()
	}
	for _, c := range []struct {
		x, y float32
		want float32
	}{
		{3, 5, tile[5*tileSize+3]},
		{3 - tileSize, 5 + 3*tileSize, tile[5*tileSize+3]},
		{tileSize - 0.5, 0, (tile[tileSize-1] + tile[0]) / 2},
		{7, -0.25, 0.25*tile[(tileSize-1)*tileSize+7] + 0.75*tile[7]},
	} {
		v := tile.at(c.x, c.y)
		must.Be(t, math.Abs(float64(v-c.want)) <= 1e-6, "(%g, %g) is %g, want %g", c.x, c.y, v, c.want)
	}
}

// TestLightOfLargeImages: no light is left behind a leaf over a canvas of more pixels than float32 counts, or else
// leaves would be added for ever.
func TestLightOfLargeImages(t *testing.T) {
	c := newCanvas(8, 1<<21+1)
	c.paint(&leaf{shape: box, a: 1e9, b: 1e9, soft: 1, cos: 1})
	must.Be(t, c.left == 0, "%g of %d is left", c.left, len(c.light))
}

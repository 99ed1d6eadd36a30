package problem

import (
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
)

// City returns x₀ of a painted city on side × side cells, in the place of the paper's heights of buildings in London. A
// block of buildings is a rectangle between streets. Its height h in metres falls with the distance from the centre, by
// a log-normal factor for each block and a narrower one for each cell; parks are low, and the river is 0. As in the
// paper's Appendix F, log(h + 1) is scaled to [−1, 1].
func City(side int, seed uint64) []float64 {
	c := city{side, make([]float64, side*side), expfam.Stream(seed, "benchmark/city")}
	c.split(0, 0, side, side)
	low, high := math.Inf(1), math.Inf(-1)
	for j, h := range c.heights {
		row, col := float64(j/side)/float64(side), float64(j%side)/float64(side)
		if math.Abs(row-0.55-0.09*math.Sin(7*col)-0.05*math.Sin(17*col)) < 0.012 { // the river
			h = 0
		}
		h = math.Log1p(h * math.Exp(0.12*c.rng.NormFloat64()))
		c.heights[j], low, high = h, min(low, h), max(high, h)
	}
	for j, h := range c.heights {
		c.heights[j] = 2*(h-low)/(high-low) - 1
	}
	return c.heights
}

type city struct {
	side    int
	heights []float64
	rng     *rand.Rand
}

// split builds on the rectangle of rows from top and columns from left. Large rectangles are divided by a street.
func (c city) split(top, left, rows, cols int) {
	largest := max(c.side/24, 2) // of a block, in cells
	across, longer := cols >= rows, max(rows, cols)
	if longer > largest && (longer > 4*largest || c.rng.Float64() > 0.05) {
		at := longer/3 + c.rng.IntN(longer/3+1)
		street := 0
		if longer > 3*largest {
			street = 1
		}
		if across {
			c.split(top, left, rows, at)
			c.split(top, left+at+street, rows, cols-at-street)
		} else {
			c.split(top, left, at, cols)
			c.split(top+at+street, left, rows-at-street, cols)
		}
		return
	}
	height := c.height(top+rows/2, left+cols/2) * math.Exp(0.45*c.rng.NormFloat64())
	if longer > largest || c.rng.Float64() < 0.04 { // a park
		height = 0.6
	}
	for r := top; r < top+rows; r++ {
		for k := left; k < left+cols; k++ {
			c.heights[r*c.side+k] = height
		}
	}
}

// height returns the median height of buildings, in metres.
func (c city) height(row, col int) float64 {
	far := math.Hypot(float64(row)/float64(c.side)-0.42, float64(col)/float64(c.side)-0.56)
	return 3 + 9*math.Exp(-far/0.25) + 22*math.Exp(-far/0.05)
}

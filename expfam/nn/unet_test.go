package nn_test

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

func TestUNetCounts(t *testing.T) {
	for _, c := range []struct {
		name  string
		net   nn.UNet
		heads int
		want  int
		tol   float64
	}{
		// Counted by hand, layer by layer: a block of 4 channels has two
		// convolutions of 148 and two maps of 68 from the level.
		{"by hand", nn.UNet{Rows: 2, Columns: 2, Channels: 4, Multiples: []int{1}, Embedding: 8}, 1,
			(8*16 + 16) + (16*16 + 16) + 17 + 16 + (9*2*4 + 4) + // embedding, gate, spectrum, in
				3*(2*148+2*68) + // down, middle
				2*((9*8*4+4)+148+2*68+(8*4+4)) + 37, 0}, // up beside what was kept, head
		// The paper has 33 766 529; its multiples are not known.
		// Sixteen knots and the level in, sixteen knots and the level out.
		{"adaptive", nn.UNet{Rows: 2, Columns: 2, Channels: 4, Multiples: []int{1}, Embedding: 8, Adaptive: true}, 1,
			(8*16 + 16) + (16*16 + 16) + 17 + 16 + (9*2*4 + 4) + (32*16 + 16) + 3*(16*16+16) +
				3*(2*148+2*68) + 2*((9*8*4+4)+148+2*68+(8*4+4)) + 37, 0},
		{"the paper's", nn.PaperUNet, 1, 33766529, 0.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := nn.Count(c.net.Params(c.net.Rows*c.net.Columns, c.heads))
			t.Logf("%d parameters", got)
			must.Be(t, math.Abs(float64(got-c.want)) <= c.tol*float64(c.want),
				"%d parameters, want %d within %g", got, c.want, c.tol)
		})
	}
}

// The same weights on a larger grid are the same function of a neighbourhood:
// what a cell in the middle sees does not depend on what lies far away.
func TestUNetOnLargerGrids(t *testing.T) {
	small := nn.UNet{Rows: 72, Columns: 72, Channels: 4, Multiples: []int{1, 2}, Plain: true}
	large := small
	large.Rows, large.Columns = 88, 80
	weights := busy(small.Params(72*72, heads))
	picture := func(rows, columns, row0, column0 int) [][]float32 {
		x := make([]float32, rows*columns)
		for r := range rows {
			for c := range columns {
				x[r*columns+c] = float32(math.Sin(float64(7*(r-row0) + 13*(c-column0)*(c-column0))))
			}
		}
		return [][]float32{x}
	}
	// Of the architecture; what engines compute alike is TestGradients.
	e := enginetest.Fast(t)
	apply := func(n nn.UNet, x [][]float32) []float64 {
		return enginetest.Call(t, e, func(flat, x, l *graph.Node) []*graph.Node {
			return n.Apply(nn.Unpack(flat, n.Params(n.Rows*n.Columns, heads)),
				nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)
		}, weights, x, [][]float32{{0.3}})[0]
	}
	a, b := apply(small, picture(72, 72, 0, 0)), apply(large, picture(88, 80, 10, 4))
	// 35 cells from the border of the smaller grid: 9 convolutions at full
	// resolution and 11 at half of it reach 31 cells, and halving 2 more.
	for r := 35; r < 37; r++ {
		for c := 35; c < 37; c++ {
			if got, want := b[(r+10)*80+c+4], a[r*72+c]; math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("cell %d, %d: %g on the large grid, %g on the small", r, c, got, want)
			}
		}
	}
}

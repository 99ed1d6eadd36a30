package operator

import (
	"fmt"
	"math"
	"slices"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// padded is a convolution by its definition: of a field that is continued beyond its edge as
// far as the kernel reaches, and summed there.
func padded(taps [][]float64, b Boundary, rows, cols int, x []float64) (y []float64) {
	high, wide := len(taps), len(taps[0])
	beyond := func(i, n int) int {
		switch b {
		case Periodic:
			for i < 0 {
				i += n
			}
			return i % n
		case Reflect:
			for i < 0 || i >= n {
				if i < 0 {
					i = -1 - i
				} else {
					i = 2*n - 1 - i
				}
			}
			return i
		}
		return i
	}
	at := func(r, c int) (v float64, inside bool) {
		r, c = beyond(r, rows), beyond(c, cols)
		if r < 0 || r >= rows || c < 0 || c >= cols {
			return 0, false
		}
		return x[r*cols+c], true
	}
	for r := range rows {
		for c := range cols {
			var sum float64
			whole := true
			for i := range taps {
				for j, w := range taps[i] {
					v, inside := at(r-(i-high/2), c-(j-wide/2))
					sum += w * v
					whole = whole && inside
				}
			}
			if b != Valid || whole {
				y = append(y, sum)
			}
		}
	}
	return y
}

func TestConvolutionByDefinition(t *testing.T) {
	for _, k := range []Kernel{Gaussian{}, Gaussian{SD: 3}, Box{}, Box{N: 4}, Motion{}, Motion{Length: 7.3, Angle: 61},
		Taps{{1, -2, 0.5, 4}, {0, 3, 1, 1}}} {
		for _, b := range []Boundary{Reflect, Zero, Periodic, Valid} {
			for _, rows := range []int{0, 11} {
				op := &Convolution{Rows: rows, Cols: 26, Kernel: k, Boundary: b}
				taps, err := k.Taps(rows == 0)
				if err != nil || rows > 0 && b == Valid && len(taps) > rows || rows == 0 && len(taps) > 1 {
					continue // there is no such kernel on a line, or it does not fit
				}
				x := normals(4, 1, max(rows, 1)*26)[0]
				got, want := product(op, x), padded(taps, b, max(rows, 1), 26, x)
				must.Need(t, len(got) == len(want), "%v: %d data, want %d", op, len(got), len(want))
				for i, v := range want {
					near(t, fmt.Sprintf("%v: datum %d", op, i), got[i], v)
				}
			}
		}
	}
}

// A periodic convolution is a product of Fourier transforms.
func TestPeriodicIsFourier(t *testing.T) {
	const rows, cols = 12, 15
	op := &Convolution{Rows: rows, Cols: cols, Kernel: Gaussian{SD: 1.7}, Boundary: Periodic}
	taps := must.Get(Gaussian{SD: 1.7}.Taps(false))(t)
	kernel := make([]complex128, rows*cols)
	for i, row := range taps {
		for j, w := range row {
			kernel[(i-len(taps)/2+10*rows)%rows*cols+(j-len(row)/2+10*cols)%cols] += complex(w, 0)
		}
	}
	transform := func(x []complex128, inverse bool) []complex128 {
		out := append([]complex128(nil), x...)
		down, across := fourier.NewCmplxFFT(rows), fourier.NewCmplxFFT(cols)
		for r := range rows {
			row := out[r*cols : (r+1)*cols]
			if inverse {
				across.Sequence(row, row)
			} else {
				across.Coefficients(row, row)
			}
		}
		column := make([]complex128, rows)
		for c := range cols {
			for r := range rows {
				column[r] = out[r*cols+c]
			}
			if inverse {
				down.Sequence(column, column)
			} else {
				down.Coefficients(column, column)
			}
			for r := range rows {
				out[r*cols+c] = column[r]
			}
		}
		return out
	}
	x := normals(5, 1, rows*cols)
	field := make([]complex128, rows*cols)
	for j, v := range x[0] {
		field[j] = complex(v, 0)
	}
	a, b := transform(kernel, false), transform(field, false)
	for j := range a {
		a[j] *= b[j] / (rows * cols)
	}
	want := transform(a, true)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		got := enginetest.Call(t, e, func(x *g.Node) []*g.Node { return []*g.Node{op.Apply(x)} }, x)
		for j, v := range want {
			near(t, fmt.Sprintf("cell %d", j), got[0][j], real(v))
		}
	})
}

// Kernels with sum 1 leave a constant field as it is but where cells beyond the edge are 0,
// and a periodic or reflected blur keeps the sum of a field: its adjoint has the same sum.
func TestBlurKeepsConstants(t *testing.T) {
	for _, k := range []Kernel{Gaussian{SD: 2.2}, Gaussian{SD: 1, Reach: 2}, Box{N: 5}, Motion{Length: 6.5, Angle: -17},
		Motion{Angle: 90}, Motion{Length: 4, Angle: 45}} {
		for _, b := range []Boundary{Reflect, Periodic, Valid} {
			op := &Convolution{Rows: 20, Cols: 21, Kernel: k, Boundary: b}
			ones := slices.Repeat([]float64{1}, 420)
			for i, v := range product(op, ones) {
				near(t, fmt.Sprintf("%v: datum %d", op, i), v, 1)
			}
		}
	}
}

// A motion along a row of whole length has weights that are known, and one along a diagonal lengths of √2.
func TestMotion(t *testing.T) {
	for _, c := range []struct {
		kernel Motion
		want   [][]float64
	}{
		{Motion{Length: 5}, [][]float64{{0.2, 0.2, 0.2, 0.2, 0.2}}},
		{Motion{Length: 4}, [][]float64{{0.125, 0.25, 0.25, 0.25, 0.125}}},
		{Motion{Length: 3, Angle: 90}, [][]float64{{1. / 3}, {1. / 3}, {1. / 3}}},
		{Motion{Length: 3 * math.Sqrt2, Angle: 45}, [][]float64{{0, 0, 1. / 3}, {0, 1. / 3, 0}, {1. / 3, 0, 0}}},
	} {
		got, err := c.kernel.Taps(false)
		must.Need(t, err == nil && len(got) == len(c.want), "%v: %v, error %v", c.kernel, got, err)
		for i := range got {
			for j := range got[i] {
				near(t, fmt.Sprintf("%v: tap (%d, %d)", c.kernel, i, j), got[i][j], c.want[i][j])
			}
		}
	}
}

func TestConvolutionRefuses(t *testing.T) {
	refusals(t, []refused{
		{"a convolution of 0 rows and 0 columns", &Convolution{}},
		{"a convolution of -1 rows and 4 columns", &Convolution{Rows: -1, Cols: 4}},
		{"boundary 9 does not exist", &Convolution{Cols: 4, Boundary: 9}},
		{"a Gaussian kernel with SD -1", &Convolution{Cols: 4, Kernel: Gaussian{SD: -1}}},
		{"a Gaussian kernel with SD NaN", &Convolution{Cols: 4, Kernel: Gaussian{SD: math.NaN()}}},
		{"a Gaussian kernel with SD 1e+300", &Convolution{Cols: 4, Kernel: Gaussian{SD: 1e300}}},
		{"a box kernel of -2 cells", &Convolution{Cols: 4, Kernel: Box{N: -2}}},
		{"a motion kernel of length -1", &Convolution{Cols: 4, Kernel: Motion{Length: -1}}},
		{"a motion kernel at 30° on a line", &Convolution{Cols: 4, Kernel: Motion{Angle: 30}}},
		{"has no taps", &Convolution{Cols: 4, Kernel: Taps{}}},
		{"has 2 rows on a line", &Convolution{Cols: 4, Kernel: Taps{{1}, {1}}}},
		{"has 1 weights in row 1 and 2 in row 0", &Convolution{Rows: 4, Cols: 4, Kernel: Taps{{1, 2}, {1}}}},
		{"has the weight NaN in row 0, column 1", &Convolution{Cols: 4, Kernel: Taps{{1, math.NaN()}}}},
		{"does not fit into 4 cells", &Convolution{Cols: 4, Kernel: Box{N: 5}, Boundary: Valid}},
		{"datum 0 of 1×1 taps, reflect, of 4 cells looks at no cell", &Convolution{Cols: 4, Kernel: Taps{{0}}}},
		{"datum 3 of 1×3 taps, zero, of 4 cells looks at no cell",
			&Convolution{Cols: 4, Kernel: Taps{{1, 0, 0}}, Boundary: Zero}},
	})
}

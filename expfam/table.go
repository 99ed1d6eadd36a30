package expfam

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// table is a smooth function on a line with its first two derivatives, from values at equal distances. Between
// two knots the function is the cubic that has its values and slopes there, and its derivative the cubic that has the
// values and slopes of the derivative. Derivatives at the knots are central differences of eighth order. Beyond the
// knots the function continues along its tangents.
type table struct {
	low, high, step float64
	// cubics has eight coefficients for the place between two knots, in powers of (x − knot)/step: four of the
	// function and four of its derivative.
	cubics []float64
}

// Central differences of eighth order: the weights of f(x + kH) − f(x − kH) and of f(x + kH) + f(x − kH) for
// k = 1 … 4, and that of f(x) (Fornberg 1988, table 1).
var firstDifference, secondDifference = [4]float64{4. / 5, -1. / 5, 4. / 105, -1. / 280},
	[5]float64{8. / 5, -1. / 5, 8. / 315, -1. / 560, -205. / 72}

// stride is the number of values in the step H of differences. With H = 8 · 0.005 = 0.04, the rounding of values costs
// half of the digits in a second derivative.
const stride = 8

// slopes returns the first and the second derivative at value i.
func slopes(values []float64, i int, distance float64) (first, second float64) {
	second = secondDifference[4] * values[i]
	for k := range 4 {
		a, b := values[i+(k+1)*stride], values[i-(k+1)*stride]
		first += firstDifference[k] * (a - b)
		second += secondDifference[k] * (a + b)
	}
	h := stride * distance
	return first / h, second / (h * h)
}

// newTable returns the table of a function with the given values, the first of which is at x = first. Every second
// value is at a knot, and the others check the table. If the table is wrong at one of them, it is nil, and at is the x.
func newTable(first, distance float64, values []float64) (t *table, at float64) {
	const margin = 4 * stride
	if len(values) < 2*margin+3 {
		return nil, first
	}
	n := (len(values) - 2*margin - 1) / 2 // cubics
	x := func(i int) float64 { return first + float64(i)*distance }
	t = &table{low: x(margin), step: 2 * distance, cubics: make([]float64, 8*n)}
	t.high = t.low + float64(n)*t.step
	hermite := func(a, b, p, q float64) [4]float64 {
		p, q = p*t.step, q*t.step
		return [4]float64{a, p, 3*(b-a) - 2*p - q, 2*(a-b) + p + q}
	}
	d1, d2 := slopes(values, margin, distance)
	for k := range n {
		i := margin + 2*k
		e1, e2 := slopes(values, i+2, distance)
		value, slope := hermite(values[i], values[i+2], d1, e1), hermite(d1, e1, d2, e2)
		copy(t.cubics[8*k:], value[:])
		copy(t.cubics[8*k+4:], slope[:])
		d1, d2 = e1, e2
		want, between := slopes(values, i+1, distance)
		off := func(got, want, tolerance float64) bool {
			return !(math.Abs(got-want) <= tolerance*(1+math.Abs(want)))
		}
		if off(t.at(0, x(i+1)), values[i+1], 1e-5) || off(t.at(1, x(i+1)), want, 1e-4) || math.IsNaN(between) {
			return nil, x(i + 1)
		}
	}
	return t, 0
}

// at returns the derivative of an order, 0 to 2, at x.
func (t *table) at(order int, x float64) float64 {
	in := math.Min(math.Max(x, t.low), t.high)
	if math.IsNaN(in) {
		return in
	}
	u := (in - t.low) / t.step
	k := min(int(u), len(t.cubics)/8-1)
	u -= float64(k)
	c := t.cubics[8*k : 8*k+8]
	slope := ((c[7]*u+c[6])*u+c[5])*u + c[4]
	switch {
	case order == 1:
		return slope
	case order == 0:
		return ((c[3]*u+c[2])*u+c[1])*u + c[0] + (x-in)*slope
	case x != in:
		return 0
	}
	return ((3*c[7]*u+2*c[6])*u + c[5]) / t.step
}

// graphs returns derivatives at every x, of all orders between from and to, at the index of the order.
func (t *table) graphs(x *g.Node, from, to int) (out [3]*g.Node) {
	in := g.MinScalar(g.MaxScalar(x, t.low), t.high)
	u := g.MulScalar(g.AddScalar(in, -t.low), 1/t.step)
	k := g.Floor(g.StopGradient(u))
	zero := g.ZerosLike(k)
	// NaN is in the first cell, because an index that is no number ends ONNX Runtime.
	k = g.MinScalar(g.Where(g.GreaterOrEqual(k, zero), k, zero), float64(len(t.cubics)/8-1))
	u = g.Sub(u, k)
	cubics := g.ConvertDType(g.Const(x.Graph(), tensors.FromFlatDataAndDimensions(t.cubics,
		len(t.cubics)/8, 8)), x.DType())
	rows := g.Gather(cubics, g.InsertAxes(g.ConvertDType(k, dtypes.Int32), -1))
	c := func(i int) *g.Node {
		// ONNX Runtime has no gradient of slices.
		return g.StopGradient(g.Squeeze(g.SliceAxis(rows, -1, g.AxisElem(i)), -1))
	}
	slope := g.Add(g.Mul(g.Add(g.Mul(g.Add(g.Mul(c(7), u), c(6)), u), c(5)), u), c(4))
	beyond := g.Sub(x, in)
	if from == 0 {
		value := g.Add(g.Mul(g.Add(g.Mul(g.Add(g.Mul(c(3), u), c(2)), u), c(1)), u), c(0))
		out[0] = g.Add(value, g.Mul(beyond, slope))
	}
	if from <= 1 && to >= 1 {
		out[1] = slope
	}
	if to == 2 {
		curve := g.Add(g.Mul(g.Add(g.Mul(g.MulScalar(c(7), 3), u), g.MulScalar(c(6), 2)), u), c(5))
		out[2] = g.Where(g.GreaterThan(g.Abs(beyond), zero), zero, g.MulScalar(curve, 1/t.step))
	}
	return out
}

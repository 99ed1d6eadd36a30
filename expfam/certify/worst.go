package certify

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/internal/certify"
)

// worst is the direction that looks worst in one half of the draws, as the other half has it.
type worst struct {
	of      string
	series  certify.Series
	share   float64 // of the rate of false alarms
	value   float64 // of the shift or the width
	se      float64
	weights []float64
}

// worstWidth returns the direction v of z in which −E[z uᵀ] of a half differs most from I. The other half then has the
// mean of −(v·z)(v·u), whose root is the width along v.
func (c *comparison) worstWidth(half int) worst {
	f := c.info[half]
	z, u := f.white(c.x[half], c.s[half])
	n, m := z.Dims()
	var product mat.Dense
	product.Mul(z.T(), u)
	sym := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range i + 1 {
			sym.SetSym(i, j, -(product.At(i, j)+product.At(j, i))/(2*float64(n)))
		}
	}
	v := make([]float64, m)
	var eigen mat.EigenSym
	if m > mostJoint || !eigen.Factorize(sym, true) {
		at := 0
		for k := range m {
			if math.Abs(sym.At(k, k)-1) > math.Abs(sym.At(at, at)-1) {
				at = k
			}
		}
		v[at] = 1
	} else {
		at := 0
		if values := eigen.Values(nil); math.Abs(values[m-1]-1) > math.Abs(values[0]-1) {
			at = m - 1
		}
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		mat.Col(v, at, &vectors)
	}
	along, scores := c.along(half, v)
	for i := range along {
		along[i] *= -scores[i]
	}
	w := worst{of: ofWidth, series: certify.Of(along, 1, c.Chains), share: 0.1, weights: f.weights(v)}
	w.value = math.Sqrt(math.Max(w.series.Mean, 1e-6))
	w.se = w.series.SE / (2 * w.value)
	return w
}

// worstShift returns the direction in which the mean of u of a half lies, as the other half has it.
func (c *comparison) worstShift(half int) worst {
	f := c.info[half]
	_, u := f.white(c.x[half], c.s[half])
	_, m := u.Dims()
	v := make([]float64, m)
	for k := range v {
		v[k] = stat.Mean(mat.Col(nil, k, u), nil)
	}
	norm := mat.Norm(mat.NewVecDense(m, v), 2)
	for k := range v {
		v[k] /= -math.Max(norm, 1e-300) // towards which the draws are shifted
	}
	along, scores := c.along(half, v)
	w := worst{of: ofLocation, series: certify.Of(scores, 0, c.Chains), share: 0.075, weights: f.weights(v)}
	_, sd := stat.MeanStdDev(along, nil)
	w.value, w.se = -w.series.Mean*sd, w.series.SE*sd
	w.series.T = -w.series.T
	return w
}

// along returns v·z and v·u of the other half, with the information of this one.
func (c *comparison) along(half int, v []float64) (positions, scores []float64) {
	z, u := c.info[half].white(c.x[1-half], c.s[1-half])
	direction := mat.NewVecDense(len(v), v)
	var a, b mat.VecDense
	a.MulVec(z, direction)
	b.MulVec(u, direction)
	return a.RawVector().Data, b.RawVector().Data
}

// mostNames is the number of parameters by which a direction is named.
const mostNames = 3

// direction returns the direction by the names of the parameters that make it.
func (w worst) direction(names []string) Direction {
	d := Direction{Of: w.of, Value: w.value, SE: w.se, T: w.series.T}
	order := make([]int, len(names))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(w.weights[b]), math.Abs(w.weights[a]))
	})
	const least = 0.1 // of the largest weight
	for _, k := range order[:min(mostNames, len(order))] {
		if math.Abs(w.weights[k]) < least*math.Abs(w.weights[order[0]]) {
			break
		}
		d.Names, d.Weights = append(d.Names, names[k]), append(d.Weights, w.weights[k])
	}
	return d
}

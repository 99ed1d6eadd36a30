package joint

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/law"
)

// search goes from the medians of the laws to about the mode of the constants, and makes the lattice there.
func (b *bridge) search(ctx context.Context) error {
	p := len(b.Constants)
	t := make([]float64, p)
	x, failure := b.field(ctx, t, 0, b.each)
	for _, v := range []float64{1, -1, 2, -2, 3, -3} { // values that the sampler takes
		if x == nil && ctx.Err() == nil {
			for k := range t {
				t[k] = v
			}
			x, _ = b.field(ctx, t, 0, b.each)
		}
	}
	if x == nil {
		return failure
	}
	limit, last := 1.5, make([]float64, p)
	for left := 24; ; left-- {
		slope, information, complete, err := b.louis(t, x)
		if err != nil {
			return err
		}
		var eigen mat.EigenSym
		var axes mat.Dense
		eigen.Factorize(information, true)
		eigen.VectorsTo(&axes)
		step := make([]float64, p)
		for k, v := range eigen.Values(nil) {
			axis, sd := mat.Col(nil, k, &axes), 1/math.Sqrt(math.Max(v, least))
			floats.AddScaled(step, floats.Dot(axis, slope)*sd*sd, axis)
			along := mat.NewVecDense(p, axis)
			known := mat.Inner(along, complete, along)
			floats.Scale(math.Min(apart*sd, overlap/math.Sqrt(math.Max(known, least))), axis)
			axes.SetCol(k, axis)
		}
		b.lattice = &lattice{centre: t, basis: &axes}
		if left == 0 || floats.Dot(step, slope) < 0.25 { // half a standard deviation
			break
		}
		if floats.Dot(step, last) < 0 {
			limit /= 2
		}
		if n := floats.Norm(step, 2); n > limit {
			floats.Scale(limit/n, step)
		}
		last = step
		if x, t, err = b.step(ctx, t, step); err != nil {
			return err
		}
	}
	b.keep(b.visit([8]int{}), x)
	return nil
}

// step draws the field at t + step, or nearer to t where the sampler refuses that.
func (b *bridge) step(ctx context.Context, t, step []float64) (x *mat.Dense, to []float64, err error) {
	for range 4 {
		to = make([]float64, len(t))
		floats.AddTo(to, t, step)
		for k, v := range to {
			to[k] = math.Max(-law.Most, math.Min(law.Most, v))
		}
		if x, err = b.field(ctx, to, 0, b.each); err == nil || ctx.Err() != nil {
			break
		}
		floats.Scale(0.5, step)
	}
	return x, to, err
}

// louis returns the gradient of the log posterior density of scores, and the information, by the identities of Fisher
// and Louis (1982, JRSS B 44): with l = log p(y | x₀, t) and draws of x₀ | y, t
//
//	∇ log p(y | t) = E ∇l,  −∇² log p(y | t) = −E ∇²l − Cov ∇l.
//
// The complete information is the one with x₀ known, without the last term.
func (b *bridge) louis(t []float64, x *mat.Dense) (slope []float64, information, complete *mat.SymDense, err error) {
	const h = 0.05
	p := len(t)
	n, _ := x.Dims()
	at := func(i, j int, si, sj float64) []float64 {
		to := slices.Clone(t)
		to[i] += si * h
		to[j] += sj * h
		data, wrong := b.Tuner(b.values(to))
		if wrong != nil {
			err = wrong
			return make([]float64, n)
		}
		return logLiks(data, x)
	}
	gradients := mat.NewDense(n, p, nil)
	slope, information, complete = make([]float64, p), mat.NewSymDense(p, nil), mat.NewSymDense(p, nil)
	for i := range p {
		for j := range i + 1 {
			both, first, second, none := at(i, j, 1, 1), at(i, j, 1, -1), at(i, j, -1, 1), at(i, j, -1, -1)
			if i == j { // both and none are 2h away from t
				column := make([]float64, n)
				floats.SubTo(column, both, none)
				floats.Scale(1/(4*h), column)
				gradients.SetCol(i, column)
				slope[i] = stat.Mean(column, nil) - t[i]
			}
			mean := func(v []float64) float64 { return stat.Mean(v, nil) }
			v := (mean(first) + mean(second) - mean(both) - mean(none)) / (4 * h * h)
			if i == j {
				v++ // of the law
			}
			complete.SetSym(i, j, v)
		}
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, gradients, nil)
	for i := range p {
		for j := range i + 1 {
			information.SetSym(i, j, complete.At(i, j)-covariance.At(i, j))
		}
	}
	return slope, information, complete, err
}

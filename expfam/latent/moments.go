package latent

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Moments returns the mean of the coordinates z to first order in the skewness of the log-likelihood, and the variances
// of the cells. [Around.Whiten] comes first. With the covariance C of the nodes the third derivatives pull the mean off
// the mode by
//
//	E[u] − û = C t/2,  t = ∇ tr(C ∇²ℓ)
//
// (Laplace's method taken one term further: Tierney & Kadane 1986, JASA 81). A few skewed data hardly shift a
// posterior. Many data that are skewed to the same side, as counts of rare events are, shift the field by a fifth of
// its standard deviation or more. The shift of each cell is limited to one standard deviation, because one term does
// not suffice for larger ones. The variances take the entries of C of all pairs of nodes of a cell. Those that the
// pattern does not have cost a solve each. If cells is not nil, the others count as fixed, with the variance 0.
func (a *Around) Moments(cells []bool) (mean, variances []float64) {
	s, n := a.model, a.Rank()
	f, sigma := s.field, make([]float64, len(s.pattern.Row))
	a.precision.Inverse(sigma)
	covariance := func(i, j int) float64 {
		at := s.pattern.Index(i, j)
		if at >= 0 {
			return sigma[at]
		}
		unit, out := make([]float64, n), make([]float64, n)
		unit[j] = 1
		a.precision.Solve(unit, out, 1)
		return unit[i]
	}
	if p := a.precision; p.by != nil { // C = (L Lᵀ)⁻¹ + Y diag((1 + by)² − 1) Yᵀ with Y = L⁻ᵀZ, as ZᵀZ = I
		k := p.z.Cols
		y := make([]float64, n*k)
		p.Backward(y, slices.Clone(p.z.Data), k)
		own := covariance
		covariance = func(i, j int) float64 {
			v := own(i, j)
			for c, by := range p.by {
				v += by * (2 + by) * y[i*k+c] * y[j*k+c]
			}
			return v
		}
	}
	variances = make([]float64, len(f.Rows))
	for i, row := range f.Rows {
		if cells != nil && !cells[i] {
			continue
		}
		for k, e := range row {
			variances[i] += e.Weight * e.Weight * covariance(e.Node, e.Node)
			for _, o := range row[:k] {
				variances[i] += 2 * e.Weight * o.Weight * covariance(e.Node, o.Node)
			}
		}
	}
	pull, shift := make([]float64, n), make([]float64, n)
	mean = make([]float64, n)
	f.Pull(pull, a.skewness(variances))
	a.precision.pull(mean, pull, 1) // C = G Gᵀ
	a.precision.place(shift, slices.Clone(mean), 1)
	most := 1.
	for i, row := range f.Rows {
		var off float64
		for _, e := range row {
			off += e.Weight * shift[e.Node]
		}
		if v := variances[i]; v > 0 {
			most = math.Max(most, math.Abs(off)/math.Sqrt(v))
		}
	}
	floats.Scale(1/most, mean)
	return mean, variances
}

// Node returns the mean of a node to first order in the skewness, and its standard deviation. [Around.Whiten] comes
// first.
func (a *Around) Node(i int) (mean, sd float64) {
	z, _ := a.Moments(nil)
	unit, half := make([]float64, a.Rank()), make([]float64, a.Rank())
	unit[i] = 1
	a.precision.pull(half, unit, 1)
	a.nodes(unit, z, 1)
	return unit[i], floats.Norm(half, 2)
}

// skewness returns t/2 by cell: second differences of the slopes of the log-likelihood. Data of single cells need one
// for all cells, with steps in proportion to the standard deviations. Other data need their mean over draws of the
// approximation.
func (a *Around) skewness(variances []float64) []float64 {
	const near, far, draws = 0.03, 0.5, 64
	cells := len(variances)
	x, moved, sum := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	there, ahead, behind := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	a.model.field.Place(a.Mode, x)
	a.data.LogLikSlope(x, there)
	add := func(step []float64, scale, weight float64) {
		a.data.LogLikSlope(floats.AddScaledTo(moved, x, scale, step), ahead)
		a.data.LogLikSlope(floats.AddScaledTo(moved, x, -scale, step), behind)
		for i := range sum {
			if v := (ahead[i] + behind[i] - 2*there[i]) / (2 * scale * scale); !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum[i] += weight * v
			}
		}
	}
	step := make([]float64, cells)
	if a.model.cellwise {
		for i, v := range variances {
			step[i] = math.Sqrt(v)
		}
		add(step, near, 1)
		return sum
	}
	rng, z := rand.New(rand.NewPCG(1, 2)), make([]float64, a.Rank())
	for range draws {
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		a.Place(z, step)
		floats.Sub(step, x)
		add(step, far, 1./draws)
	}
	return sum
}

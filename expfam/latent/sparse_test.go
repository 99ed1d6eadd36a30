package latent_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/sparse"
	"github.com/expfam/lab/internal/must"
)

// poisson are counts y_k of mean exp(Σ_j H_kj x_j), without their constant.
type poisson struct {
	y    []float64
	rows [][]latent.Entry
}

func (p poisson) LogLikSlope(x, slope []float64) (v float64) {
	clear(slope)
	for k, row := range p.rows {
		eta := 0.0
		for _, e := range row {
			eta += e.Weight * x[e.Node]
		}
		v += p.y[k]*eta - math.Exp(eta)
		for _, e := range row {
			slope[e.Node] += e.Weight * (p.y[k] - math.Exp(eta))
		}
	}
	return v
}

func (p poisson) Precision(x []float64) (func(k int, visit func(cell int, weight float64)), []float64) {
	w := make([]float64, len(p.rows))
	for k, row := range p.rows {
		eta := 0.0
		for _, e := range row {
			eta += e.Weight * x[e.Node]
		}
		w[k] = math.Exp(eta)
	}
	return func(k int, visit func(cell int, weight float64)) {
		for _, e := range p.rows[k] {
			visit(e.Node, e.Weight)
		}
	}, w
}

// walk is an intrinsic walk of order 1 with the precision v[0], whose mean has the precision 4, and a level beside it.
func walk(n int) *latent.Field {
	var pairs [][2]int
	mean := latent.Column{}
	rows := make([][]latent.Entry, n)
	for i := range n {
		if i > 0 {
			pairs = append(pairs, [2]int{i - 1, i})
		}
		mean = append(mean, latent.Entry{Node: i, Weight: 1 / float64(n)})
		rows[i] = []latent.Entry{{Node: i, Weight: 1}, {Node: n, Weight: 0.5}}
	}
	a := sparse.New(n+1, pairs)
	f := &latent.Field{Pattern: a, Rows: rows, Offset: make([]float64, n), Wide: []latent.Column{mean},
		Ground: []int{0}}
	for i := range f.Offset {
		f.Offset[i] = 0.3
	}
	f.Fill = func(v, q, c []float64) (float64, error) {
		c[0] = 4
		for i := 1; i < n; i++ {
			q[a.Index(i, i)] += v[0]
			q[a.Index(i-1, i-1)] += v[0]
			q[a.Index(i, i-1)] -= v[0]
		}
		q[a.Index(n, n)] = 2
		return float64(n-1) * math.Log(v[0]), nil
	}
	return f
}

// TestSparse compares mode, evidence and coordinates with dense matrices.
func TestSparse(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(1, 2))
	f := walk(n)
	data := poisson{}
	for k := range 7 { // several cells without data, and data that look at two cells
		data.y = append(data.y, float64(rng.IntN(5)))
		data.rows = append(data.rows, []latent.Entry{{Node: k, Weight: 1}, {Node: k + 3, Weight: 0.5}})
	}
	model := must.Get(latent.NewSparse(f, data, make([]float64, n)))(t)
	var evidences []float64
	for _, v := range []float64{0.5, 20} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			a := must.Get(model.Mode(context.Background(), []float64{v}, data))(t)
			must.Do(t, a.Whiten())
			prior := mat.NewDense(n+1, n+1, nil)
			add := func(m *mat.Dense, column []float64, by float64) {
				c := mat.NewVecDense(len(column), column)
				m.RankOne(m, by, c, c)
			}
			for i := 1; i < n; i++ {
				column := make([]float64, n+1)
				column[i], column[i-1] = 1, -1
				add(prior, column, v)
			}
			column := make([]float64, n+1)
			for i := range n {
				column[i] = 1. / n
			}
			add(prior, column, 4)
			prior.Set(n, n, 2)
			b := mat.NewDense(n, n+1, nil)
			for i := range n {
				b.Set(i, i, 1)
				b.Set(i, n, 0.5)
			}
			x, slope := make([]float64, n), make([]float64, n)
			f.Place(a.Mode, x)
			loglik := data.LogLikSlope(x, slope)
			posterior := mat.DenseCopyOf(prior)
			rows, w := data.Precision(x)
			for k := range w {
				row := make([]float64, n)
				rows(k, func(j int, h float64) { row[j] = h })
				var of mat.VecDense
				of.MulVec(b.T(), mat.NewVecDense(n, row))
				add(posterior, of.RawVector().Data, w[k])
			}
			u := mat.NewVecDense(n+1, a.Mode)
			var pull, gradient mat.VecDense
			pull.MulVec(prior, u)
			gradient.MulVec(b.T(), mat.NewVecDense(n, slope))
			gradient.SubVec(&gradient, &pull)
			if g := mat.Norm(&gradient, 2); g > 1e-3 { // the decrement is below 1e-8
				t.Errorf("the gradient at the mode is %g", g)
			}
			want := loglik - mat.Dot(u, &pull)/2 + (logDet(prior)-logDet(posterior))/2
			evidences = append(evidences, a.LogEvidence()-want)
			// G Gᵀ = P⁻¹.
			g := mat.NewDense(n, n+1, nil)
			zero, one := make([]float64, n), make([]float64, n)
			a.Place(make([]float64, n+1), zero)
			for k := range n + 1 {
				z := make([]float64, n+1)
				z[k] = 1
				a.Place(z, one)
				for i := range n {
					g.Set(i, k, one[i]-zero[i])
				}
			}
			var inverse, got, half, cov mat.Dense
			must.Do(t, inverse.Inverse(posterior))
			got.Mul(g, g.T())
			half.Mul(b, &inverse)
			cov.Mul(&half, b.T())
			if !mat.EqualApprox(&got, &cov, 1e-9) { // rounding
				t.Errorf("the covariance is %v, and not %v", mat.Formatted(&got), mat.Formatted(&cov))
			}
			// The density is −|z|²/2 to second order, and its gradient is that of differences.
			density := a.Density().At
			z, gz := make([]float64, n+1), make([]float64, n+1)
			for k := range z {
				z[k] = rng.NormFloat64()
			}
			density(z, gz)
			for k := range z {
				const h = 1e-5
				z[k] += h
				up := density(z, make([]float64, n+1))
				z[k] -= 2 * h
				down := density(z, make([]float64, n+1))
				z[k] += h
				if d := (up - down) / (2 * h); math.Abs(d-gz[k]) > 1e-5*(1+math.Abs(d)) { // h² and rounding over h
					t.Errorf("slope %d is %g, and differences are %g", k, gz[k], d)
				}
			}
			if d := density(make([]float64, n+1), gz) + a.LogScale() - a.LogEvidence(); math.Abs(d) > 1e-9 {
				t.Errorf("the density at the mode and its scale differ from the evidence by %g", d)
			}
		})
	}
	if d := evidences[1] - evidences[0]; math.Abs(d) > 1e-6 { // up to a constant; the mode is known to 1e-8
		t.Errorf("log evidences differ by %g from dense ones", d)
	}
}

func logDet(m *mat.Dense) float64 {
	v, _ := mat.LogDet(m)
	return v
}

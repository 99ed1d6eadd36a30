package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// normal is Normal data of some cells with one standard deviation, or counts with the log rate x.
type normal struct {
	y      []float64 // NaN: missing
	sd     float64
	counts bool
}

func (n normal) LogLikSlope(x, slope []float64) (logp float64) {
	for j, y := range n.y {
		switch slope[j] = 0; {
		case math.IsNaN(y):
		case n.counts:
			logp, slope[j] = logp+y*x[j]-math.Exp(x[j]), y-math.Exp(x[j])
		default:
			e := (y - x[j]) / n.sd
			logp, slope[j] = logp-e*e/2, e/n.sd
		}
	}
	return logp
}

func (n normal) Precision(x []float64) (rows func(k int, visit func(cell int, weight float64)), w []float64) {
	w = make([]float64, len(n.y))
	for j, y := range n.y {
		switch {
		case math.IsNaN(y):
		case n.counts:
			w[j] = math.Exp(x[j])
		default:
			w[j] = 1 / (n.sd * n.sd)
		}
	}
	return func(k int, visit func(int, float64)) { visit(k, 1) }, w
}

// matrix is a transform by a matrix.
type matrix struct{ t *mat.Dense }

func (m matrix) Synthesise(x, z []float64) {
	mat.NewVecDense(len(x), x).MulVec(m.t, mat.NewVecDense(len(z), z))
}
func (m matrix) Analyse(z, x []float64) {
	mat.NewVecDense(len(z), z).MulVec(m.t.T(), mat.NewVecDense(len(x), x))
}

// smooth is a field of 24 cells by its spectrum, with data of half of them.
func smooth(counts bool) (Spectrum, *mat.Dense, normal) {
	const n = 24
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, math.Exp(-math.Abs(float64(i-j))/5))
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(cov, true)
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	l := mat.DenseCopyOf(&basis)
	values := eigen.Values(nil)
	l.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(values[k]) }, l)
	s := Spectrum{Mean: make([]float64, n), Variances: values, Transform: func() Transform { return matrix{&basis} }}
	data := normal{sd: 0.5, counts: counts}
	for j := range n {
		s.Mean[j] = 0.3
		if data.y = append(data.y, float64((j*j)%4)); j%4 > 1 {
			data.y[j] = math.NaN()
		}
	}
	return s, l, data
}

// A posterior by modes has the density of the one by a matrix, and its own gradient, however many modes are whitened
// together. Coordinates lead back to where they came from.
func TestModesAreTheTarget(t *testing.T) {
	for _, counts := range []bool{false, true} {
		for _, most := range []int{1, 5, 24} {
			s, l, data := smooth(counts)
			m := must.Get(byModes(t.Context(), s, data, most, most))(t)
			of := m.Density().At
			n := m.Rank()
			rng, gradient := rand.New(rand.NewPCG(1, 1)), make([]float64, n)
			var offset float64
			for i := range 3 {
				u, x, z, back := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
				for k := range u {
					u[k] = rng.NormFloat64()
				}
				m.Place(u, x)
				m.Coordinates(x, back, nil)
				must.Absolute(t, "u of x₀", floats.Distance(u, back, math.Inf(1)), 0, 1e-9)
				m.modes(u, [][]float64{z})
				off := of(u, gradient) - logPosterior(s.Mean, l, z, data, mat.NewVecDense(n, nil))
				if i == 0 {
					offset = off
				}
				must.Absolute(t, "density", off, offset, 1e-9)
				of(u, gradient)
				for k := range u {
					slope := must.Differences(func(v float64) float64 {
						at := append([]float64(nil), u...)
						at[k] = v
						return of(at, make([]float64, n))
					}, u[k], 1e-3)
					must.Relative(t, "gradient", gradient[k], slope, 1e-7)
				}
			}
			// At the mode the gradient is 0, up to the decrement at which the search ends.
			of(make([]float64, n), gradient)
			must.Absolute(t, "slope at the mode", floats.Norm(gradient, 2), 0, 0.05)
		}
	}
}

// Chains that turn have the mean and the variances of a normal posterior in closed form. If all modes are whitened
// together, such trajectories have no error: what is rejected comes of the mode, which is not exact.
func TestTurnsAreExact(t *testing.T) {
	for _, most := range []int{5, 24} {
		s, l, data := smooth(false)
		m := must.Get(byModes(t.Context(), s, data, most, most))(t)
		w := Walker{Density: m.Density(), Turns: true}
		c := NewChain(m.Rank(), 0.5, rand.New(rand.NewPCG(1, 1)))
		c.near(w.Density)
		const moves = 6000
		mean, square, x := make([]float64, m.Cells()), make([]float64, m.Cells()), make([]float64, m.Cells())
		accept := 0.0
		for i := range moves + 20 {
			w.Move(math.Pi/2, c)
			if i < 20 {
				continue
			}
			accept += c.Accept / moves
			m.Place(c.U, x)
			for j, v := range x {
				mean[j], square[j] = mean[j]+v/moves, square[j]+v*v/moves
			}
		}
		if accept < 0.7 || most == 24 && accept < 0.999 {
			t.Errorf("%d modes together: transitions are accepted with probability %g", most, accept)
		}
		rows, weights := data.Precision(x)
		var cov, chol mat.Dense
		precision := must.Get(Hessian(l, rows, weights))(t)
		must.Do(t, cov.Inverse(precision))
		chol.Mul(l, &cov)
		cov.Mul(&chol, l.T())
		slope, want := make([]float64, len(x)), make([]float64, len(x))
		data.LogLikSlope(s.Mean, slope)
		mat.NewVecDense(len(x), want).MulVec(&cov, mat.NewVecDense(len(x), slope))
		for j := range x {
			sd := math.Sqrt(cov.At(j, j))
			// Five standard errors of independent draws, and a half more: chains have about half as many.
			must.Absolute(t, "mean", mean[j], s.Mean[j]+want[j], 7*sd/math.Sqrt(moves))
			must.Absolute(t, "sd", math.Sqrt(square[j]-mean[j]*mean[j])/sd, 1, 7/math.Sqrt(2*moves))
		}
	}
}

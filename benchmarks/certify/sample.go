package certify

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/certify"
)

// shape is the mode of a target with the Cholesky factor of the inverse curvature there.
type shape struct {
	mode    []float64
	root    mat.TriDense // lower; root rootᵀ is the inverse curvature
	inverse []float64    // of the diagonal of the curvature
}

// shapeOf finds the mode by damped Newton steps. The curvature is a central difference of the gradient.
func (t Target) shapeOf() (*shape, error) {
	s := &shape{mode: make([]float64, t.Dim), inverse: make([]float64, t.Dim)}
	grad, low, high, next := make([]float64, t.Dim), make([]float64, t.Dim), make([]float64, t.Dim),
		make([]float64, t.Dim)
	curvature := mat.NewSymDense(t.Dim, nil)
	for range 100 {
		value := t.LogDensity(s.mode, grad)
		for i := range t.Dim {
			const step = 1e-5
			x := append([]float64(nil), s.mode...)
			x[i] += step
			t.LogDensity(x, high)
			x[i] -= 2 * step
			t.LogDensity(x, low)
			for j := range i + 1 {
				curvature.SetSym(i, j, (low[j]-high[j])/(2*step))
			}
		}
		ridge := 0.0
		var chol mat.Cholesky
		for !chol.Factorize(curvature) {
			ridge = max(1e-3, 2*ridge)
			for i := range t.Dim {
				curvature.SetSym(i, i, curvature.At(i, i)+ridge)
			}
		}
		for i := range s.inverse {
			s.inverse[i] = 1 / curvature.At(i, i)
		}
		var step mat.VecDense
		if err := chol.SolveVecTo(&step, mat.NewVecDense(t.Dim, grad)); err != nil {
			return nil, err
		}
		length := 1.0
		for ; length > 1e-6; length /= 2 {
			floats.AddScaledTo(next, s.mode, length, step.RawVector().Data)
			if t.LogDensity(next, low) >= value {
				break
			}
		}
		copy(s.mode, next)
		if mat.Norm(&step, 2) < 1e-8*math.Sqrt(float64(t.Dim)) {
			var inverse mat.SymDense
			if err := chol.InverseTo(&inverse); err != nil {
				return nil, err
			}
			if !chol.Factorize(&inverse) {
				break
			}
			chol.LTo(&s.root)
			return s, nil
		}
	}
	return nil, fmt.Errorf("certify: %s: Newton's steps found no mode", t.Name)
}

// Sample makes draws of the target by chains, (chains·each, dim) with each draw's chain behind the other. A target
// that draws independently does so.
func (t Target) Sample(rng *rand.Rand, chains, each int) (*mat.Dense, error) {
	x := mat.NewDense(chains*each, t.Dim, nil)
	if t.Draw != nil {
		for i := range chains * each {
			row := x.RawRowView(i)
			t.Draw(rng, row)
			if t.Lag > 0 && i%each > 0 {
				floats.Scale(math.Sqrt(1-t.Lag*t.Lag), row)
				floats.AddScaled(row, t.Lag, x.RawRowView(i-1))
			}
		}
		return x, nil
	}
	s, err := t.shapeOf()
	if err != nil {
		return nil, err
	}
	for c := range chains {
		h := &hamiltonian{target: t, shape: s, rng: rng, z: make([]float64, t.Dim)}
		for k := range h.z {
			h.z[k] = rng.NormFloat64()
		}
		h.begin()
		for range 50 {
			h.move()
		}
		for i := range each {
			h.move()
			copy(x.RawRowView(c*each+i), h.x)
		}
	}
	return x, nil
}

// hamiltonian is Hamiltonian Monte Carlo in z, x = mode + root z, which is exact whatever the shape is.
type hamiltonian struct {
	target     Target
	shape      *shape
	rng        *rand.Rand
	z, x       []float64
	grad       []float64 // by z
	value      float64
	gradX, vec []float64
}

func (h *hamiltonian) begin() {
	d := h.target.Dim
	h.x, h.grad, h.gradX, h.vec = make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	h.value = h.at(h.z)
}

// at evaluates the target at z.
func (h *hamiltonian) at(z []float64) float64 {
	d := len(z)
	v := mat.NewVecDense(d, h.x)
	v.MulVec(&h.shape.root, mat.NewVecDense(d, z))
	floats.Add(h.x, h.shape.mode)
	value := h.target.LogDensity(h.x, h.gradX)
	mat.NewVecDense(d, h.grad).MulVec(h.shape.root.T(), mat.NewVecDense(d, h.gradX))
	return value
}

// move makes one transition.
func (h *hamiltonian) move() {
	d := len(h.z)
	step := 0.2 * (0.7 + 0.6*h.rng.Float64())
	p, z := make([]float64, d), append([]float64(nil), h.z...)
	for k := range p {
		p[k] = h.rng.NormFloat64()
	}
	before, old, oldX, oldGrad := h.value-floats.Dot(p, p)/2, h.value, append([]float64(nil), h.x...),
		append([]float64(nil), h.grad...)
	value := h.value
	for range 8 {
		floats.AddScaled(p, step/2, h.grad)
		floats.AddScaled(z, step, p)
		value = h.at(z)
		floats.AddScaled(p, step/2, h.grad)
	}
	if math.Log(h.rng.Float64()) < value-floats.Dot(p, p)/2-before {
		h.z, h.value = z, value
		return
	}
	h.value = old
	copy(h.x, oldX)
	copy(h.grad, oldGrad)
}

// Certified returns draws with the target's gradients at them.
func (t Target) Certified(x *mat.Dense, chains int) certify.Draws {
	n, d := x.Dims()
	s := mat.NewDense(n, d, nil)
	for i := range n {
		t.LogDensity(x.RawRowView(i), s.RawRowView(i))
	}
	names := make([]string, d)
	for k := range names {
		names[k] = fmt.Sprintf("x[%d]", k)
	}
	return certify.Draws{Names: names, Chains: chains, X: x, S: s}
}

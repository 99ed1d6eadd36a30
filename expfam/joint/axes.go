package joint

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// curvature returns the information of the evidence at a point where it is top, by differences.
func curvature(evaluate func([][]float64) []float64, t []float64, top float64) *mat.SymDense {
	const h = 0.4
	p := len(t)
	var points [][]float64
	add := func(i, j int) { // by h along axis i, and along another one
		for _, by := range []float64{h, -h} {
			moved := append([]float64(nil), t...)
			if moved[i] += by; j != i {
				moved[j] += by
			}
			points = append(points, moved)
		}
	}
	for i := range p {
		add(i, i)
	}
	for i := range p {
		for j := range i {
			add(i, j)
		}
	}
	values := evaluate(points)
	bend := func(k int, otherwise float64) float64 {
		if v := (2*top - values[2*k] - values[2*k+1]) / (h * h); finite(v) {
			return v
		}
		return otherwise
	}
	information := mat.NewSymDense(p, nil)
	for i := range p {
		information.SetSym(i, i, bend(i, 1))
	}
	k := p
	for i := range p {
		for j := range i {
			both := information.At(i, i) + information.At(j, j)
			information.SetSym(i, j, (bend(k, both)-both)/2)
			k++
		}
	}
	return information
}

// axes returns the lattice of the principal axes of an information.
func axes(mode []float64, information *mat.SymDense) (*lattice, error) {
	p := len(mode)
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return nil, errors.New("joint: the information of the evidence has no eigenvalues; give some of the parameters")
	}
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	for k, v := range eigen.Values(nil) {
		for i := range p {
			basis.Set(i, k, basis.At(i, k)*spacing/math.Sqrt(math.Max(v, least)))
		}
	}
	return &lattice{centre: mode, basis: &basis, logs: map[[8]int]float64{}}, nil
}

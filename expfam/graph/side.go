package graph

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
)

// side is one of the two sides of the field: covariances of its main effect and of the structure of the interaction,
// both with the mean taken out.
type side struct{ main, structure *mat.SymDense }

func sideOf(f gp.Family, values []float64, structure bool) (s side, err error) {
	_, cov, err := f.Given(values)
	if err != nil {
		return s, err
	}
	s.main = centred(cov)
	s.structure = mat.NewSymDense(f.Dim(), nil)
	for i := range f.Dim() {
		s.structure.SetSym(i, i, 1)
	}
	if structure {
		if s.structure, err = structureOf(f.(numbered), values); err != nil {
			return s, err
		}
	}
	s.structure = centred(s.structure)
	return s, nil
}

// centred returns P K P, where P subtracts the mean.
func centred(k mat.Symmetric) *mat.SymDense {
	n := k.SymmetricDim()
	means, whole := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += k.At(i, j) / float64(n)
		}
		whole += means[i] / float64(n)
	}
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, k.At(i, j)-means[i]-means[j]+whole)
		}
	}
	return out
}

// modes returns the orthonormal basis in which both covariances are diagonal, and their variances in it. Its first
// vector is constant.
func (s side) modes() (basis *mat.Dense, main, structure []float64, err error) {
	n := s.main.SymmetricDim()
	shifted := mat.NewSymDense(n, nil) // eigenvalue −1 for the constant vector
	for i := range n {
		for j := i; j < n; j++ {
			shifted.SetSym(i, j, s.structure.At(i, j)-1/float64(n))
		}
	}
	// Where the structure is the identity, any basis is an eigenbasis, and the main effect chooses it.
	var product mat.Dense
	product.Mul(s.structure, s.structure)
	product.Sub(&product, s.structure)
	if mat.Norm(&product, 2) < 1e-9 {
		size := mat.Trace(s.main) + 1e-300
		for i := range n {
			for j := i; j < n; j++ {
				shifted.SetSym(i, j, s.main.At(i, j)/size-1/float64(n))
			}
		}
	}
	_, basis, err = eigen(shifted)
	if err != nil {
		return nil, nil, nil, err
	}
	diagonal := func(k mat.Matrix) (values []float64, off float64) {
		var half, full mat.Dense
		half.Mul(basis.T(), k)
		full.Mul(&half, basis)
		for i := range n {
			values = append(values, max(0, full.At(i, i)))
			full.Set(i, i, 0)
		}
		return values, mat.Norm(&full, 2)
	}
	main, off := diagonal(s.main)
	structure, _ = diagonal(s.structure)
	if off > 1e-8*(mat.Norm(s.main, 2)+math.SmallestNonzeroFloat64) {
		return nil, nil, nil, errors.New("graph: the main effect and the structure of its interaction have no common " +
			"basis; take gp.New with Given, for few cells")
	}
	return basis, main, structure, nil
}

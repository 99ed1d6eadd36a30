package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
)

// structure has what priors of one graph share.
type structure struct {
	values []float64     // eigenvalues r of the Laplacian R = D − W
	basis  *mat.Dense    // its eigenvectors, each within one component
	scaled *mat.SymDense // S, see [Neighbours.Structure]
	gamma  []float64     // eigenvalues of S, in the order of basis
	err    error
}

// Structure returns the covariance S of an intrinsic autoregression. Each component c has the generalised inverse R_c⁻
// of its Laplacian R_c = D − W, divided by the geometric mean of the diagonal of R_c⁻, so that the variances have the
// geometric mean 1 in each component (Sørbye & Rue 2014, Spatial Statistics 8). An island has the variance 1
// (Freni-Sterrantino, Ventrucci & Rue 2018, Spatial and Spatio-temporal Epidemiology 26). Do not change it.
func (n *Neighbours) Structure() (*mat.SymDense, error) {
	s, err := n.structure()
	return s.scaled, err
}

func (n *Neighbours) structure() (*structure, error) {
	n.once.Do(func() {
		if n.made.err = n.Check(); n.made.err == nil {
			n.made.err = n.made.make(n)
		}
	})
	return &n.made, n.made.err
}

func (s *structure) make(n *Neighbours) error {
	areas := n.Len()
	s.basis, s.scaled = mat.NewDense(areas, areas, nil), mat.NewSymDense(areas, nil)
	for _, part := range n.Components() {
		if len(part) == 1 {
			s.basis.Set(part[0], len(s.values), 1)
			s.scaled.SetSym(part[0], part[0], 1)
			s.values, s.gamma = append(s.values, 0), append(s.gamma, 1)
			continue
		}
		place := map[int]int{}
		for k, i := range part {
			place[i] = k
		}
		laplacian := mat.NewSymDense(len(part), nil)
		for k, i := range part {
			laplacian.SetSym(k, k, float64(len(n.Of[i])))
			for _, j := range n.Of[i] {
				laplacian.SetSym(k, place[j], -1)
			}
		}
		values, vectors, err := eigen(laplacian)
		if err != nil {
			return err
		}
		inverse, scale := inverted(values, vectors, 1)
		for k, i := range part {
			for l, j := range part {
				s.scaled.SetSym(i, j, inverse.At(k, l)/scale)
				s.basis.Set(i, len(s.values)+l, vectors.At(k, l))
			}
		}
		for k, v := range values {
			if k == 0 {
				s.values, s.gamma = append(s.values, 0), append(s.gamma, 0)
			} else {
				s.values, s.gamma = append(s.values, v), append(s.gamma, 1/(v*scale))
			}
		}
	}
	return nil
}

// eigen returns the eigenvalues in ascending order, and the eigenvectors as columns.
func eigen(m mat.Symmetric) ([]float64, *mat.Dense, error) {
	values, vectors, err := latent.Eigen(m)
	if err != nil {
		return nil, nil, fmt.Errorf("graph: %w", err)
	}
	return values, vectors, nil
}

// inverted returns the generalised inverse of a matrix whose first null eigenvalues are 0, and the geometric mean of
// its diagonal.
func inverted(values []float64, vectors *mat.Dense, null int) (inverse *mat.SymDense, mean float64) {
	n := len(values)
	root := mat.DenseCopyOf(vectors.Slice(0, n, null, n))
	root.Apply(func(_, k int, v float64) float64 { return v / math.Sqrt(values[null+k]) }, root)
	inverse = mat.NewSymDense(n, nil)
	inverse.SymOuterK(1, root)
	var sum float64
	for i := range n {
		sum += math.Log(inverse.At(i, i))
	}
	return inverse, math.Exp(sum / float64(n))
}

// spectral returns U diag(f(r, γ)) Uᵀ with the eigenvectors U of the Laplacian, its eigenvalues r, and the eigenvalues
// γ of S.
func (s *structure) spectral(f func(r, gamma float64) float64) *mat.SymDense {
	root := mat.DenseCopyOf(s.basis)
	root.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(f(s.values[k], s.gamma[k])) }, root)
	cov := mat.NewSymDense(len(s.values), nil)
	cov.SymOuterK(1, root)
	return cov
}

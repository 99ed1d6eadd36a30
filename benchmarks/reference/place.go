package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// place is where cells are.
type place interface {
	// cov returns K.
	cov(sd, length float64) *mat.SymDense
	// cells returns the number of cells.
	cells() int
}

// lattice has K = σ² exp(−distance/ℓ), distances in cells. A line is a lattice of one row.
type lattice struct{ Rows, Cols int }

func (l lattice) cells() int { return l.Rows * l.Cols }

func (l lattice) cov(sd, length float64) *mat.SymDense {
	k := mat.NewSymDense(l.cells(), nil)
	for i := range l.cells() {
		for j := range i + 1 {
			k.SetSym(i, j, sd*sd*math.Exp(-l.distance(i, j)/length))
		}
	}
	return k
}

func (l lattice) distance(i, j int) float64 {
	return math.Hypot(float64(i/l.Cols-j/l.Cols), float64(i%l.Cols-j%l.Cols))
}

// districts are hexagons, each in each of some weeks: K = σ² (ρ(D − W) + (1 − ρ)I)⁻¹ ⊗ exp(−weeks apart/ℓ) with
// ρ = .9, where W joins neighbours and D has their numbers (Leroux, Lei & Breslow 2000). The week runs fastest.
type districts struct{ Rows, Cols, Weeks int }

func (d districts) cells() int { return d.Rows * d.Cols * d.Weeks }

func (d districts) cov(sd, length float64) *mat.SymDense {
	const rho = 0.9
	n := d.Rows * d.Cols
	q := mat.NewSymDense(n, nil)
	for i := range n {
		q.SetSym(i, i, q.At(i, i)+1-rho)
		for j := range i {
			if d.neighbours(i, j) {
				q.SetSym(i, j, -rho)
				q.SetSym(i, i, q.At(i, i)+rho)
				q.SetSym(j, j, q.At(j, j)+rho)
			}
		}
	}
	var chol mat.Cholesky
	chol.Factorize(q)
	var inverse mat.SymDense
	_ = chol.InverseTo(&inverse) // it returns an error for an ill-conditioned matrix, and this one is not
	k := mat.NewSymDense(d.cells(), nil)
	for i := range d.cells() {
		for j := range i + 1 {
			apart := math.Abs(float64(i%d.Weeks - j%d.Weeks))
			decay := 1.0
			if apart > 0 {
				decay = math.Exp(-apart / length)
			}
			k.SetSym(i, j, sd*sd*inverse.At(i/d.Weeks, j/d.Weeks)*decay)
		}
	}
	return k
}

// neighbours reports whether hexagons share a border. Odd rows lie half a hexagon to the right.
func (d districts) neighbours(i, j int) bool {
	at := func(k int) (row, x float64) {
		row = float64(k / d.Cols)
		return row, float64(k%d.Cols) + math.Mod(row, 2)/2
	}
	ri, xi := at(i)
	rj, xj := at(j)
	return i != j && math.Abs(ri-rj) <= 1 && math.Abs(xi-xj)+math.Abs(ri-rj)/2 <= 1
}

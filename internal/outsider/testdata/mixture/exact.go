package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// exact returns the mean and the sd of every cell under y ~ N(x₀, sd²) in the cells that are not NaN: a mixture of the
// components' posteriors by their evidences.
func (c Curves) exact(y []float64, sd float64) (mean, deviation []float64) {
	k, noisy, data := covariance(), covariance(), make([]float64, cells)
	for j, v := range y {
		noise := sd * sd
		if math.IsNaN(v) {
			v, noise = 0, 1e12 // says nothing
		}
		data[j] = v
		noisy.SetSym(j, j, k.At(j, j)+noise)
	}
	var root mat.Cholesky
	var gain, known mat.Dense
	root.Factorize(noisy)
	root.SolveTo(&gain, k)
	known.Mul(k, &gain)
	sum, square := 0.0, make([]float64, cells)
	mean, deviation = make([]float64, cells), make([]float64, cells)
	for i, level := range c.Levels {
		var solved, shift mat.VecDense
		gap := mat.NewVecDense(cells, nil)
		for j, v := range data {
			gap.SetVec(j, v-level)
		}
		root.SolveVecTo(&solved, gap)
		shift.MulVec(k, &solved)
		w := c.Weights[i] * math.Exp(-mat.Dot(gap, &solved)/2)
		sum += w
		for j := range cells {
			m := level + shift.AtVec(j)
			mean[j], square[j] = mean[j]+w*m, square[j]+w*m*m
		}
	}
	for j := range cells {
		mean[j] /= sum
		deviation[j] = math.Sqrt(k.At(j, j) - known.At(j, j) + square[j]/sum - mean[j]*mean[j])
	}
	return mean, deviation
}

package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
)

// Quantity is a test quantity: a number that is computed from x₀, and possibly from the
// data and from random numbers that the truth and the draws share (Modrák et al. 2023).
type Quantity struct {
	Name string
	// Of returns the function of x₀ for one simulation.
	Of func(obs expfam.Observations, rng *rand.Rand) func(x0 []float64) float64
}

// Cell returns the quantity x₀ⱼ of cell j. It is NaN, which [SBC] refuses, if there is no cell j.
func Cell(j int) Quantity {
	return Quantity{fmt.Sprintf("cell %d", j), func(expfam.Observations, *rand.Rand) func([]float64) float64 {
		return func(x0 []float64) float64 {
			if j < 0 || j >= len(x0) {
				return math.NaN()
			}
			return x0[j]
		}
	}}
}

// RandomCell returns the quantity x₀ⱼ of a cell j that every simulation chooses at random.
func RandomCell() Quantity {
	return Quantity{"cell", func(_ expfam.Observations, rng *rand.Rand) func([]float64) float64 {
		j := -1
		return func(x0 []float64) float64 {
			if j < 0 { // the data of an operator are not as many as the cells
				j = rng.IntN(len(x0))
			}
			return x0[j]
		}
	}}
}

// Mean returns the quantity that is the mean of x₀ over cells. Its posterior is too narrow if a
// sampler counts the data of correlated cells several times.
func Mean() Quantity {
	return Quantity{"mean", func(expfam.Observations, *rand.Rand) func([]float64) float64 {
		return func(x0 []float64) float64 { return stat.Mean(x0, nil) }
	}}
}

// LogLikelihood returns the quantity log p(y | x₀). It finds errors that functions of x₀ alone
// do not find, such as a sampler that ignores the data.
func LogLikelihood(like expfam.Likelihood) (Quantity, error) {
	terms, err := like.Terms()
	if err != nil {
		return Quantity{}, fmt.Errorf("calibrate: %w", err)
	}
	return Quantity{"log-likelihood", func(obs expfam.Observations, _ *rand.Rand) func([]float64) float64 {
		var forward *expfam.Forward
		return func(x0 []float64) float64 {
			if forward == nil {
				forward = expfam.Must(terms.Forward(len(x0))) // the same one as in the simulation
			}
			return forward.LogLikSlope(x0, obs, make([]float64, len(x0)))
		}
	}}, nil
}

// TARP returns the quantity that is the distance of x₀ from a reference point, which every simulation draws from the
// prior (Lemos et al. 2023). The rank of the distance is the share of draws that are nearer to the reference point than
// the truth. The distribution of the ranks is the expected coverage of balls around the reference point, against their
// credibility level. TARP tests all cells together. Because the reference points do not depend on the data, a sampler
// that ignores the data passes TARP; it does not pass [LogLikelihood].
func TARP(reference expfam.Simulator) Quantity {
	return Quantity{"TARP", func(_ expfam.Observations, rng *rand.Rand) func([]float64) float64 {
		var point []float64
		return func(x0 []float64) float64 {
			if point == nil {
				point = make([]float64, len(x0))
				reference.Draw(rng, point)
			}
			var sum float64
			for j, x := range x0 {
				sum += (x - point[j]) * (x - point[j])
			}
			return math.Sqrt(sum)
		}
	}}
}

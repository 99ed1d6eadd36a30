package increments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
)

// Fit learns a [Mixture] from n simulated increments of a law. It estimates the weights of normal distributions on a
// grid of variances by maximum likelihood (Kiefer & Wolfowitz 1956), with the EM algorithm. It uses nothing of the law
// but its draws and its Spread, which is their unit. It assumes that the law is a scale mixture of normal distributions
// about 0.
//
// Draws enter through a histogram of log |u|. Its bins are so narrow that the densities are nearly constant inside a
// bin.
func Fit(law Law, n int, seed uint64) (*Mixture, error) {
	if n < 1000 {
		return nil, fmt.Errorf("increments: a mixture of %d draws; take at least 1000", n)
	}
	logs := floats.Span(make([]float64, fitNormals), fitLow, fitHigh)
	rng := expfam.Stream(seed, "increments/fit")
	counts := make(map[int]float64)
	for range n {
		u := math.Abs(law.Draw(rng)) / law.Spread()
		counts[int(math.Round(math.Log(math.Max(u, fitLeast))/fitBin))] += 1 / float64(n)
	}
	// density has the density of every bin under every normal distribution, up to a factor for each bin.
	density := make([][]float64, 0, len(counts))
	mass := make([]float64, 0, len(counts))
	for bin := range fitBins {
		share, ok := counts[bin+fitFirst]
		if !ok {
			continue
		}
		row, uu := make([]float64, len(logs)), math.Exp(2*fitBin*float64(bin+fitFirst))
		for k, l := range logs {
			row[k] = -(l + uu*math.Exp(-l)) / 2
		}
		floats.AddConst(-floats.Max(row), row)
		for k, v := range row {
			row[k] = math.Exp(v)
		}
		density, mass = append(density, row), append(mass, share)
	}
	if got := floats.Sum(mass); math.Abs(got-1) > 1e-9 {
		return nil, fmt.Errorf("increments: %.3g of the draws of %v are beyond the mixture's reach; check its Spread",
			1-got, law)
	}
	weights, next := make([]float64, len(logs)), make([]float64, len(logs))
	floats.AddConst(1/float64(len(logs)), weights)
	for range fitRounds {
		clear(next)
		for i, row := range density {
			f := mass[i] / floats.Dot(weights, row)
			for k, v := range row {
				next[k] += f * weights[k] * v
			}
		}
		weights, next = next, weights
	}
	m := &Mixture{Law: law, Draws: n, Seed: seed}
	for k, w := range weights {
		if w > fitNone {
			m.Weights, m.Variances = append(m.Weights, w), append(m.Variances, math.Exp(logs[k]))
		}
	}
	floats.Scale(1/floats.Sum(m.Weights), m.Weights)
	return m, nil
}

const (
	// The grid has fitNormals log variances from fitLow to fitHigh, in units of [Law.Spread] squared. The smallest
	// standard deviation is 5e-5, which no data distinguish from an atom, and the largest is 400.
	fitLow, fitHigh, fitNormals = -20, 12, 65
	// fitBin is the width of a bin of log |u|, and fitLeast the smallest |u|: smaller values are raised to it. fitFirst
	// is the index of the first bin, and fitBins the number of bins.
	fitBin, fitLeast  = 0.02, 1e-6
	fitFirst, fitBins = -691, 1400
	// fitRounds is the number of EM rounds. Weights up to fitNone are dropped.
	fitRounds, fitNone = 2000, 1e-6
)

package byhand

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Bend returns the derivative in x_t of a log evidence, which is a function of x₀ given x_t, as [Number.Nodes] has it.
// The evidence is computed on a grid of t and x_t, and its differences are the slopes.
func (n Number) Bend(logEvidence func(given []Node) float64) Slope {
	const times, places, reach = 120, 241, 6.0
	step := 2 * reach / (places - 1)
	slopes := make([][]float64, times+1)
	for k := range slopes {
		t := float64(max(k, 1)) / times // at t = 0 the slope is that of the first level above
		logs := make([]float64, places)
		for i := range logs {
			logs[i] = logEvidence(n.Nodes(step*float64(i)-reach, t))
		}
		slopes[k] = make([]float64, places)
		for i := range logs {
			low, high := max(i-1, 0), min(i+1, places-1)
			slopes[k][i] = (logs[high] - logs[low]) / (step * float64(high-low))
		}
	}
	return func(x, t float64) float64 {
		k, u := split(t*times, times)
		i, w := split((x+reach)/step, places-1)
		at := func(k int) float64 { return (1-w)*slopes[k][i] + w*slopes[k][i+1] }
		return (1-u)*at(k) + u*at(k+1)
	}
}

// split returns the cell of a grid of n cells that holds a place, and the share of the cell before the place.
func split(place float64, n int) (cell int, share float64) {
	place = min(max(place, 0), float64(n))
	cell = min(int(place), n-1)
	return cell, place - float64(cell)
}

// Gamma returns the shape a and the rate b of the gamma density with a mean and a mean logarithm: ψ(a) − log a =
// E log θ − log E θ, by Newton's method in log a. Of all gamma densities it is the closest to any density with these
// two means, in the divergence KL(p ‖ q).
func Gamma(mean, meanLog float64) (a, b float64) {
	gap := math.Log(mean) - meanLog // positive, by Jensen's inequality
	a = (3 - gap + math.Sqrt((gap-3)*(gap-3)+24*gap)) / (12 * gap)
	for range 6 {
		f := math.Log(a) - mathext.Digamma(a) - gap
		slope := 1 - a*trigamma(a) // d/d log a
		a *= math.Exp(-min(max(f/slope, -1), 1))
	}
	return a, a / mean
}

// trigamma is ψ′(a) = ζ(2, a).
func trigamma(a float64) float64 { return mathext.Zeta(2, a) }

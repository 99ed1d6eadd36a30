package joint

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// proposal is a density of the scores of the parameters. Its value at a point z of the lattice is interpolated from the
// weights of the nodes around it, linearly along each axis.
type proposal struct {
	*lattice
	weights map[[8]int]float64 // of the nodes, with the sum 1
	sums    []float64          // of the weights in the order of the nodes
	// sorted has the nodes by their coordinates, and sortedSums the sums of their weights, for [proposal.place].
	sorted     [][8]int
	sortedSums []float64
}

// freedom is the number of degrees of freedom of Student's t distribution with two standard deviations, from which a
// design proposes along each axis.
const freedom = 8. // a float: half of one more is no whole number

func newProposal(l *lattice) *proposal {
	logs := make([]float64, len(l.order))
	for i, z := range l.order {
		logs[i] = l.logs[z]
	}
	total := floats.LogSumExp(logs)
	p := &proposal{lattice: l, weights: map[[8]int]float64{}, sums: make([]float64, len(logs))}
	sum := 0.0
	for i, z := range l.order {
		p.weights[z] = math.Exp(logs[i] - total)
		sum += p.weights[z]
		p.sums[i] = sum
	}
	p.sorted, sum = slices.Clone(l.order), 0
	slices.SortFunc(p.sorted, func(a, b [8]int) int { return slices.Compare(a[:], b[:]) })
	for _, z := range p.sorted {
		sum += p.weights[z]
		p.sortedSums = append(p.sortedSums, sum)
	}
	return p
}

// draw returns a point of the lattice: a node by its weight, and a triangular deviation along each axis.
func (p *proposal) draw(rng *rand.Rand) []float64 {
	u := rng.Float64() * p.sums[len(p.sums)-1]
	i := 0
	for i < len(p.sums)-1 && p.sums[i] <= u {
		i++
	}
	z := make([]float64, len(p.centre))
	for k := range z {
		z[k] = float64(p.order[i][k]) + rng.Float64() + rng.Float64() - 1
	}
	return z
}

// log returns the log density at a point of the lattice, per volume of a node.
func (p *proposal) log(z []float64) float64 {
	n := len(z)
	var sum float64
	if p.split != nil {
		for k, s := range p.split {
			scale := s[0]
			if z[k] > 0 {
				scale = s[1]
			}
			sum -= math.Log(s[0]+s[1]) + (freedom+1)/2*math.Log1p(z[k]*z[k]/(freedom*scale*scale))
		}
		return sum
	}
	for corner := range 1 << n {
		var node [8]int
		share := 1.0
		for k, v := range z {
			low := math.Floor(v)
			node[k] = int(low)
			if corner>>k&1 == 1 {
				node[k]++
				share *= v - low
			} else {
				share *= 1 - (v - low)
			}
		}
		sum += share * p.weights[node]
	}
	return math.Log(sum)
}

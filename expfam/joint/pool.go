package joint

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

const (
	// mostSeconds is the time that the members of a pool may take under a sparse precision, mostDense their number at
	// largeCells dense ones, and leastMembers the least number of them all the same.
	mostSeconds, mostDense, leastMembers = 6, 1000, 64
	// mostPool is the memory of a pool in bytes, and fewestMembers the least number of members all the same.
	mostPool, fewestMembers = 1 << 30, 16
)

// pool has the values of the parameters that draws of many cells take, because coordinates at other values take a
// factorisation each. Members lie evenly under the proposal, and are chosen with probabilities in proportion to their
// Laplace evidence over the density of the proposal. Steps between members are accepted by the exact densities.
type pool struct {
	members []*candidate
	sums    []float64 // of the probabilities
	shift   float64   // of the places of draws
}

// newPool returns the pool of a run.
func (r *run) newPool(ctx context.Context) (*pool, error) {
	rng := expfam.Stream(r.o.Seed, "joint/pool")
	points := evenly(r.size(r.o.Draws), len(r.parameters)+1)
	for d := range points[0] { // other seeds have other members
		shift := rng.Float64()
		for _, u := range points {
			_, u[d] = math.Modf(u[d] + shift)
		}
	}
	all, errs := make([]*candidate, len(points)), make([]error, len(points))
	parallel.For(len(points), parallel.Heavy, func(i int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			all[i], errs[i] = r.candidate(r.proposal.place(points[i]))
		}
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("joint: %w before the first draw", expfam.ErrInterrupted)
	}
	p := &pool{shift: rng.Float64(), members: slices.DeleteFunc(all, func(c *candidate) bool {
		return c == nil || !finite(c.target.LogEvidence()+c.excess)
	})}
	if len(p.members) == 0 {
		if err := cmp.Or(errs...); err != nil {
			return nil, fmt.Errorf("joint: %w", err)
		}
		return nil, errNowhere
	}
	logs := make([]float64, len(p.members))
	for i, c := range p.members {
		logs[i] = c.target.LogEvidence() - c.target.LogScale() + c.excess
	}
	total, sum := floats.LogSumExp(logs), 0.0
	for i, c := range p.members {
		c.excess -= logs[i] - total
		sum += math.Exp(logs[i] - total)
		p.sums = append(p.sums, sum)
	}
	return p, nil
}

// size returns how many members the pool of so many draws has. For dense fields these take the same time at all sizes.
func (m *model) size(draws int) int {
	n := float64(m.cells)
	bytes, number := 24*n*n, mostDense*math.Pow(largeCells/n, 3)
	if m.sparse != nil {
		bytes, number = m.sparse.Held(), mostSeconds/m.sparse.Seconds()
	}
	return min(draws, max(fewestMembers, int(math.Min(mostPool/bytes, math.Max(leastMembers, number)))))
}

// pick returns the member at a place between 0 and 1.
func (p *pool) pick(place float64) *candidate {
	i, _ := slices.BinarySearch(p.sums, place*p.sums[len(p.sums)-1])
	return p.members[min(i, len(p.members)-1)]
}

// place returns where draw k starts: multiples of the golden section lie evenly.
func (p *pool) place(k int) float64 {
	_, place := math.Modf(p.shift + float64(k)/math.Phi)
	return place
}

// place returns the point of the lattice at a point of the unit cube, whose last coordinate chooses the node. Of even
// points it makes such that lie as under [proposal.draw].
func (p *proposal) place(u []float64) []float64 {
	if p.split != nil {
		return p.quantiles(u[:len(p.centre)])
	}
	z := make([]float64, len(p.centre))
	i, _ := slices.BinarySearch(p.sortedSums, u[len(z)]*p.sortedSums[len(p.sorted)-1])
	node := p.sorted[min(i, len(p.sorted)-1)]
	for k := range z {
		v := math.Sqrt(2*u[k]) - 1 // of a triangular distribution
		if u[k] > 0.5 {
			v = 1 - math.Sqrt(2*(1-u[k]))
		}
		z[k] = float64(node[k]) + v
	}
	return z
}

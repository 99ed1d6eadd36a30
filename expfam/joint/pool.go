package joint

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/speak"
)

const (
	// mostMembers and leastMembers bound the number of values of the parameters. Between them dense fields, of more
	// than denseCells cells, take the same time at all sizes, and sparse precisions take mostSeconds. Draws of at most
	// leaveCells cells leave the members.
	mostMembers, leastMembers, denseCells, mostSeconds, leaveCells = 200, 64, 190, 6, 150
	// mostPool is the memory of a pool in bytes, and fewestMembers the least number of members all the same.
	mostPool, fewestMembers = 1 << 30, 16
	// fixedSeconds, fixedMembers and mostFixed are those bounds where draws do not move between members, and heldBytes
	// is the memory that the members may take then. Where they need more, each is made twice.
	fixedSeconds, fixedMembers, mostFixed, heldBytes = 0.6, 24, 256, 1 << 25
)

// pool has the values of the parameters that draws take, because coordinates at other values take a factorisation each.
// Members lie evenly under the proposal, and are chosen with probabilities in proportion to their evidence over the
// density of the proposal. Steps between members are accepted by the exact densities.
type pool struct {
	members []*member
	sums    []float64 // of the probabilities
	shift   float64   // of the places of draws
}

// member has values of the parameters, and the field there.
type member struct {
	z, t, mode []float64
	target     target // nil where it does not stay in memory
	mean       []float64
	// logScale is what the log density of the target lacks of that of the joint posterior. The posterior's log density
	// is evidence by Laplace's approximation, and that of the proposal is proposed.
	logScale, evidence, proposed float64
	// excess is logScale less the log density of the proposal, and of the probability of the member.
	excess float64

	once sync.Once
	left atomic.Int64 // number of draws that begin here and are not made
	err  error
}

// newPool returns the pool of a run.
func (r *run) newPool(ctx context.Context) (*pool, error) {
	if len(r.parameters) == 0 {
		return &pool{members: []*member{{target: r.centre}}, sums: []float64{1}}, nil
	}
	rng := expfam.Stream(r.o.Seed, "joint/pool")
	n, held := r.size(r.moves == 0)
	points := evenly(n, len(r.parameters))
	for d := range points[0] { // other seeds have other members
		shift := rng.Float64()
		for _, u := range points {
			_, u[d] = math.Modf(u[d] + shift)
		}
	}
	parallel.For(n, parallel.Heavy, func(i int) { points[i] = r.proposal.place(points[i]) })
	r.proposal.match(points)
	all, errs := make([]*member, n), make([]error, n)
	search := speak.Search(ctx, "joint", "values of the parameters are weighed", "point", n)
	parallel.For(n, parallel.Heavy, func(i int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			all[i], errs[i] = r.member(points[i], held)
			search.Step(math.NaN())
		}
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("joint: %w while the parameters were weighed", expfam.ErrInterrupted)
	}
	p := &pool{shift: rng.Float64(), members: slices.DeleteFunc(all, func(c *member) bool { return c == nil })}
	if len(p.members) == 0 {
		if err := cmp.Or(errs...); err != nil {
			return nil, fmt.Errorf("joint: %w", err)
		}
		return nil, errNowhere
	}
	return p, nil
}

// weigh gives the members their probabilities.
func (p *pool) weigh() {
	logs := make([]float64, len(p.members))
	for i, c := range p.members {
		logs[i] = c.evidence - c.proposed
	}
	total, sum := floats.LogSumExp(logs), 0.0
	for i, c := range p.members {
		c.excess = c.logScale - c.proposed - logs[i] + total
		sum += math.Exp(logs[i] - total)
		p.sums = append(p.sums, sum)
	}
}

// size returns how many members a pool has, and whether all stay in memory.
func (m *model) size(fixed bool) (n int, held bool) {
	cells := float64(m.cells)
	rank := float64(m.rank())
	bytes, number := 24*cells*rank, mostMembers*math.Pow(denseCells, 3)/(cells*rank*rank)
	if m.sparse != nil {
		bytes, number = m.sparse.Held(), mostSeconds/m.sparse.Seconds()
	}
	if fixed {
		n = int(math.Min(math.Max(fixedSeconds/(4*m.sparse.Seconds()), fixedMembers), mostFixed))
		return n, float64(n)*m.sparse.Bytes() < heldBytes
	}
	number = math.Min(mostMembers, math.Max(leastMembers, number))
	return max(fewestMembers, int(math.Min(mostPool/bytes, number))), true
}

// evenly returns n points that fill the unit cube of p dimensions evenly: equal distances along the first axis, and
// multiples of powers of the root of g^p = g + 1 along the others (Roberts 2018).
func evenly(n, p int) [][]float64 {
	g := 2.
	for range 40 {
		g = math.Pow(1+g, 1/float64(p))
	}
	points := make([][]float64, n)
	for k := range points {
		points[k] = []float64{float64(k) / float64(n)}
		for i := range p - 1 {
			_, u := math.Modf(float64(k) / math.Pow(g, float64(i+1)))
			points[k] = append(points[k], u)
		}
	}
	return points
}

// member returns the field at a point of the lattice, or an error where the posterior has no density.
func (r *run) member(z []float64, held bool) (*member, error) {
	c := &member{z: z, t: r.proposal.at(z), proposed: r.proposal.log(z)}
	prior := law.LogDensity(c.t)
	if !finite(prior - c.proposed) {
		return nil, fmt.Errorf("the scores %.3g of the parameters are out of bounds", c.t)
	}
	if r.moves > 0 {
		target, err := r.target(c.t)
		if err != nil { // just outside of where the likelihood is finite
			return nil, err
		}
		c.target, c.logScale, c.evidence = target, target.LogScale()+prior, target.LogEvidence()+prior
	} else {
		a, err := r.mode(c.t)
		if err != nil {
			return nil, err
		}
		if c.evidence, c.mode = a.LogEvidence()+prior, a.Mode; held {
			c.target = a
		}
	}
	if !finite(c.evidence) {
		return nil, fmt.Errorf("the evidence of the scores %.3g of the parameters is %g", c.t, c.evidence)
	}
	return c, nil
}

// field returns the field at a member, and its mean where draws do not move to others.
func (r *run) field(c *member) (to target, mean []float64, err error) {
	c.once.Do(func() {
		if r.moves > 0 {
			return
		}
		a, _ := c.target.(*latent.Around)
		if a == nil {
			values := r.values(c.t)
			data, err := r.tuner(values[r.own:])
			if err == nil {
				a, err = r.sparse.Mode(context.Background(), values[:r.own], data, c.mode)
			}
			if c.err = err; err != nil {
				return
			}
		}
		if c.err = a.Whiten(); c.err == nil {
			c.mean, _ = a.Moments(nil)
			c.target = a
		}
	})
	return c.target, c.mean, c.err
}

// pick returns the member at a place between 0 and 1.
func (p *pool) pick(place float64) *member {
	i, _ := slices.BinarySearch(p.sums, place*p.sums[len(p.sums)-1])
	return p.members[min(i, len(p.members)-1)]
}

// place returns where draw k starts: multiples of the golden section lie evenly.
func (p *pool) place(k int) float64 {
	_, place := math.Modf(p.shift + float64(k)*math.Phi)
	return place
}

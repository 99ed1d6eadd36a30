package joint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

// BridgeRevision is part of the key of stored posteriors with draws of a [Bridge]. Raise it when a change of the code
// makes the same arguments give other draws.
const BridgeRevision = 2

// EachNode returns the number of draws of the field by which a node is weighed. Two constants have many nodes.
func EachNode(constants int) int { return 128 / constants }

// Bridge draws unknown constants c of a likelihood together with a field whose prior is known by a sampler alone. The
// sampler draws the field at nodes c_k, and the evidences Z_k = p(y | c_k) follow from the draws of all nodes,
//
//	Z_k = Σ_j p(y | x_j, c_k) / Σ_l (n_l/Z_l) p(y | x_j, c_l),
//
// with n_l draws at node l (Kong, McCullagh, Meng, Nicolae & Tan 2003, JRSS B 65; Shirts & Chodera 2008, J. Chem.
// Phys. 129). Only ratios of likelihoods enter. The nodes are a lattice of the scores of the constants with a spacing
// of at most one posterior standard deviation, on which sums are as good as integrals: a draw takes its field from node
// k with the probability π(c_k) Z_k. Then slice moves leave p(c | x₀, y) as it is, and the constants leave the nodes.
type Bridge struct {
	Constants []law.Parameter
	Tuner     func(values []float64) (latent.Data, error)
	// Given draws the field given values of the constants: n draws from number first on. Draw i of some values is
	// always the same.
	Given func(ctx context.Context, values []float64, first, n int) (*mat.Dense, error)
}

// Bridged are draws of the field, and of the constants in their own units.
type Bridged struct {
	X, Values *mat.Dense
	Nodes     int // number of places at which the field was drawn
	Fields    int // number of draws of the field that were made
}

// bridge is a Bridge at work.
type bridge struct {
	Bridge
	*lattice
	each    int // number of draws by which a node is weighed
	columns map[[8]int]*column
	all     []*column // those that are possible, in the order in which they were found
	filled  []*column // those with draws, in the order of the draws
	made    Bridged
}

// Draw makes draws o.First to o.First+o.Draws−1. Draw k depends on o.Seed and k alone.
func (b Bridge) Draw(ctx context.Context, o Options) (*Bridged, error) {
	w := &bridge{Bridge: b, each: EachNode(len(b.Constants)), columns: map[[8]int]*column{}}
	if err := w.search(ctx); err != nil {
		return nil, err
	}
	if err := w.spread(ctx); err != nil {
		return nil, err
	}
	return w.draw(ctx, o)
}

// values returns the constants at scores, in their own units.
func (b *bridge) values(t []float64) []float64 { return law.Values(b.Constants, t) }

// field draws the field at scores.
func (b *bridge) field(ctx context.Context, t []float64, first, n int) (*mat.Dense, error) {
	values := b.values(t)
	x, err := b.Given(ctx, values, first, n)
	if err == nil {
		b.made.Fields += n
		if first == 0 {
			b.made.Nodes++
		}
	} else if !errors.Is(err, expfam.ErrInterrupted) {
		var at []string
		for k, p := range b.Constants {
			at = append(at, fmt.Sprintf("%s %.3g", p.Name, values[k]))
		}
		err = fmt.Errorf("joint: at %s: %w", strings.Join(at, " and "), err)
	}
	return x, err
}

// draw takes the field of each draw from a node, and moves the constants. The nodes come in the order of multiples of
// the golden ratio, whose shares are nearer to the weights than those of random numbers.
func (b *bridge) draw(ctx context.Context, o Options) (*Bridged, error) {
	weights := make([]float64, len(b.filled))
	for k, c := range b.filled {
		weights[k] = c.weight()
	}
	total := floats.LogSumExp(weights)
	for k, v := range weights {
		weights[k] = math.Exp(v - total)
	}
	floats.CumSum(weights, weights)
	from, number, taken := make([]*column, o.Draws), make([]int, o.Draws), map[*column]int{}
	phase := expfam.Stream(o.Seed, "joint/nodes").Float64()
	for k := range o.First + o.Draws {
		if k == o.First {
			for _, c := range b.filled {
				c.first = max(c.n, taken[c]/b.each*b.each)
			}
		}
		_, u := math.Modf(phase + float64(k)*math.Phi)
		c := b.filled[sort.Search(len(weights)-1, func(i int) bool { return weights[i] > u })]
		if k >= o.First {
			from[k-o.First], number[k-o.First] = c, taken[c]
		}
		taken[c]++
	}
	for _, c := range b.filled {
		if taken[c] > c.first {
			var err error
			if c.more, err = b.field(ctx, c.t, c.first, taken[c]-c.first); err != nil {
				return nil, err
			}
		}
	}
	_, cells := b.filled[0].x.Dims()
	out := b.made
	out.X, out.Values = mat.NewDense(o.Draws, cells, nil), mat.NewDense(o.Draws, len(b.Constants), nil)
	parallel.For(o.Draws, parallel.Heavy, func(i int) {
		c, row := from[i], out.X.RawRowView(i)
		if k := number[i]; k < c.n {
			copy(row, c.x.RawRowView(k))
		} else {
			copy(row, c.more.RawRowView(k-c.first))
		}
		t := b.move(c.t, row, expfam.Stream(o.Seed, fmt.Sprintf("joint/draw-%d", o.First+i)))
		out.Values.SetRow(i, b.values(t))
	})
	return &out, nil
}

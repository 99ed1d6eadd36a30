package joint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/law"
)

// BridgeRevision is part of the key of stored posteriors with draws of a [Bridge]. Raise it when a change of the code
// makes the same arguments give other draws.
const BridgeRevision = 1

const (
	// EachNode is the number of draws of the field by which a node is weighed.
	EachNode = 128
	// mostBridged bounds the number of nodes of a [Bridge].
	mostBridged = 300
	// apart is the distance of its nodes, in posterior standard deviations along the principal axes. It is at most
	// overlap standard deviations given the field, so that draws of a node tell about the next.
	apart, overlap = 1, 2
	// reach is how far the log density of a node may lie below that of the best.
	reach = 6
	// needed is how far the log density of a node may lie below the best if the posterior cannot do without it.
	needed = 4
	// sweeps is the number of slice moves along each axis that the constants of a draw take.
	sweeps = 4
)

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
	Tuner     *expfam.Tuner
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
	columns map[[8]int]*column
	all     []*column // those that are possible, in the order in which they were found
	filled  []*column // those with draws, in the order of the draws
	made    Bridged
}

// column is a node, with the log-likelihoods of the draws of all nodes under its constants.
type column struct {
	z        [8]int
	t        []float64
	data     expfam.LogLikelihood
	n        int        // number of own draws by which nodes are weighed, 0 or EachNode
	x, more  *mat.Dense // own draws, and those from number first on
	first    int
	logs     []float64
	evidence float64 // log Z
	refused  bool    // by the sampler
}

// weight returns the log posterior density of the node.
func (c *column) weight() float64 { return c.evidence + logPrior(c.t) }

// Draw makes draws o.First to o.First+o.Draws−1. Draw k depends on o.Seed and k alone.
func (b Bridge) Draw(ctx context.Context, o Options) (*Bridged, error) {
	w := &bridge{Bridge: b, columns: map[[8]int]*column{}}
	if err := w.search(ctx); err != nil {
		return nil, err
	}
	if err := w.spread(ctx); err != nil {
		return nil, err
	}
	return w.draw(ctx, o)
}

// values returns the constants at scores, in their own units.
func (b *bridge) values(t []float64) []float64 {
	v := make([]float64, len(t))
	for k, p := range b.Constants {
		v[k] = law.At(p.Law, t[k])
	}
	return v
}

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

// logLiks returns the log-likelihood of each draw.
func logLiks(data expfam.LogLikelihood, x *mat.Dense) []float64 {
	n, cells := x.Dims()
	out := make([]float64, n)
	parallel.For(n, cells*20, func(i int) { out[i] = data.LogLikSlope(x.RawRowView(i), make([]float64, cells)) })
	return out
}

// visit finds the column of a node. The first call evaluates all draws there.
func (b *bridge) visit(z [8]int) *column {
	if c, found := b.columns[z]; found {
		return c
	}
	c := &column{z: z, t: b.node(z)}
	b.columns[z] = c
	var err error
	if c.data, err = b.Tuner.At(b.values(c.t)); err != nil || math.IsInf(logPrior(c.t), -1) {
		return c
	}
	for _, f := range b.filled {
		c.logs = append(c.logs, logLiks(c.data, f.x)...)
	}
	b.all = append(b.all, c)
	return c
}

// keep adds the draws of a node.
func (b *bridge) keep(c *column, x *mat.Dense) {
	c.n, _ = x.Dims()
	c.x = x
	b.filled = append(b.filled, c)
	for _, other := range b.all {
		other.logs = append(other.logs, logLiks(other.data, x)...)
	}
}

// weigh finds the evidences of all columns, by the equations of [Bridge] as they stand.
func (b *bridge) weigh() {
	draws, first := len(b.all[0].logs), slices.Index(b.all, b.filled[0])
	ratio := mat.NewDense(draws, len(b.all), nil) // p(y | x_j, c_k), each row over its largest at a node with draws
	for j := range draws {
		top := math.Inf(-1)
		for _, c := range b.filled {
			top = math.Max(top, c.logs[j])
		}
		for k, c := range b.all {
			ratio.Set(j, k, math.Exp(c.logs[j]-top))
		}
	}
	share := mat.NewVecDense(len(b.all), nil) // n_l/Z_l
	var mixture, sums mat.VecDense
	for range 10000 {
		for k, c := range b.all {
			share.SetVec(k, float64(c.n)*math.Exp(-c.evidence))
		}
		mixture.MulVec(ratio, share)
		for j := range draws {
			mixture.SetVec(j, 1/mixture.AtVec(j))
		}
		sums.MulVec(ratio.T(), &mixture)
		change := 0.0
		for k, c := range b.all {
			next := math.Log(sums.AtVec(k) / sums.AtVec(first))
			if c.n > 0 {
				change = math.Max(change, math.Abs(next-c.evidence))
			}
			c.evidence = next
		}
		if change < 1e-6 {
			return
		}
	}
}

// spread draws the field at all nodes that count, a ring after the other. The draws of its neighbours tell whether a
// node does.
func (b *bridge) spread(ctx context.Context) error {
	for fresh := 1; fresh > 0; {
		for _, c := range slices.Clone(b.filled) {
			for k := range b.centre {
				for _, s := range []int{-1, 1} {
					z := c.z
					z[k] += s
					b.visit(z)
				}
			}
		}
		b.weigh()
		top := math.Inf(-1)
		for _, c := range b.filled {
			top = math.Max(top, c.weight())
		}
		fresh = 0
		for _, c := range slices.Clone(b.all) {
			if c.n > 0 || c.refused || c.weight() < top-reach {
				continue
			}
			x, err := b.field(ctx, c.t, 0, EachNode)
			if err != nil {
				if ctx.Err() != nil || errors.Is(err, expfam.ErrInterrupted) || c.weight() > top-needed {
					return err
				}
				c.refused = true // the posterior has next to nothing there
				continue
			}
			b.keep(c, x)
			fresh++
		}
		if len(b.filled) > mostBridged {
			return fmt.Errorf("joint: the posterior of the constants is spread over more than %d nodes; give some of "+
				"them, or laws that say more", mostBridged)
		}
	}
	return nil
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
				c.first = max(c.n, taken[c]/EachNode*EachNode)
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

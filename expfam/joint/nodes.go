package joint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

const (
	// mostBridged bounds the number of nodes of a [Bridge].
	mostBridged = 300
	// apart is the distance of its nodes, in posterior standard deviations along the principal axes. It is at most
	// overlap standard deviations given the field, so that draws of a node tell about the next.
	apart, overlap = 1, 2
	// reach is how far the log density of a node may lie below that of the best.
	reach = 6
	// needed is how far the log density of a node may lie below the best if the posterior cannot do without it.
	needed = 4
)

// column is a node, with the log-likelihoods of the draws of all nodes under its constants.
type column struct {
	z        [8]int
	t        []float64
	data     latent.Data
	n        int        // number of own draws by which nodes are weighed, or 0
	x, more  *mat.Dense // own draws, and those from number first on
	first    int
	logs     []float64
	evidence float64 // log Z
	refused  bool    // by the sampler
}

// weight returns the log posterior density of the node.
func (c *column) weight() float64 { return c.evidence + law.LogDensity(c.t) }

// logLiks returns the log-likelihood of each draw.
func logLiks(data latent.Data, x *mat.Dense) []float64 {
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
	if c.data, err = b.Tuner(b.values(c.t)); err != nil || math.IsInf(law.LogDensity(c.t), -1) {
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
			x, err := b.field(ctx, c.t, 0, b.each)
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

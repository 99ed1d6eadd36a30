package diffusion

import (
	"context"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/ownkind"
)

// smoothed evaluates the mean of x₀ | x_s, and products with its Jacobian.
type smoothed struct{ exec *Exec }

func (s *smoothed) close() {
	if s.exec != nil {
		s.exec.Finalize()
		s.exec = nil
	}
}

// pairs are draws with the noise e and −e, (draws, cells).
type pairs struct {
	noise      *mat.Dense // e
	score      *mat.Dense // the average of σ of [Certify] over both
	difference *mat.Dense // (m(x₀ + s e) − m(x₀ − s e))/(2 s)
}

// evaluate evaluates the prior at the draws x with noise of level s and slopes of the log-likelihood. The noise of
// draw k depends on k alone.
func (c *certifier) evaluate(ctx context.Context, x, slope *mat.Dense, s float64) (*pairs, error) {
	draws, d := x.Dims()
	if err := c.compile(); err != nil {
		return nil, err
	}
	out := &pairs{mat.NewDense(draws, d, nil), mat.NewDense(draws, d, nil), mat.NewDense(draws, d, nil)}
	for i := range draws {
		rng := expfam.Stream(0, fmt.Sprintf("certificate/%d", i))
		for j := range d {
			out.noise.Set(i, j, rng.NormFloat64())
		}
	}
	level := expfam.LevelAt(s)
	in, pull := make([]float64, c.block*d), make([]float64, c.block*d)
	for first := 0; first < 2*draws; first += c.block { // evaluations 2i and 2i + 1 are those of draw i
		if ctx.Err() != nil {
			return nil, fmt.Errorf("certify: %w after %d of %d draws", expfam.ErrInterrupted, first/2, draws)
		}
		n := min(c.block, 2*draws-first)
		for b := range n {
			i, sign := (first+b)/2, s*float64(1-2*((first+b)%2))
			for j, v := range x.RawRowView(i) {
				in[b*d+j] = level.SqrtAlpha * (v + sign*out.noise.At(i, j))
			}
			if slope != nil {
				copy(pull[b*d:(b+1)*d], slope.RawRowView(i))
			}
		}
		mean, product, _, err := c.call(in, pull, level)
		if err != nil {
			return nil, err
		}
		for b := range n {
			i, half := (first+b)/2, 0.5
			sign := 1 - 2*float64((first+b)%2)
			score, difference := out.score.RawRowView(i), out.difference.RawRowView(i)
			for j := range d {
				m := mean[b*d+j]
				score[j] += half * (m - x.At(i, j) + product[b*d+j]) / (s * s) // the noise of both cancels
				difference[j] += sign * m / (2 * s)
			}
		}
	}
	return out, nil
}

// compile builds the graph of the mean m at x_s, of C times a vector, and of the variances of the cells.
func (c *certifier) compile() (err error) {
	if c.exec != nil {
		return nil
	}
	c.exec, err = NewExec(c.sampler.Engine.Backend, func(args []*Node) []*Node {
		p := &Point{X: args[0], Level: expfam.LevelNodes{SqrtAlpha: args[2], V: args[3]}}
		p.Mean, p.Var = ownkind.Moments(c.prior, p.X, func() (mean, variance *Node) {
			return c.prior.Moments(p.X, p.Level)
		})
		return []*Node{p.Mean, p.Cov(args[1]), BroadcastToDims(p.Var, p.Mean.Shape().Dimensions...)}
	})
	if err != nil {
		return fmt.Errorf("certify: the moments of %v: %w", c.prior, err)
	}
	return nil
}

// call returns m, C q and the variances of the cells for a block.
func (c *certifier) call(x, q []float64, level expfam.Level) (mean, product, variance []float64, err error) {
	dtype, d := c.sampler.DType, c.prior.Dim()
	if dtype == dtypes.InvalidDType {
		dtype = dtypes.Float32
	}
	args := []*tensors.Tensor{tensorAs(dtype, x, c.block, d), tensorAs(dtype, q, c.block, d),
		tensorAs(dtype, []float64{level.SqrtAlpha}, 1, 1), tensorAs(dtype, []float64{level.V}, 1, 1)}
	got, err := c.sampler.Engine.Call(c.exec, arguments(args)...)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("certify: %w", err)
	}
	for k, to := range []*[]float64{&mean, &product, &variance} {
		if *to, err = doubles(got[k]); err != nil {
			return nil, nil, nil, err
		}
	}
	return mean, product, variance, engine.Release(append(args, got...)...)
}

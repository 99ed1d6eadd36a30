package diffusion

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/level"
)

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
	out := &pairs{mat.NewDense(draws, d, nil), mat.NewDense(draws, d, nil), mat.NewDense(draws, d, nil)}
	for i := range draws {
		noiseOf(i, out.noise.RawRowView(i))
	}
	at := level.At(s)
	in, pull := make([]float64, c.block*d), make([]float64, c.block*d)
	for first := 0; first < 2*draws; first += c.block { // evaluations 2i and 2i + 1 are those of draw i
		if ctx.Err() != nil {
			return nil, fmt.Errorf("certify: %w after %d of %d draws", expfam.ErrInterrupted, first/2, draws)
		}
		n := min(c.block, 2*draws-first)
		for b := range n {
			i, sign := (first+b)/2, s*float64(1-2*((first+b)%2))
			for j, v := range x.RawRowView(i) {
				in[b*d+j] = at.SqrtAlpha * (v + sign*out.noise.At(i, j))
			}
			if slope != nil {
				copy(pull[b*d:(b+1)*d], slope.RawRowView(i))
			}
		}
		got, err := c.call(&c.products, at, in, pull)
		if err != nil {
			return nil, fmt.Errorf("certify: %w", err)
		}
		mean, product := got[0], got[2]
		for b := range n {
			i, sign := (first+b)/2, 1-2*float64((first+b)%2)
			score, difference := out.score.RawRowView(i), out.difference.RawRowView(i)
			for j := range d {
				m := mean[b*d+j]
				score[j] += 0.5 * (m - x.At(i, j) + product[b*d+j]) / (s * s) // the noise of both cancels
				difference[j] += sign * m / (2 * s)
			}
		}
	}
	return out, nil
}

// noiseOf writes the noise of a draw.
func noiseOf(draw int, to []float64) {
	rng := expfam.Stream(0, fmt.Sprintf("certificate/%d", draw))
	for j := range to {
		to[j] = rng.NormFloat64()
	}
}

// means writes the mean m at each x_s into to, which it makes.
func (c *certifier) means(ctx context.Context, to, x *mat.Dense, s float64) error {
	draws, d := x.Dims()
	to.CloneFrom(x)
	at := level.At(s)
	return c.each(batchCount(draws, c.block), func(worker, k int) error {
		first := k * c.block
		if ctx.Err() != nil {
			return fmt.Errorf("certify: %w after %d of %d draws", expfam.ErrInterrupted, first, draws)
		}
		n, in := min(c.block, draws-first), make([]float64, c.block*d)
		for b := range n {
			floats.ScaleTo(in[b*d:(b+1)*d], at.SqrtAlpha, x.RawRowView(first+b))
		}
		got, err := c.call(&c.mean[worker], at, in)
		if err != nil {
			return fmt.Errorf("certify: %w", err)
		}
		for b := range n {
			copy(to.RawRowView(first+b), got[0][b*d:(b+1)*d])
		}
		return nil
	})
}

// pure returns the mean and the variances of the cells under the prior.
func (c *certifier) pure() (mean, variance []float64, err error) {
	d := c.prior.Dim()
	var got [][]float64
	err = c.each(1, func(worker, _ int) (err error) {
		got, err = c.call(&c.mean[worker], level.At(pureNoise), atPureNoise(c.prior, c.block))
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("certify: %w", err)
	}
	return averageOfRows(got[0], d), averageOfRows(got[1], d), nil
}

// each does the work on all blocks, spread over the workers.
func (c *certifier) each(blocks int, work func(worker, k int) error) error {
	workers := min(c.sampler.Engine.Workers(), blocks)
	for len(c.mean) < workers {
		c.mean = append(c.mean, nil)
	}
	return parallel.Each(workers, blocks, work)
}

package diffusion

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/whitened"
)

const (
	// leastOfImages is the smallest number of draws of images of which there is a certificate, and drawsOfMode the
	// smallest number for each direction. Of twice enoughOfImages draws or more, so many are looked at.
	leastOfImages, drawsOfMode, enoughOfImages = 40, 4, 100
	// mostOfImages is the largest number of directions.
	mostOfImages = 25
	// imageNoise and imageLower are the noise levels of a certificate, in standard deviations of the prior. At lower
	// levels the error of a network counts more. At higher ones x₀ | x_s is not normal; see docs/certificate.md.
	imageNoise, imageLower = 1.0 / 3, 1.0 / 6
)

// certifyImages certifies draws of images along their coarsest cosines, by the score at two levels of noise. A network
// of images is off by another amount at each image, of which draws of the prior say nothing. By as much as its scores
// at the two levels say different things of the same draws, at least one of them is off. The argument slope has the
// slopes of the log-likelihood at the draws.
func (c *certifier) certifyImages(ctx context.Context, post *expfam.Posterior, obs expfam.Observations,
	slope *mat.Dense) (*expfam.Certificate, error) {
	if draws, d := post.Dims(); draws >= 2*enoughOfImages && post.Info.Chains <= 1 {
		x, pull := mat.NewDense(enoughOfImages, d, nil), mat.NewDense(enoughOfImages, d, nil)
		for i := range enoughOfImages {
			x.SetRow(i, post.X.RawRowView(i*draws/enoughOfImages))
			pull.SetRow(i, slope.RawRowView(i*draws/enoughOfImages))
		}
		post, slope = &expfam.Posterior{X: x, Likelihood: post.Likelihood}, pull
	}
	draws, d := post.Dims()
	rows, cols := c.prior.(expfam.Lattice).Lattice()
	mean, variance, err := c.pure()
	if err != nil {
		return nil, err
	}
	scale := math.Sqrt(floats.Sum(variance) / float64(d))
	if r, ok := c.prior.(expfam.Ranged); ok {
		if low, _ := r.Range(); low > imageLower*scale {
			return nil, fmt.Errorf("certify: %v serves noise from %.3g on, and its certificate needs %.3g; train it "+
				"for lower noise", c.prior, low, imageLower*scale)
		}
	}
	b, cosines := &basis{Mean: mean}, whitened.Cosines(rows, cols, min(mostOfImages, draws/drawsOfMode))
	for k := range cosines.RawMatrix().Cols {
		b.Modes = append(b.Modes, mat.Col(nil, k, cosines))
	}
	z := b.along(post.X)
	for k := range b.Modes { // about the prior's mean, which is wide enough where the data say little
		m, v := stat.MeanVariance(mat.Col(nil, k, z), nil)
		b.Variance = append(b.Variance, m*m+v)
	}
	scores := expfam.Scores{Mean: b.Mean, L: b.columns(0.5), Dual: b.columns(-0.5), Sigma: imageNoise * scale,
		OtherSigma: imageLower * scale}
	scores.Directions = fmt.Sprintf("the %d coarsest cosines, at noise of %.2g and %.2g", len(b.Modes), scores.Sigma,
		scores.OtherSigma)
	for _, level := range []struct {
		sigma float64
		to    **mat.Dense
	}{{scores.Sigma, &scores.Values}, {scores.OtherSigma, &scores.Other}} {
		pairs, err := c.evaluate(ctx, post.X, slope, level.sigma)
		if err != nil {
			return nil, err
		}
		if *level.to, err = b.scores(pairs); err != nil {
			return nil, err
		}
	}
	return post.CertifyScores(obs, scores)
}

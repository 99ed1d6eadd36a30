package diffusion

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// leastOfImages is the smallest number of draws of images of which there is a certificate, and drawsOfMode the
	// smallest number for each direction. Of twice enoughOfImages draws or more, so many are looked at.
	leastOfImages, drawsOfMode, enoughOfImages = 40, 4, 100
	// mostOfImages is the largest number of directions.
	mostOfImages = 25
	// mostPull is the largest mean square of a move by the slope of the log-likelihood, in units of the noise, that two
	// evaluations of a draw have room for; see [certifier.moved].
	mostPull = 0.75
	// imageNoise and imageLower are the noise levels of a certificate, in standard deviations of the prior. At lower
	// levels the error of a network counts more. At higher ones x₀ | x_s is not normal; see docs/certificate.md.
	imageNoise, imageLower = 1.0 / 3, 1.0 / 6
	// everyLower is 2 because every second draw is evaluated at the lower level.
	everyLower = 2
)

// certifyImages certifies draws of images along their coarsest cosines, by the score at two levels of noise. A network
// of images is off by another amount at each image, of which draws of the prior say nothing. By as much as its scores
// at the two levels say different things of the same draws, at least one of them is off. The argument slope has the
// slopes of the log-likelihood at the draws.
func (c *certifier) certifyImages(ctx context.Context, post *expfam.Posterior, obs expfam.Observations,
	slope *mat.Dense) (*expfam.Certificate, error) {
	if draws, d := post.Dims(); draws >= 2*enoughOfImages && post.Info.Chains == 0 {
		x, pull := mat.NewDense(enoughOfImages, d, nil), mat.NewDense(enoughOfImages, d, nil)
		for i := range enoughOfImages {
			x.SetRow(i, post.X.RawRowView(i*draws/enoughOfImages))
			pull.SetRow(i, slope.RawRowView(i*draws/enoughOfImages))
		}
		post, slope = &expfam.Posterior{X: x, Likelihood: post.Likelihood}, pull
	}
	draws, _ := post.Dims()
	rows, cols := c.prior.(expfam.Lattice).Lattice()
	mean, scale, err := c.ofPrior()
	if err != nil {
		return nil, err
	}
	if r, ok := c.prior.(expfam.Ranged); ok {
		if low, _ := r.Range(); low > imageLower*scale {
			return nil, fmt.Errorf("certify: %v serves noise from %.3g on, and its certificate needs %.3g; train it "+
				"for lower noise", c.prior, low, imageLower*scale)
		}
	}
	b, cosines := &basis{Mean: mean}, latent.Cosines(rows, cols, min(mostOfImages, draws/drawsOfMode))
	for k := range cosines.RawMatrix().Cols {
		b.Modes = append(b.Modes, mat.Col(nil, k, cosines))
	}
	z := b.along(post.X)
	for k := range b.Modes { // about the prior's mean, which is wide enough where the data say little
		m, v := stat.MeanVariance(mat.Col(nil, k, z), nil)
		b.Variance = append(b.Variance, m*m+v)
	}
	scores := traits.Scores{Mean: b.Mean, L: b.columns(0.5), Dual: b.columns(-0.5), Sigma: imageNoise * scale,
		OtherSigma: imageLower * scale}
	scores.Directions = fmt.Sprintf("the %d coarsest cosines, at noise of %.2g and %.2g", len(b.Modes), scores.Sigma,
		scores.OtherSigma)
	pairs, err := c.moved(ctx, post.X, slope, scores.Sigma, 1)
	if err != nil {
		return nil, err
	}
	if scores.Values, err = b.scores(pairs); err != nil {
		return nil, err
	}
	lower, err := c.moved(ctx, post.X, slope, scores.OtherSigma, everyLower)
	if err != nil {
		return nil, err
	}
	if scores.Other, err = b.scores(lower); err != nil {
		return nil, err
	}
	out, err := post.CertifyScores(obs, scores)
	if err != nil {
		return nil, err
	}
	// Both levels look at the same draws. What they say differs by the network's error.
	width, se := texture(post.X, pairs, rows, cols, 1)
	low, lowSE := texture(post.X, lower, rows, cols, everyLower)
	out.Texture, out.TextureSE = (width+low)/2, math.Hypot(se+lowSE, width-low)/2
	return out, nil
}

// ofPrior returns the mean of the prior and its standard deviation, the root mean square over the cells.
func (c *certifier) ofPrior() (mean []float64, sd float64, err error) {
	if c.moments != nil {
		return c.moments.mean, rms(c.moments.sd), nil
	}
	mean, variance, err := c.pure()
	return mean, math.Sqrt(floats.Sum(variance) / float64(c.prior.Dim())), err
}

// moved is [certifier.evaluate] of every n-th draw, without products with the Jacobian. Two evaluations of a draw x
// with the slope g of its log-likelihood are at x ± a e + s² g, and m is nearly linear between them, so that
//
//	σ = (m(x + a e + s² g)/2 + m(x − a e + s² g)/2 − x)/s².
//
// With a² = s² − s⁴ |g|²/d the whole move is as large as noise of level s. Precise data have too large a slope for
// this, and a third evaluation: J g is a difference of means at x + s e ± h g.
func (c *certifier) moved(ctx context.Context, x, slope *mat.Dense, s float64, n int) (*pairs, error) {
	draws, d := x.Dims()
	some := (draws + n - 1) / n
	out := &pairs{mat.NewDense(some, d, nil), mat.NewDense(some, d, nil), mat.NewDense(some, d, nil)}
	type evaluation struct {
		draw          int
		noise, pull   float64 // how far x is moved along e and g
		mean, product float64 // its weights in m(x) + s² J g, and in J e
	}
	var all []evaluation
	for i := range some {
		noiseOf(i*n, out.noise.RawRowView(i))
		g := slope.RawRowView(i * n)
		if pull := s * s * floats.Dot(g, g) / float64(d); pull <= mostPull {
			a := s * math.Sqrt(1-pull)
			all = append(all, evaluation{i, a, s * s, 0.5, 0.5 / a}, evaluation{i, -a, s * s, 0.5, -0.5 / a})
		} else {
			h := s * s / (2 * math.Sqrt(pull))
			by := s * s / (2 * h)
			all = append(all, evaluation{i, s, h, 0.25 + by, 0.25 / s}, evaluation{i, s, -h, 0.25 - by, 0.25 / s},
				evaluation{i, -s, 0, 0.5, -0.5 / s})
		}
	}
	at, mean := mat.NewDense(len(all), d, nil), new(mat.Dense)
	for k, e := range all {
		row := at.RawRowView(k)
		floats.AddScaledTo(row, x.RawRowView(e.draw*n), e.noise, out.noise.RawRowView(e.draw))
		floats.AddScaled(row, e.pull, slope.RawRowView(e.draw*n))
	}
	if err := c.means(ctx, mean, at, s); err != nil {
		return nil, err
	}
	for k, e := range all {
		floats.AddScaled(out.score.RawRowView(e.draw), e.mean, mean.RawRowView(k))
		floats.AddScaled(out.difference.RawRowView(e.draw), e.product, mean.RawRowView(k))
	}
	for i := range some {
		floats.Sub(out.score.RawRowView(i), x.RawRowView(i*n))
	}
	out.score.Scale(1/(s*s), out.score)
	return out, nil
}

// texture returns the standard deviation of draws over that of the posterior, with its standard error, on average over
// the cosines of a lattice whose frequency is at least half of the highest along the rows or the columns. With the
// projection F onto these, and evaluations of every n-th draw, Stein's identity makes the mean of
//
//	−(x − E x)ᵀ F σ − eᵀ F J e
//
// zero if the draws are right. If they are w times as wide, the first term is w² times the second on average.
func texture(x *mat.Dense, m *pairs, rows, cols, n int) (width, se float64) {
	down, across := latent.Cosines(rows, 1, (rows+1)/2), latent.Cosines(1, cols, (cols+1)/2)
	coarse := func(values []float64) []float64 {
		var out mat.Dense
		out.Product(down.T(), mat.NewDense(rows, cols, values), across)
		return out.RawMatrix().Data
	}
	fine := func(a, b []float64) float64 { return floats.Dot(a, b) - floats.Dot(coarse(a), coarse(b)) } // aᵀFb
	draws, cells := m.score.Dims()
	mean := make([]float64, cells)
	for i := range draws {
		floats.AddScaled(mean, 1/float64(draws), x.RawRowView(i*n))
	}
	seen, right := make([]float64, draws), make([]float64, draws)
	centred, degrees := make([]float64, cells), 1-1/float64(draws)
	for i := range draws {
		floats.SubTo(centred, x.RawRowView(i*n), mean)
		seen[i] = -fine(centred, m.score.RawRowView(i)) / degrees
		right[i] = fine(m.noise.RawRowView(i), m.difference.RawRowView(i))
	}
	square, unit := stat.Mean(seen, nil), stat.Mean(right, nil)
	width = math.Sqrt(max(0, square/unit))
	floats.AddScaled(seen, -width*width, right)
	return width, stat.StdErr(stat.StdDev(seen, nil), float64(draws)) / (2 * unit * max(width, 0.1))
}

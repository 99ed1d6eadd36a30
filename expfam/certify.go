package expfam

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/internal/certify"
)

const (
	// mostModes is the largest number of modes of a certificate: the coarsest.
	mostModes = 128
	// leastVariance is the variance of a mode of the prior, as a share of the largest, from which a certificate has it.
	leastVariance = 1e-6
	// certified is the largest number of numbers, draws times cells, that a certificate takes.
	certified = 1 << 21
	// farScore is the score in a mode, in its standard deviations, from which a draw lies where the posterior has
	// practically no mass. The score of the steepest likelihoods, exp(x) beside a wide prior, exceeds it with a
	// probability of e⁻⁵⁰.
	farScore = 50
)

// Certify compares the draws with the posterior of a Gaussian prior and the observations, and returns the certificate.
// The directions are modes z = Dᵀ(x₀ − μ) that are N(0, I) under the prior, with L = K D, in combinations u whose
// scores are uncorrelated:
//
//	s_z = −z + Lᵀ ∇ log p(y | x₀),  E[s_z s_zᵀ] ≈ J = I + LᵀHᵀWHL = R Rᵀ,  s_u = R⁻¹ s_z,
//
// with the informations W of the data, medians over draws. In s_u and w = Rᵀ z both identities of [Certificate]
// hold with a·b = 1 for the same mode and 0 for two modes. R is triangular, so that the coarsest w is the coarsest z
// up to its scale. Draws of chains count by their effective number.
//
// Where the modes of the prior are known, the directions are its 128 coarsest modes. Another prior with the methods
// Mean() []float64 and Multiply of [Linear] has the coarsest cosines of its cells, orthonormal under its covariance.
func (p *Posterior) Certify(prior any, obs Observations) (*Certificate, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
	draws, _ := p.Dims()
	return p.CertifyEach(obs, make([]int, draws), func(int) any { return prior })
}

// CertifyEach is [Posterior.Certify] of draws whose priors differ, such as those of a field with unknown
// hyperparameters given these: draw i has the prior number which[i]. The function prior is called by several
// goroutines. Draws whose likelihoods differ, by unknown constants, have priors with a method Data() latent.Data. The
// likelihood of the posterior and obs are then typical of them.
//
// The identities hold given the numbers of each draw, so D, W and R are those of its own numbers. W is taken at the
// mean x̄ of other draws whose Parameters are similar, and w is taken about it: a draw with a small sd of the data has
// scores as large as its W, and its own place, so that a common W or mean would make the products heavy-tailed.
func (p *Posterior) CertifyEach(obs Observations, which []int, prior func(number int) any) (*Certificate, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
	draws, cells := p.Dims()
	if err := certify.Enough(draws); err != nil {
		return nil, err
	}
	if len(which) != draws {
		return nil, fmt.Errorf("certify: %d draws with %d numbers of priors; give a number for each", draws, len(which))
	}
	f, err := p.seen(obs)
	if err != nil {
		return nil, err
	}
	chains := p.Info.Chains
	c := &comparison{x: p.X, chains: chains, which: which, data: f.LogLikelihood(obs), prior: prior}
	for _, q := range p.Parameters {
		if len(q.Draws) == draws {
			c.parameters = append(c.parameters, ranks(q.Draws))
		}
	}
	if each := 1 + draws*cells/certified; each > 1 && draws/each >= 8 {
		c.thin(each)
	}
	position, score, err := c.standardised()
	if err != nil {
		return nil, err
	}
	out, found := compare(position, score, score, chains)
	out.Directions, out.P = c.name, found.together()
	return out, nil
}

// seen returns the forward model of the likelihood for the draws, and refuses observations that it cannot have.
func (p *Posterior) seen(obs Observations) (*Forward, error) {
	_, cells := p.Dims()
	f, err := p.Likelihood.Forward(cells)
	if err != nil {
		return nil, err
	}
	if err := f.Check(obs); err != nil {
		return nil, fmt.Errorf("certify: %w", err)
	}
	return f, nil
}

// deviations are those of the draws in each mode, and of their mean width.
type deviations struct {
	shifts, widths []certify.Series
	mean           certify.Series
}

// compare makes a certificate without P of positions w and scores s, (draws, modes), for which E[s] = 0 and E[w sᵀ] =
// −I, and returns the deviations that are tested. Draws that lie far off, by the scores in plain, are counted and left
// out, because a few of them would hide all others. If all draws are far off, there are no deviations.
func compare(position, score, plain *mat.Dense, chains int) (*Certificate, deviations) {
	draws, modes := position.Dims()
	c := &Certificate{}
	var left []int
	for i := range draws {
		if slices.ContainsFunc(plain.RawRowView(i), func(v float64) bool { return !(math.Abs(v) < farScore) }) {
			c.Far++
		} else {
			left = append(left, i)
		}
	}
	if len(left) < 4 {
		c.Worst = farScore
		return c, deviations{}
	}
	if c.Far > 0 {
		some := func(m *mat.Dense) *mat.Dense {
			out := mat.NewDense(len(left), modes, nil)
			for i, at := range left {
				out.SetRow(i, m.RawRowView(at))
			}
			return out
		}
		position, score, draws = some(position), some(score), len(left)
		chains = 0
	}
	products := make([]float64, draws) // averaged over the modes
	var shifts, widths []certify.Series
	for k := range modes {
		w, s := mat.Col(nil, k, position), mat.Col(nil, k, score)
		mean, sd := stat.MeanStdDev(w, nil)
		shift := certify.Of(s, 0, chains)
		for i, v := range w {
			s[i] *= mean - v
			products[i] += s[i] / float64(modes)
		}
		width := certify.Of(s, 1-1/float64(draws), chains) // the mean that was subtracted takes one degree of freedom
		shifts, widths = append(shifts, shift), append(widths, width)
		root := math.Sqrt(math.Max(width.Mean, 1e-6))
		c.Shift, c.ShiftSE = append(c.Shift, -shift.Mean*sd), append(c.ShiftSE, shift.SE*sd)
		c.Width, c.WidthSE = append(c.Width, root), append(c.WidthSE, width.SE/(2*root))
		c.Draws += shift.N / float64(modes)
		c.Location += c.Shift[k] * c.Shift[k] / float64(modes)
		c.Floor += c.ShiftSE[k] * c.ShiftSE[k] / float64(modes)
		c.note(k, shift.T, width.T)
	}
	c.Location, c.Floor = math.Sqrt(c.Location), math.Sqrt(c.Floor)
	mean := certify.Of(products, 1-1/float64(draws), chains)
	c.MeanWidth = math.Sqrt(math.Max(mean.Mean, 1e-6))
	c.MeanWidthSE = mean.SE / (2 * c.MeanWidth)
	return c, deviations{shifts, widths, mean}
}

// together returns the P of [Certificate]. Without deviations it is 0.
func (d deviations) together() float64 {
	shifts, widths, mean := d.shifts, d.widths, d.mean
	if len(shifts) == 0 {
		return 0
	}
	return certify.Together(
		certify.Test{P: shifts[0].P(), Share: 0.3}, certify.Test{P: certify.Largest(shifts), Share: 0.45},
		certify.Test{P: certify.Squares(shifts), Share: 0.05}, certify.Test{P: mean.P(), Share: 0.07},
		certify.Test{P: certify.Largest(widths), Share: 0.08}, certify.Test{P: certify.Squares(widths), Share: 0.05})
}

package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Tempering computes the log evidence log p(y) = log ∫ p(y | x₀) p(x₀) dx₀. It uses draws of p(x₀) p(y | x₀)^β at
// levels β from 0, the prior, to 1, the posterior. Levels are chosen so that the draws of neighbouring levels
// overlap. The ratio of the evidences of two neighbouring levels is estimated by Bennett's (1976) acceptance ratio,
// the best estimate from draws of both. The draws must come from the tempered posteriors: hmc.Sample under an exact
// prior gives such draws. Approximate samplers make an error that the standard error does not show.
//
//	var seed uint64 // levels with equal random numbers would depend on each other
//	fit := func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
//		seed++
//		return hmc.SampleContext(ctx, prior, like, obs, hmc.Options{Seed: seed})
//	}
//	evidence, err := calibrate.Tempering{}.Run(like, obs, fit)
//	fmt.Println(evidence.Log) // -61.24 ± 0.03
type Tempering struct {
	// Overlap is the effective share of the draws of one level after they are reweighted
	// to the next level. Default 0.5.
	Overlap float64
	Levels  int // the largest number of levels, default 100
}

// blocks is the number of blocks of consecutive draws that are left out in turn for the standard error. A block must be
// longer than the range of correlation between draws.
const blocks = 20

// Evidence is the result of [Tempering].
type Evidence struct {
	Log Estimate // log p(y) in nats, and its standard error; N is the number of draws in all
	// Betas are the levels, from 0 to 1, and Means the average log-likelihood at each level.
	Betas, Means []float64
}

// Run fits the model at each level. It tempers the data by multiplying the statistic, size and
// base of their terms by β. This is exact for exponential families; other families are refused.
// The error of an interrupt is [expfam.ErrInterrupted].
func (t Tempering) Run(like expfam.Likelihood, obs expfam.Observations, fit Fit) (*Evidence, error) {
	ctx, end := speak.Work("evidence", "")
	defer end()
	return t.RunContext(ctx, like, obs, fit)
}

// RunContext is [Tempering.Run] with a context: it ends when ctx ends.
func (t Tempering) RunContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations, fit Fit) (*Evidence,
	error) {
	t.Overlap = cmp.Or(t.Overlap, 0.5)
	t.Levels = cmp.Or(t.Levels, 100)
	if !(t.Overlap > 0 && t.Overlap < 1) || t.Levels < 2 {
		return nil, fmt.Errorf("calibrate: tempering: overlap %g, %d levels; use an overlap between 0 and 1, and "+
			"at least 2 levels", t.Overlap, t.Levels)
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("calibrate: tempering: %w", err)
	}
	if _, general := terms.Family.(expfam.General); general {
		return nil, fmt.Errorf("calibrate: tempering: a power of %v is not a likelihood of other terms; use an "+
			"exponential family", terms.Family)
	}
	out := &Evidence{}
	var levels [][]float64 // log-likelihoods of the draws
	steps := speak.Search(ctx, "calibrate: tempering", fmt.Sprintf("levels from the prior to the posterior, %d at most",
		t.Levels), "level", t.Levels)
	part, end := steps.Parts(ctx)
	defer end()
	for beta := 0.0; ; beta = nextBeta(beta, levels[len(levels)-1], t.Overlap) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("calibrate: tempering: %w at level %g", expfam.ErrInterrupted, beta)
		}
		if len(levels) == t.Levels {
			return nil, fmt.Errorf("calibrate: tempering: level %g after %d levels; give more Levels, or a smaller "+
				"Overlap", beta, t.Levels)
		}
		logs, err := t.level(part, like, obs, beta, fit)
		if err != nil {
			return nil, fmt.Errorf("calibrate: tempering: level %g: %w", beta, err)
		}
		levels = append(levels, logs)
		out.Betas, out.Means = append(out.Betas, beta), append(out.Means, stat.Mean(logs, nil))
		out.Log.N += len(logs)
		steps.Step(math.NaN())
		if beta == 1 {
			break
		}
	}
	out.Log.Mean, out.Log.SE = t.combine(out.Betas, levels)
	return out, nil
}

// level samples the tempered posterior at level beta, and returns log p(y | x₀) of its draws.
func (t Tempering) level(ctx context.Context, like expfam.Likelihood, obs expfam.Observations, beta float64,
	fit Fit) ([]float64, error) {
	tempered := make(expfam.Observations, len(obs))
	for k, o := range obs {
		tempered[k] = expfam.Term{Stat: beta * o.Stat, Size: beta * o.Size, Base: beta * o.Base}
	}
	post, err := fit(ctx, like, tempered)
	if err != nil {
		return nil, err
	}
	logs, _, err := Pointwise(post, obs)
	if err != nil {
		return nil, err
	}
	n, _ := logs.Dims()
	if n < 2*blocks {
		return nil, fmt.Errorf("%d draws; blocks need at least %d", n, 2*blocks)
	}
	sums := make([]float64, n)
	for i := range sums {
		sums[i] = floats.Sum(logs.RawRowView(i))
	}
	if math.IsInf(floats.Max(sums), -1) {
		return nil, errors.New("all draws give the data probability 0")
	}
	if i := slices.Index(sums, math.Inf(-1)); beta > 0 && i >= 0 {
		return nil, fmt.Errorf("draw %d gives the data probability 0, which no draw of this level does; use an "+
			"exact sampler, such as hmc.Sample", i)
	}
	return sums, nil
}

// nextBeta returns the highest level to which the draws of level beta can be reweighted so that
// their effective share is still overlap. logs has the log-likelihoods of the draws.
func nextBeta(beta float64, logs []float64, overlap float64) float64 {
	best := floats.Max(logs)
	share := func(next float64) float64 {
		var sum, squares float64
		for _, v := range logs {
			w := math.Exp((next - beta) * (v - best))
			sum, squares = sum+w, squares+w*w
		}
		return sum * sum / squares / float64(len(logs))
	}
	low, high := beta, 1.0
	if share(high) >= overlap {
		return 1
	}
	for range 60 {
		if middle := (low + high) / 2; share(middle) >= overlap {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// combine adds up the log ratios of the evidences of neighbouring levels. The standard error is
// that of the jackknife, which leaves out each block of each level in turn.
func (t Tempering) combine(betas []float64, levels [][]float64) (sum, se float64) {
	ratios := make([]float64, len(levels)-1)
	for i := range ratios {
		step := betas[i+1] - betas[i]
		ratios[i] = acceptanceRatio(step, levels[i], levels[i+1], step*stat.Mean(levels[i+1], nil))
	}
	var variance float64
	without := make([]float64, blocks)
	for i, logs := range levels {
		for b := range without {
			from, to := b*len(logs)/blocks, (b+1)*len(logs)/blocks
			rest := slices.Concat(logs[:from], logs[to:])
			without[b] = 0
			if i > 0 {
				without[b] += acceptanceRatio(betas[i]-betas[i-1], levels[i-1], rest, ratios[i-1])
			}
			if i < len(ratios) {
				without[b] += acceptanceRatio(betas[i+1]-betas[i], rest, levels[i+1], ratios[i])
			}
		}
		variance += float64(blocks-1) * stat.PopVariance(without, nil)
	}
	return floats.Sum(ratios), math.Sqrt(variance)
}

// acceptanceRatio returns r = log Z₁/Z₀ for two levels that differ by s = step, from the
// log-likelihoods l of n₀ and n₁ draws at the levels. It is the root of
//
//	Σ₀ σ(c + s l − r) = Σ₁ σ(r − c − s l),  c = log n₁/n₀,
//
// where σ is the logistic function. Both sides are monotone in r. The search begins at guess.
func acceptanceRatio(step float64, zero, one []float64, guess float64) float64 {
	c := math.Log(float64(len(one)) / float64(len(zero)))
	excess := func(r float64) (sum float64) {
		for _, l := range zero {
			sum += 1 / (1 + math.Exp(r-c-step*l))
		}
		for _, l := range one {
			sum -= 1 / (1 + math.Exp(c+step*l-r))
		}
		return sum
	}
	width := 0.05
	for !(excess(guess-width) >= 0 && excess(guess+width) <= 0) {
		width *= 4
	}
	low, high := guess-width, guess+width
	// Illinois: regula falsi that halves the value of an end that stays.
	fl, fh := excess(low), excess(high)
	for range 100 {
		if high-low < 1e-10 || fl == fh {
			break
		}
		r := (low*fh - high*fl) / (fh - fl)
		f := excess(r)
		switch {
		case f == 0:
			return r
		case f > 0:
			low, fl, fh = r, f, fh/2
		default:
			high, fh, fl = r, f, fl/2
		}
		if math.Abs(f) < 1e-8*float64(len(zero)+len(one)) { // the residual is below 1e-8 per draw, and r about as exact
			return r
		}
	}
	return (low + high) / 2
}

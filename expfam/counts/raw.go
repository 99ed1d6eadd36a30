package counts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Raw treats every cell by itself. All cells share a conjugate prior of θ, and neighbours
// are not used. For Poisson counts the posterior is
//
//	θⱼ | y ~ Gamma(a + Σᵢ yᵢⱼ, b + N|Sⱼ|).
//
// In a cell without data it is the prior. Raw works for every family of the library except
// [expfam.BetaBinomial], whose θ has no conjugate prior.
type Raw struct {
	// Prior is the conjugate prior of every θⱼ. Default: the prior that maximises the probability of the data of all
	// cells (empirical Bayes; for the Gamma see Clayton & Kaldor 1987, Biometrics 43).
	Prior expfam.Standard
}

// Sample makes independent draws. Info.Diagnostics has the parameters of the prior, prior_a
// and prior_b, and log_evidence, the log probability of the data under the prior.
func (r Raw) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return r.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Raw.Sample] that ends with ctx.
func (r Raw) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	if like.Family == nil {
		return nil, errors.New("counts: there is no family; set Likelihood.Family, for example to expfam.Poisson{}")
	}
	if err := independent(like); err != nil {
		return nil, err
	}
	if len(obs) == 0 {
		return nil, errors.New("counts: there are no cells")
	}
	if err := obs.Check(); err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	prior := r.Prior
	if prior.Conjugate == nil {
		var err error
		if prior, err = shared(like.Family.Conjugate(), obs); err != nil {
			return nil, err
		}
	}
	if want := like.Family.Conjugate().String(); prior.Conjugate.String() != want {
		return nil, fmt.Errorf("counts: the prior is %v; %v needs a %s", prior, like.Family, want)
	}
	if loc, logConc := prior.Coordinates(); math.IsNaN(loc+logConc) || math.IsInf(loc+logConc, 0) {
		return nil, fmt.Errorf("counts: the prior is %v, which has no integral; give Raw.Prior parameters of a "+
			"proper distribution", prior)
	}
	// The family's conjugate knows which parameter the data of this family add to.
	prior.Conjugate = like.Family.Conjugate()
	cells := make([]expfam.Standard, len(obs))
	evidence := 0.0
	for j, t := range obs {
		cells[j] = prior.Update(t)
		evidence += prior.LogEvidence(t)
	}
	post, err := o.draws(ctx, like, obs, "raw", func(k int, theta []float64) {
		rng := expfam.Stream(o.Seed, fmt.Sprintf("counts/raw/draw-%d", k))
		for j, c := range cells {
			theta[j] = c.Rand(rng)
		}
	})
	if post != nil {
		d := post.Info.Diagnostics
		d["prior_a"], d["prior_b"], d["log_evidence"] = prior.A, prior.B, evidence
	}
	return post, err
}

// shared returns the prior that maximises the evidence of all cells. It searches over the
// coordinates in which an inference network gives a conjugate prior ([expfam.Standard.At]). The
// concentration stays between e⁻³ and e¹²: if the cells differ by no more than chance, the
// evidence has no maximum over the concentration. The concentration of a normal prior is a precision, whose unit
// depends on that of the data: its lower end is e⁻³ over their mean square, if this is above 1, and its upper end is
// e¹² times the mean of their precisions, if that is.
func shared(c expfam.Conjugate, obs expfam.Observations) (expfam.Standard, error) {
	low, high := -3.0, 12.0
	if _, ok := c.(expfam.NormalPrior); ok {
		square, precision := means(obs)
		low, high = low-math.Log(math.Max(1, square)), high+math.Log(math.Max(1, precision))
	}
	at := func(v []float64) expfam.Standard {
		return expfam.Standard{Conjugate: c}.At(v[0], math.Min(math.Max(v[1], low), high))
	}
	if !slices.Contains(obs.Missing(), false) {
		return expfam.Standard{}, errors.New("counts: no cell has data to fit the shared prior to; give Raw.Prior")
	}
	result, err := optimize.Minimize(optimize.Problem{Func: func(v []float64) float64 {
		prior, sum := at(v), math.Max(0, low-v[1])+math.Max(0, v[1]-high)
		for _, t := range obs {
			sum -= prior.LogEvidence(t)
		}
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}}, []float64{0, 0}, &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-6, Iterations: 30}},
		&optimize.NelderMead{})
	if err != nil {
		return expfam.Standard{}, fmt.Errorf("counts: fitting the shared prior: %w; give Raw.Prior", err)
	}
	return at(result.X), nil
}

// means returns the means over cells with data of the square of a cell's mean observation, and of a cell's size.
func means(obs expfam.Observations) (square, size float64) {
	n := 0.0
	for _, t := range obs {
		if t.Size > 0 {
			square, size, n = square+(t.Stat/t.Size)*(t.Stat/t.Size), size+t.Size, n+1
		}
	}
	return square / n, size / n
}

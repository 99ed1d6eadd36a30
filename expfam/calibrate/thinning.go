package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/internal/speak"
)

// Thinning is cross-validation that leaves no cell out. Every observation is split into independent parts with the same
// θ (Neufeld et al. 2024, JMLR 25(57)). The model is fitted to all parts but one and scored on the remaining part, and
// each part is the remaining part once. Unlike leave-one-out, thinning needs no weights. Unlike held-out cells, it
// tests predictions for cells with data. It costs one fit for each part.
//
//	fit := func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
//		return diffusion.SampleContext(ctx, prior, like, obs, diffusion.Sampler{})
//	}
//	elpd, err := calibrate.Thinning{Seed: 1}.Run(like, obs, fit)
type Thinning struct {
	Parts int // default 5
	Seed  uint64
	// Counts keeps each event of a count with the same probability, instead of splitting by the family's own
	// distribution. Models of different families, such as Poisson and negative binomial, are then scored on the same
	// counts. The family must be an [CountThinner]. Models that are compared need the same Seed and Parts.
	Counts bool
}

// Thinned is one split of Thinning.
type Thinned struct {
	// Like and Obs are the likelihood and the data for the fit.
	Like expfam.Likelihood
	Obs  expfam.Observations
	// HeldLike is the likelihood of the held part given the other parts and the x₀ of the
	// model. Held has the observations of the held part.
	HeldLike expfam.Likelihood
	Held     expfam.Observations
}

// Score returns the log density of the held part of every datum of data, given draws that were
// sampled with Like and Obs. A datum whose held part is empty has 0. The argument data has the
// numbers of the data, and the scores have the same order.
func (t Thinned) Score(post *expfam.Posterior, data []int) (Scores, error) {
	out := make(Scores, len(data))
	if len(Observed(t.Held)) == 0 { // fewer trials than parts
		return out, nil
	}
	logs, held, err := Pointwise(&expfam.Posterior{X: post.X, Likelihood: t.HeldLike}, t.Held)
	if err != nil {
		return nil, err
	}
	at := make(map[int]float64)
	for c, k := range held {
		at[k] = logMeanExp(mat.Col(nil, c, logs))
	}
	for i, k := range data {
		out[i] = at[k]
	}
	return out, nil
}

// Split splits observations of one likelihood, with or without an operator.
func (t Thinning) Split(like expfam.Likelihood, obs expfam.Observations) ([]Thinned, error) {
	t.Parts = cmp.Or(t.Parts, 5)
	if t.Parts < 2 {
		return nil, fmt.Errorf("calibrate: thinning: %d parts; give at least 2", t.Parts)
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("calibrate: thinning: %w", err)
	}
	if terms.Sets() > 1 {
		return nil, fmt.Errorf("calibrate: thinning: %d data sets together; thin each by itself", terms.Sets())
	}
	if len(Observed(obs)) == 0 {
		return nil, fmt.Errorf("calibrate: thinning: none of %d data was observed", len(obs))
	}
	if t.Counts {
		return t.counts(terms, obs)
	}
	family, ok := terms.Family.(Thinner)
	if !ok {
		return nil, fmt.Errorf("calibrate: thinning: %v does not split into independent parts; use LOO, or hold "+
			"data out", terms.Family)
	}
	splits := t.empty(len(obs))
	for i := range splits {
		splits[i].Like, splits[i].HeldLike = terms.Likelihood, terms.Likelihood
	}
	for _, k := range Observed(obs) {
		parts, err := family.Thin(obs[k], t.Parts, t.rng(k))
		if err != nil {
			return nil, fmt.Errorf("calibrate: thinning: datum %d: %w", k, err)
		}
		for i, part := range parts {
			for s := range splits {
				if s == i {
					splits[s].Held[k] = part
				} else {
					splits[s].Obs[k] = splits[s].Obs[k].Add(part)
				}
			}
		}
	}
	return splits, nil
}

// empty returns one split for each part, without likelihoods and with empty observations.
func (t Thinning) empty(data int) []Thinned {
	splits := make([]Thinned, t.Parts)
	for i := range splits {
		splits[i].Obs, splits[i].Held = make(expfam.Observations, data), make(expfam.Observations, data)
	}
	return splits
}

// rng returns the stream of random numbers of datum k, which is the same for every model.
func (t Thinning) rng(k int) *rand.Rand {
	return expfam.Stream(t.Seed, fmt.Sprintf("thinning/datum-%d", k))
}

// counts splits counts by events: every event goes to one part, each with the same probability.
func (t Thinning) counts(terms *expfam.Terms, obs expfam.Observations) ([]Thinned, error) {
	family, ok := terms.Family.(CountThinner)
	if !ok {
		return nil, fmt.Errorf("calibrate: thinning: %v is no calibrate.CountThinner; leave out Counts", terms.Family)
	}
	share := 1 - 1/float64(t.Parts)
	kept, rest := family.Kept(share)
	keptLike, err := linked(terms, kept)
	if err != nil {
		return nil, err
	}
	restLike, err := linked(terms, rest)
	if err != nil {
		return nil, err
	}
	splits := t.empty(len(obs))
	for i := range splits {
		splits[i].Like, splits[i].HeldLike = keptLike, restLike
	}
	for _, k := range Observed(obs) {
		rng, left := t.rng(k), obs[k].Stat
		for i := range splits {
			held := left
			if i < t.Parts-1 {
				held = distuv.Binomial{N: left, P: 1 / float64(t.Parts-i), Src: rng}.Rand()
			}
			left -= held
			splits[i].Obs[k], splits[i].Held[k], err = family.KeptTerms(obs[k], obs[k].Stat-held, share)
			if err != nil {
				return nil, fmt.Errorf("calibrate: thinning: datum %d: %w", k, err)
			}
		}
	}
	return splits, nil
}

// linked returns the likelihood whose θ is a function of the θ of the model.
func linked(terms *expfam.Terms, of formula.Expr) (expfam.Likelihood, error) {
	like := terms.Likelihood
	if of.String() == "theta" {
		return like, nil
	}
	var err error
	if link, ok := terms.Formula(); ok {
		like.Link, err = expfam.ParseLink(of.Substitute(link).String())
	} else {
		like.Link, err = expfam.TableLink(fmt.Sprintf("%v of %v", of, terms.Link),
			func(x float64) float64 { return of.Eval(terms.Link.At(x)) })
	}
	if err != nil {
		return like, fmt.Errorf("calibrate: thinning: %w", err)
	}
	return like, nil
}

// Run fits all splits and adds up their scores. An interrupt is [expfam.ErrInterrupted].
func (t Thinning) Run(like expfam.Likelihood, obs expfam.Observations, fit Fit) (*Elpd, error) {
	ctx, end := speak.Work("thinning", "")
	defer end()
	return t.RunContext(ctx, like, obs, fit)
}

// RunContext is [Thinning.Run] with a context: it ends when ctx ends.
func (t Thinning) RunContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations, fit Fit) (*Elpd,
	error) {
	splits, err := t.Split(like, obs)
	if err != nil {
		return nil, err
	}
	e := &Elpd{Method: fmt.Sprintf("thinning in %d", len(splits)), Data: Observed(obs), P: math.NaN()}
	e.Pointwise = make(Scores, len(e.Data))
	steps := speak.NewPace(ctx, "calibrate: thinning", fmt.Sprintf("%d fits", len(splits)), len(splits))
	part, end := steps.Parts(ctx)
	defer end()
	for i, s := range splits {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("calibrate: thinning: %w after %d of %d parts", expfam.ErrInterrupted, i,
				len(splits))
		}
		post, err := fit(part, s.Like, s.Obs)
		if err != nil {
			return nil, fmt.Errorf("calibrate: thinning: without part %d: %w", i, err)
		}
		scores, err := s.Score(post, e.Data)
		if err != nil {
			return nil, err
		}
		floats.Add(e.Pointwise, scores)
		steps.Step(math.NaN())
	}
	return e, nil
}

// Thinner is a family whose observations can be split at random into independent observations with the same θ, without
// knowing θ. This is data thinning: Neufeld, Dharamshi, Gao & Witten (2024), JMLR 25(57). Some parts fit a model and
// other parts check it, and no cell is left out.
type Thinner interface {
	expfam.Family
	// Thin splits the term of a cell, of one observation or of several, into terms of independent parts of equal
	// expected size. A part may be the zero Term: a single trial goes to one part, and the other parts have no trial.
	Thin(t expfam.Term, parts int, rng *rand.Rand) ([]expfam.Term, error)
}

// CountThinner is a family of counts that knows the distribution of a thinned count: every event is kept with the same
// probability, independently of the others. Models of different families are compared on such counts. Under
// [expfam.Poisson] the kept events and the other events are independent. Under other families the number of other
// events depends on the number kept.
type CountThinner interface {
	expfam.Family
	// Kept gives two formulas in "theta": θ of the kept count, and θ of the other events
	// given the kept count. Both counts follow this family.
	Kept(share float64) (kept, rest formula.Expr)
	// KeptTerms returns the term of the kept count, and the term of the other events given the kept count.
	KeptTerms(t expfam.Term, kept, share float64) (expfam.Term, expfam.Term, error)
}

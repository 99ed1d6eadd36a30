package calibrate

import "github.com/expfam/lab/expfam"

// HeldOut are the scores of a posterior on the data of held-out cells. Each is a mean over these
// cells with its standard error.
type HeldOut struct {
	Median   Estimate // |median of θ − rate|, where the rate is the statistic over the size, such as y/n
	Mean     Estimate // |mean of θ − rate|
	Log      Estimate // log predictive density of the data; higher is better
	CRPS     Estimate // CRPS of replicated data, in the unit of the data; lower is better
	Coverage Estimate // share of the data inside 95% intervals of replicated data
	Seconds  float64  // seconds that the posterior took
}

// ScoreHeldOut scores a posterior on data that it has not seen, by [AbsError], [LogScore],
// [PredictiveCRPS] and [Coverage.Predictive]. Replicated data have fixed seeds, so equal
// arguments give equal scores. The family's θ must be the mean of the rate; see [Rates].
func ScoreHeldOut(post *expfam.Posterior, held expfam.Observations) (HeldOut, error) {
	fail := func(err error) (HeldOut, error) { return HeldOut{}, err }
	if err := given("held-out data", post); err != nil {
		return fail(err)
	}
	terms, err := post.Likelihood.Terms()
	if err != nil {
		return fail(err)
	}
	rates, err := Rates(terms.Family, held)
	if err != nil {
		return fail(err)
	}
	cells := Observed(held)
	median, err := AbsError(post.Median(), rates, cells)
	if err != nil {
		return fail(err)
	}
	mean, err := AbsError(post.Mean(), rates, cells)
	if err != nil {
		return fail(err)
	}
	log, err := LogScore(post, held, nil)
	if err != nil {
		return fail(err)
	}
	crps, err := PredictiveCRPS(post, held, nil, 1)
	if err != nil {
		return fail(err)
	}
	inside, err := Coverage{}.Predictive(post, held)
	if err != nil {
		return fail(err)
	}
	return HeldOut{Median: median.Mean(), Mean: mean.Mean(), Log: log.Mean(), CRPS: crps.Mean(),
		Coverage: inside.Mean(), Seconds: post.Info.Seconds}, nil
}

// Row returns the scores as the cells of a table row, in the order of the fields.
func (s HeldOut) Row() []any { return []any{s.Median, s.Mean, s.Log, s.CRPS, s.Coverage, s.Seconds} }

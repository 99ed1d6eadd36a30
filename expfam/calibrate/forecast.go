package calibrate

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// Forecast has predicted probabilities of events beside what happened. [Forecast.Reliability] says whether events of
// predicted probability p happen in a share p of cases.
type Forecast struct {
	Prob           []float64 // predicted probability of each datum
	Events, Trials []float64 // number of events among trials
	// Replicates are replicated events, (draws, data), for the consistency band. Nil: events are independent with the
	// predicted probabilities.
	Replicates *expfam.Draws
}

// Predicted returns the forecasts of a posterior for data of a binomial or Bernoulli family: the mean of θ of each cell
// with data, and y of n. Its consistency band is that of replicated data, so it contains the posterior's own
// uncertainty and the dependence of cells.
func Predicted(post *expfam.Posterior, obs expfam.Observations, seed uint64) (*Forecast, error) {
	r, err := Replicated(post, obs, seed)
	if err != nil {
		return nil, err
	}
	if err := proportions(post); err != nil {
		return nil, err
	}
	mean := post.Mean()
	f := &Forecast{Events: r.Observed, Trials: r.Sizes, Replicates: r.Draws}
	for _, j := range Observed(obs) {
		f.Prob = append(f.Prob, mean[j])
	}
	return f, nil
}

// Predicted returns the forecasts of [Predicted] for each datum from the others, by the weights of leave-one-out. Data
// whose shape k is above the limit are left out; left is their number. The band takes events as independent given the
// forecasts.
func (l LOO) Predicted(post *expfam.Posterior, obs expfam.Observations) (f *Forecast, left int, err error) {
	if err := given("loo", post); err != nil {
		return nil, 0, err
	}
	if err := proportions(post); err != nil {
		return nil, 0, err
	}
	weights, k, err := l.Weights(post, obs)
	if err != nil {
		return nil, 0, err
	}
	draws, _ := weights.Dims()
	f = &Forecast{}
	for c, j := range Observed(obs) {
		if k[c] > l.Limit(draws) {
			left++
			continue
		}
		p := 0.0
		for i := range draws {
			p += math.Exp(weights.At(i, c)) * post.At(i, j)
		}
		f.Prob = append(f.Prob, min(1, p)) // the weights sum to 1 up to rounding
		f.Events, f.Trials = append(f.Events, obs[j].Stat), append(f.Trials, obs[j].Size)
	}
	if len(f.Prob) == 0 {
		return nil, left, fmt.Errorf("calibrate: reliability: the weights of leave-one-out fail for all %d data", left)
	}
	return f, left, nil
}

// proportions refuses families whose θ is no probability of y of n.
func proportions(post *expfam.Posterior) error {
	family := post.Likelihood.Family
	if family == nil {
		return fmt.Errorf("calibrate: reliability: the posterior has no likelihood")
	}
	if !ofTrials(family) {
		return fmt.Errorf("calibrate: reliability: θ of %v is no probability of events; give a "+
			"posterior of proportions", family)
	}
	return nil
}

// ofTrials reports whether data are y of n trials with the probability θ. θ of a negative binomial is a probability
// too, but its y are failures, which have no bound.
func ofTrials(family expfam.Family) bool {
	n := family.Natural()
	_, err := Rates(family, nil)
	return n.Low == 0 && n.High == 1 && err == nil
}

// By returns the forecasts of the data for which keep is true, such as one group.
func (f *Forecast) By(keep func(datum int) bool) *Forecast {
	out := &Forecast{}
	var columns []int
	for c := range f.Prob {
		if keep(c) {
			out.Prob, out.Events = append(out.Prob, f.Prob[c]), append(out.Events, f.Events[c])
			out.Trials, columns = append(out.Trials, f.Trials[c]), append(columns, c)
		}
	}
	out.Replicates = columnsOf(f.Replicates, columns)
	return out
}

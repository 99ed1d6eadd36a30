package decide

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/internal/speak"
)

// Influence says how much each datum moves a posterior expectation. If datum i has the weight w_i in the log-likelihood
// Σᵢ w_i log p(y_i | x₀), then at w = 1
//
//	∂E[f | y]/∂w_i = Cov(f, log p(y_i | x₀) | y),
//
// a covariance over the draws (Giordano, Broderick & Jordan 2018, JMLR 19). To first order E[f | y] changes by minus
// this number if the datum is left out. A datum that determines f alone has an influence beyond first order:
// [Influences.Without] has the change itself, with its standard error, or by a fit without the datum.
//
// The noise of a covariance of S draws is found by permutation: draws of f that are reordered have covariance 0 with
// each log-likelihood, and the spread of these covariances is the spread of the noise. Draws are taken as independent.
// The bands of Markov chains are too narrow by the square root of the ratio of draws to effective draws.
type Influence struct {
	Level        float64 // of the bands. Default 0.95
	Permutations int     // default 200
	Seed         uint64
	// Refit samples the posterior of observations without one datum. It is called for each datum whose
	// [Influences.Without] has a standard error above Tolerance times the standard deviation of f. With the seed of the
	// posterior the difference has less noise. Default: nothing is fitted again.
	Refit     calibrate.Fit
	Tolerance float64 // default 0.1
}

// Influences are the influences of all data on one expectation, in the units of f.
type Influences struct {
	Mean, SD float64 // of f given y
	Data     []int   // the numbers of the data, as in [calibrate.Pointwise]
	// Effect is ∂E[f | y]/∂w_i of each datum: positive if the datum raises E[f].
	Effect []float64
	// Without is E[f | y without datum i] − E[f | y] by Pareto-smoothed importance weights, and where the datum has
	// more than a third of the precision of its cell by draws that are moved to where the field is without the datum,
	// which is exact for Gaussian posteriors. SE is its standard error. Few draws of a cell that one datum determines
	// hold little of what the cell would be without it: SE can then be as large as the change, and more draws or Refit
	// lower it.
	Without, SE []float64
	Refitted    []int // the places in Data of what Refit fitted; their SE is that of independent draws
	// K has the Pareto shape of the weights of each datum.
	K []float64
	// Noise is half the width of the band of Effect: permuted draws have covariances within ±Noise with probability
	// Level.
	Noise []float64
	Level float64
}

func (o Influence) orDefault() (Influence, error) {
	o.Level = cmp.Or(o.Level, 0.95)
	o.Permutations = cmp.Or(o.Permutations, 200)
	o.Tolerance = cmp.Or(o.Tolerance, 0.1)
	if !(o.Tolerance > 0) {
		return o, fmt.Errorf("decide: influence: tolerance %g; it must be above 0", o.Tolerance)
	}
	if !(o.Level > 0 && o.Level < 1) || o.Permutations < 20 {
		return o, fmt.Errorf("decide: influence: level %g and %d permutations; give a level in (0, 1) and at least 20 "+
			"permutations", o.Level, o.Permutations)
	}
	return o, nil
}

// Of returns the influence of all data in obs on E[f], where f is a function of θ, such as the mean of a district. The
// posterior was sampled from obs. An interrupt of a fit is [expfam.ErrInterrupted].
func (o Influence) Of(post *expfam.Posterior, obs expfam.Observations, f func(theta []float64) float64) (*Influences,
	error) {
	ctx, end := speak.Work("influence", "")
	defer end()
	return o.OfContext(ctx, post, obs, f)
}

// OfContext is [Influence.Of] with a context: its fits end when ctx ends.
func (o Influence) OfContext(ctx context.Context, post *expfam.Posterior, obs expfam.Observations,
	f func(theta []float64) float64) (*Influences, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	logs, data, err := calibrate.Pointwise(post, obs)
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	draws, n := logs.Dims()
	values := post.Functional(f)
	if i := slices.IndexFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); i >= 0 {
		return nil, fmt.Errorf("decide: influence: f of draw %d is %v; it must be finite", i, values[i])
	}
	mean, sd := stat.MeanStdDev(values, nil)
	out := &Influences{Mean: mean, SD: sd, Data: data, Noise: make([]float64, n), Level: o.Level}
	weights, k, err := calibrate.LOO{}.Weights(post, obs)
	if err != nil {
		return nil, fmt.Errorf("decide: influence: %w", err)
	}
	out.K = k
	own := slices.Clone(values)
	floats.AddConst(-mean, own)
	if err := out.leaveOut(post, obs, weights, own, f); err != nil {
		return nil, err
	}
	if o.Refit != nil {
		if err := out.refit(ctx, o, post.Likelihood, obs, f); err != nil {
			return nil, err
		}
	}
	if err := centre(logs, data); err != nil {
		return nil, err
	}
	out.Effect = covariances(logs, own)
	rng := expfam.Stream(o.Seed, "influence/permutations")
	null := mat.NewDense(n, o.Permutations, nil)
	for p := range o.Permutations {
		rng.Shuffle(draws, func(a, b int) { own[a], own[b] = own[b], own[a] })
		for c, v := range covariances(logs, own) {
			null.Set(c, p, math.Abs(v))
		}
	}
	for c := range n {
		row := null.RawRowView(c)
		slices.Sort(row)
		out.Noise[c] = stat.Quantile(o.Level, stat.LinInterp, row, nil)
	}
	return out, nil
}

// Beyond reports whether the effect of the datum in place c of Data is outside of the band of noise.
func (r *Influences) Beyond(c int) bool { return math.Abs(r.Effect[c]) > r.Noise[c] }

// centre subtracts the mean of every column.
func centre(logs *mat.Dense, data []int) error {
	draws, n := logs.Dims()
	if draws < 25 {
		return fmt.Errorf("decide: influence: %d draws; covariances need at least 25", draws)
	}
	for c := range n {
		column := mat.Col(nil, c, logs)
		if i := slices.Index(column, math.Inf(-1)); i >= 0 {
			return fmt.Errorf("decide: influence: datum %d has probability 0 under draw %d, so that its influence is "+
				"infinite; look at that draw", data[c], i)
		}
		floats.AddConst(-stat.Mean(column, nil), column)
		logs.SetCol(c, column)
	}
	return nil
}

// covariances returns Cov(f, log p(y_c)) for every column c of logs; both have mean 0.
func covariances(logs *mat.Dense, f []float64) []float64 {
	draws, n := logs.Dims()
	out := mat.NewVecDense(n, nil)
	out.MulVec(logs.T(), mat.NewVecDense(draws, f))
	out.ScaleVec(1/float64(draws-1), out)
	return out.RawVector().Data
}

// normalBand returns the quantile z by which a normal variable is within ±z with probability level.
func normalBand(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }

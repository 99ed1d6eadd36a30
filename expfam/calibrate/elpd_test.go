package calibrate

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// reference are the numbers of testdata/arviz.py, which says with what they were made.
type reference struct {
	LOO map[string]struct {
		Elpd, SE, P float64
		GoodK       float64   `json:"good_k"`
		ElpdI       []float64 `json:"elpd_i"`
		ParetoK     []float64 `json:"pareto_k"`
	}
	Compare map[string]struct {
		Rank                int
		Elpd, P, Weight, SE float64
		DSE                 float64
		ElpdDiff            float64  `json:"elpd_diff"`
		PWorse              *float64 `json:"p_worse"`
	}
	TailEfficiency map[string]float64 `json:"tail_efficiency"`
	Psense         map[string]float64
}

// arvizLogs are the draws and log-likelihoods of the same file.
func arvizLogs(spread, odd float64) (x []float64, logs *mat.Dense) {
	const draws, data = 1000, 12
	x, logs = make([]float64, draws), mat.NewDense(draws, data, nil)
	for i := range x {
		_, u := math.Modf(float64(i+1) * 0.6180339887498949)
		x[i] = math.Log(u / (1 - u))
		for k := range data {
			a := spread * (0.1 + 0.06*float64(k)) * math.Pow(odd, float64(k%2))
			z := a * (x[i] - (float64(k%4) - 1.5))
			logs.Set(i, k, math.Log(a)-0.5*z*z)
		}
	}
	return x, logs
}

// looOf is leave-one-out of log-likelihoods of any origin.
func looOf(t *testing.T, logs *mat.Dense) *Elpd {
	t.Helper()
	weights, k := must.Get2((LOO{}).weights(logs))(t)
	n, data := logs.Dims()
	e := &Elpd{Method: "psis-loo", K: k, Limit: math.Min(1-1/math.Log10(float64(n)), 0.7)}
	for c := range data {
		w := mat.Col(nil, c, weights)
		floats.Add(w, mat.Col(nil, c, logs))
		e.Data, e.Pointwise = append(e.Data, c), append(e.Pointwise, floats.LogSumExp(w))
		e.P += logMeanExp(mat.Col(nil, c, logs)) - e.Pointwise[c]
	}
	return e
}

// ArviZ and this package do the same sums, in another order: 1e-8 is rounding.
func TestNumbersOfArviZ(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/arviz.json"))(t)
	var want reference
	must.Do(t, json.Unmarshal(raw, &want))
	const tol = 1e-8
	var models []Candidate
	for name, f := range map[string][2]float64{"even": {1, 0.4}, "odd": {0.3, 3}, "wide": {0.4, 1}} {
		_, logs := arvizLogs(f[0], f[1])
		e, w := looOf(t, logs), want.LOO[name]
		models = append(models, Candidate{Name: name, Elpd: e})
		total := e.Total()
		near(t, name+": elpd", total.Mean, w.Elpd, tol)
		near(t, name+": se", total.SE, w.SE, tol)
		near(t, name+": p", e.P, w.P, tol)
		near(t, name+": limit of k", e.Limit, w.GoodK, tol)
		for c := range e.Data {
			near(t, name+": pointwise", e.Pointwise[c], w.ElpdI[c], tol)
			near(t, name+": k", e.K[c], w.ParetoK[c], tol)
		}
	}
	table := must.Get(Compare(models...))(t)
	for _, r := range table {
		w := want.Compare[r.Name]
		must.Equal(t, r.Rank, w.Rank, r.Name, "has rank")
		near(t, r.Name+": elpd", r.Elpd, w.Elpd, tol)
		near(t, r.Name+": se", r.SE, w.SE, tol)
		near(t, r.Name+": p", r.P, w.P, tol)
		near(t, r.Name+": diff", r.Diff, w.ElpdDiff, tol)
		near(t, r.Name+": dse", r.DSE, w.DSE, tol)
		// Its optimiser stops where the sum changes by 1e-6.
		near(t, r.Name+": weight", r.Weight, w.Weight, 1e-3)
		if w.PWorse != nil {
			near(t, r.Name+": worse", r.Worse, *w.PWorse, tol)
		}
	}
	x, logs := arvizLogs(1, 0.4)
	d := &expfam.Draws{X: mat.NewDense(len(x), 1, x)}
	total, prior := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		total[i], prior[i] = floats.Sum(logs.RawRowView(i)), -x[i]*x[i]/2
	}
	for name, component := range map[string][]float64{"likelihood": total, "prior": prior} {
		s := must.Get(Sensitivity{Efficiency: want.TailEfficiency[name]}.Of(d, component))(t)
		near(t, "sensitivity to the "+name, s[0], want.Psense[name], tol)
	}
	d.X.Set(3, 0, math.NaN())
	must.Refuse(Sensitivity{}.Of(d, prior))(t, "the draws of cell 0 are not all finite")
}

// normals is a smooth field with normal data, and an outlier where outlier > 0.
func normals(outlier float64) (prior gp.RBF, like expfam.Likelihood, obs expfam.Observations) {
	prior = gp.RBF{Cells: 12}
	like = expfam.Likelihood{Family: expfam.Normal{SD: 1.5}}
	x, rng := make([]float64, 12), expfam.Stream(1, "normals")
	prior.Draw(rng, x)
	for j := range x {
		x[j] += 1.5 * rng.NormFloat64()
	}
	x[7] += outlier
	obs = expfam.Must(like.Observe1(x...))
	obs[3] = expfam.Term{}
	return prior, like, obs
}

// leftOut is log p(y_k | other data) in closed form: the difference of two log evidences.
func leftOut(t *testing.T, prior gp.RBF, like expfam.Likelihood, obs expfam.Observations, k int) float64 {
	t.Helper()
	all := must.Get(gp.Exact(prior, like, obs))(t)
	without := append(expfam.Observations(nil), obs...)
	without[k] = expfam.Term{}
	return all.LogEvidence - must.Get(gp.Exact(prior, like, without))(t).LogEvidence
}

func conditioned(prior gp.RBF, draws int, seed uint64) Fit {
	return func(_ context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
		c, err := gp.Exact(prior, like, obs)
		if err != nil {
			return nil, err
		}
		return c.Sample(draws, seed)
	}
}

func TestLeaveOneOutInClosedForm(t *testing.T) {
	t.Run("weights", func(t *testing.T) {
		prior, like, obs := normals(0)
		post := must.Get(conditioned(prior, 10_000, 2)(t.Context(), like, obs))(t)
		e := must.Get(LOO{}.Run(post, obs))(t)
		must.Need(t, len(e.Data) == 11 && len(e.High()) <= 0,
			"%d data, %v with a high k; want 11 and none", len(e.Data), e.High())
		for c, k := range e.Data {
			// k up to 0.5: n^(-1/2) times a few
			near(t, "log density of a datum", e.Pointwise[c], leftOut(t, prior, like, obs, k), 0.05)
		}
	})
	t.Run("refits", func(t *testing.T) {
		prior, like, obs := normals(7)
		post := must.Get(conditioned(prior, 4000, 2)(t.Context(), like, obs))(t)
		e := must.Get(LOO{}.Run(post, obs))(t)
		if high := e.High(); len(high) == 0 || !strings.Contains(e.String(), "LOO.Refit") {
			t.Fatalf("no high k in %v with an outlier", e)
		}
		e = must.Get(LOO{Refit: conditioned(prior, 40_000, 3)}.Run(post, obs))(t)
		must.Need(t, len(e.Refitted) != 0 && e.Warning() == "", "refitted %v, warning %q", e.Refitted, e.Warning())
		for _, c := range e.Refitted {
			// An outlier is predicted by the tail of the draws.
			near(t, "log density of a refitted datum", e.Pointwise[c], leftOut(t, prior, like, obs, e.Data[c]), 0.3)
		}
		failed := errors.New("no fit")
		_, err := LOO{Refit: func(context.Context, expfam.Likelihood, expfam.Observations) (*expfam.Posterior, error) {
			return nil, failed
		}}.Run(post, obs)
		must.Be(t, errors.Is(err, failed), "error %v, want that of the refit", err)
	})
}

// With independent cells and conjugate priors LOO is the prior predictive distribution.
func TestLeaveOneOutPIT(t *testing.T) {
	const draws, cells = 4000, 8
	prior := must.Get(gp.New(nil, mat.NewDiagDense(cells, []float64{1, 1, 1, 1, 1, 1, 1, 1})))(t)
	like := expfam.Likelihood{Family: expfam.Normal{SD: 1}}
	y := []float64{-1.5, -1, -0.5, 0, 0.3, 0.6, 1, 1.4}
	obs := must.Get(like.Observe1(y...))(t)
	post := must.Get(must.Get(gp.Exact(prior, like, obs))(t).Sample(draws, 1))(t)
	low, high := must.Get2(LOO{}.PIT(post, obs, 1))(t)
	for j := range y {
		want := distuv.Normal{Sigma: math.Sqrt2}.CDF(y[j])
		near(t, "P(ỹ < y)", low[j], want, 0.05) // 4 standard errors of 1000 effective draws are 0.06
		near(t, "P(ỹ ≤ y)", high[j], low[j], 1e-12)
	}
}

func TestEvidenceByTempering(t *testing.T) {
	prior, like, obs := normals(0)
	want := must.Get(gp.Exact(prior, like, obs))(t).LogEvidence
	var squares float64
	const repeats = 8
	for seed := range uint64(repeats) {
		e := must.Get(Tempering{}.Run(like, obs, conditionedSeeded(prior, 600, seed)))(t)
		near(t, "log evidence", e.Log.Mean, want, 0.2)
		z := (e.Log.Mean - want) / e.Log.SE
		squares += z * z
		must.Need(t, e.Betas[0] == 0 && e.Betas[len(e.Betas)-1] == 1, "levels %v", e.Betas)
	}
	// A χ² of 8 degrees of freedom is between 1.3 and 22 with probability 0.99.
	must.Be(t, squares >= 1.3 && squares <= 22,
		"mean squared error is %.2f of what the standard errors say, want 1", squares/repeats)
	for _, c := range map[string]struct {
		like expfam.Likelihood
		t    Tempering
		want string
	}{
		"not a power": {expfam.Likelihood{Family: expfam.BetaBinomial{}}, Tempering{}, "power"},
		"overlap":     {like, Tempering{Overlap: 2}, "overlap 2"},
		"levels":      {like, Tempering{Levels: 2, Overlap: 0.9}, "more Levels"},
	} {
		must.Refuse(c.t.Run(c.like, obs, conditioned(prior, 100, 1)))(t, c.want)
	}
}

// conditionedSeeded gives every level its own draws.
func conditionedSeeded(prior gp.RBF, draws int, seed uint64) Fit {
	level := uint64(0)
	return func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
		level++
		return conditioned(prior, draws, 1000*seed+level)(ctx, like, obs)
	}
}

func TestComparisonsThatMeanNothing(t *testing.T) {
	a := &Elpd{Method: "psis-loo", Data: []int{0, 1}, Pointwise: Scores{-1, -2}}
	for want, models := range map[string][]Candidate{
		"give at least 2":  {{Elpd: a}},
		"neither":          {{Elpd: a}, {Name: "b"}},
		"score all by one": {{Elpd: a}, {Elpd: &Elpd{Method: "thinning in 5", Data: a.Data, Pointwise: a.Pointwise}}},
		"scored on different": {{Elpd: a}, {Elpd: &Elpd{Method: "psis-loo", Data: []int{0, 2},
			Pointwise: a.Pointwise}}},
	} {
		must.Refuse(Compare(models...))(t, want)
	}
}

// A datum that a draw makes impossible has weights without a limit. Only a fit without the datum gives its density.
func TestImpossibleDatumIsRefitted(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := must.Get(like.Observe1(3, 0, 4))(t)
	post := sampleOf(like, 500, 3, 1)
	post.X.Set(7, 0, 800) // a rate of +Inf
	must.Refuse((LOO{}).Run(post, obs))(t, "datum 0")
	other := sampleOf(like, 500, 3, 2)
	refit := func(context.Context, expfam.Likelihood, expfam.Observations) (*expfam.Posterior, error) {
		return other, nil
	}
	e := must.Get(LOO{Refit: refit}.Run(post, obs))(t)
	must.Need(t, len(e.Refitted) == 1 && e.Refitted[0] == 0 && math.IsInf(e.K[0], 1),
		"refitted %v, k %v; want datum 0 alone, with k = +Inf", e.Refitted, e.K)
	want := must.Get(LogScore(other, obs, []int{0}))(t)
	near(t, "log density without the datum", e.Pointwise[0], want[0], 1e-12)
	must.Refuse2((LOO{}).PIT(post, obs, 1))(t, "draw 7")
}

// Models get default names in the result alone.
func TestCompareLeavesItsArguments(t *testing.T) {
	e := &Elpd{Data: []int{0, 1}, Pointwise: Scores{-1, -2}}
	models := []Candidate{{Elpd: e}, {Elpd: e}, {Elpd: e}}
	must.Get(Compare(models...))(t)
	if c := must.Get(Compare(models[1:]...))(t); c[0].Name != "model 1" || c[1].Name != "model 2" {
		t.Errorf("names %q and %q, want model 1 and model 2", c[0].Name, c[1].Name)
	}
}

// A draw of a level above 0 cannot give the data probability 0. An approximate sampler may make one.
func TestTemperingRefusesImpossibleDraws(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := must.Get(like.Observe1(3, 0, 4))(t)
	fit := func(context.Context, expfam.Likelihood, expfam.Observations) (*expfam.Posterior, error) {
		post := sampleOf(like, 100, 3, 1)
		post.X.Set(7, 0, 800) // a rate of +Inf
		return post, nil
	}
	must.Refuse((Tempering{}).Run(like, obs, fit))(t, "draw 7")
}

// Twenty draws that are repeated do not tell the tail of the weights, so no datum can be trusted.
func TestRepeatedDrawsHaveNoShape(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := must.Get(like.Observe1(3, 0, 4))(t)
	few := sampleOf(like, 20, 3, 1)
	x := mat.NewDense(500, 3, nil)
	for i := range 500 {
		x.SetRow(i, few.X.RawRowView(i%20))
	}
	e := must.Get(LOO{}.Run(&expfam.Posterior{X: x, Likelihood: like}, obs))(t)
	must.Be(t, len(e.High()) == 3 && e.Warning() != "",
		"k %v, warning %q; want all 3 data above the limit", e.K, e.Warning())
}

// All replicates of a rate near 0 are below the counts. Their weights sum to 1 up to rounding, and PIT values
// above 1 are refused by histograms.
func TestLeaveOneOutPITIsAtMostOne(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := must.Get(like.Observe1(3, 1, 4, 2, 5, 7))(t)
	for seed := range uint64(10) {
		post := sampleOf(like, 500, 6, seed)
		post.X.Apply(func(_, _ int, v float64) float64 { return v - 12 }, post.X)
		low, high := must.Get2(LOO{}.PIT(post, obs, seed))(t)
		for k := range low {
			must.Need(t, low[k] <= high[k] && high[k] <= 1,
				"seed %d, datum %d: from %.17g to %.17g", seed, k, low[k], high[k])
		}
	}
}

// sampleOf returns independent draws of x₀ with mean 1 and sd 0.3 in every cell.
func sampleOf(like expfam.Likelihood, draws, cells int, seed uint64) *expfam.Posterior {
	rng := expfam.Stream(seed, "sampleOf")
	x := mat.NewDense(draws, cells, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 1 + 0.3*rng.NormFloat64() }, x)
	return &expfam.Posterior{X: x, Likelihood: like}
}

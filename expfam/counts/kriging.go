package counts

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/speak"
)

// Kriging is ordinary kriging of empirical logits. The positives y of n trials in a cell are
// treated as a measurement of logit θ with normal noise,
//
//	z = log((y + ½)/(n − y + ½)),  variance 1/(y + ½) + 1/(n − y + ½)
//
// (Anscombe 1956, Biometrika 43; Gart & Zweifel 1967, Biometrika 54). The logits are a field
// with an unknown constant level. The logit of every cell is normal, with the best linear
// prediction as its mean and the prediction variance as its variance. Where y is near 0 or n,
// z is biased towards ½ and far from normal; gmrf.Sample uses the counts themselves.
//
// Draws of different cells are independent, so they are useless for sums over cells.
type Kriging struct {
	Grid grid.Grid
	// Range is the distance at which correlations are near 0.14, in the unit of the axes (on a sphere, in the unit of
	// Radius). SD is the standard deviation of the field of logits. Default: fitted by restricted maximum likelihood,
	// to at most 500 cells that are evenly spread in the order of the grid.
	Range, SD float64
	// Nugget is the standard deviation of independent differences of single logits from the field. Default 0: z then
	// differs from the field by the noise above only. FitNugget fits it; leave Nugget 0 then.
	Nugget    float64
	FitNugget bool
	// Smoothness is the smoothness of the Matérn covariance: ½, 3/2 or 5/2. Default ½, the exponential covariance.
	Smoothness float64
}

// most is how many cells with data Kriging takes. The covariances of so many cells take 130 MB.
const most = 4000

// Sample makes draws. Info.Diagnostics has range, sd, nugget and level of the logits, and
// log_likelihood, the log-likelihood of the contrasts of z (restricted maximum likelihood).
func (k Kriging) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return k.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Kriging.Sample] that ends with ctx.
func (k Kriging) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	v, s, mean, sd, err := k.predict(like, obs)
	if err != nil {
		return nil, err
	}
	post, err := o.draws(ctx, like, obs, "kriging", func(i int, theta []float64) {
		rng := expfam.Stream(o.Seed, fmt.Sprintf("counts/kriging/draw-%d", i))
		for j := range theta {
			theta[j] = inside(1 / (1 + math.Exp(-mean[j]-sd[j]*rng.NormFloat64())))
		}
	})
	if onGrid(post, k.Grid); post != nil {
		d := post.Info.Diagnostics
		d["range"], d["sd"], d["nugget"], d["level"], d["log_likelihood"] = v.length, v.sd, v.nugget, s.level,
			s.logLikelihood
	}
	return post, err
}

// predict returns the mean and the standard deviation of the logit of every cell, with the
// variogram and the system of equations that give them.
func (k Kriging) predict(like expfam.Likelihood, obs expfam.Observations) (v variogram, s *system, mean, sd []float64,
	err error) {
	fail := func(err error) (variogram, *system, []float64, []float64, error) { return v, nil, nil, nil, err }
	cells, err := examined(like, k.Grid, obs)
	if err != nil {
		return fail(err)
	}
	k.Smoothness = cmp.Or(k.Smoothness, 0.5)
	if !(k.Range >= 0 && k.SD >= 0 && k.Nugget >= 0) || math.IsInf(k.Range+k.SD+k.Nugget, 0) {
		return fail(fmt.Errorf("counts: range %g, sd %g and nugget %g; all must be positive, or 0: the first two "+
			"are then fitted", k.Range, k.SD, k.Nugget))
	}
	if k.FitNugget && k.Nugget != 0 {
		return fail(fmt.Errorf("counts: the nugget is %g and to be fitted; leave one of the two out", k.Nugget))
	}
	if k.Smoothness != 0.5 && k.Smoothness != 1.5 && k.Smoothness != 2.5 {
		return fail(fmt.Errorf("counts: smoothness %g; use 0.5, 1.5 or 2.5, or 0 for 0.5", k.Smoothness))
	}
	if len(cells) > most {
		return fail(fmt.Errorf("counts: %d cells have data; kriging takes at most %d, use gmrf.Sample", len(cells),
			most))
	}
	all := places(k.Grid)
	at, z, noise := make([]place, len(cells)), make([]float64, len(cells)), make([]float64, len(cells))
	index := make(map[int]int, len(cells))
	for c, j := range cells {
		y, n := obs[j].Stat+0.5, obs[j].Size-obs[j].Stat+0.5
		at[c], z[c], noise[c], index[j] = all[j], math.Log(y/n), 1/y+1/n, c
	}
	across, down := k.Grid.Spacing()
	v = variogram{k.Range, k.SD, k.Nugget, k.Smoothness}
	some, zs, noises := thin(at, 500), thin(z, 500), thin(noise, 500)
	if v, err = v.fit(k.FitNugget, some, zs, noises, math.Min(across, down),
		math.Max(across*float64(k.Grid.Cols), down*float64(k.Grid.Rows))); err != nil {
		return fail(err)
	}
	s, ok := v.system(at, z, noise)
	if !ok {
		return fail(fmt.Errorf("counts: the covariances at range %g and sd %g are not positive definite; give a "+
			"shorter Range or a Nugget", v.length, v.sd))
	}
	mean, sd = make([]float64, len(obs)), make([]float64, len(obs))
	var u mat.TriDense
	s.chol.UTo(&u)
	c := mat.NewVecDense(len(cells), nil)
	for j := range mean {
		for i, p := range at {
			c.SetVec(i, v.at(p.distance(all[j])))
		}
		if i, ok := index[j]; ok {
			c.SetVec(i, c.AtVec(i)+v.nugget*v.nugget)
		}
		mean[j] = s.level + mat.Dot(c, s.pull)
		// The level is estimated with the variance 1/total.
		rest := 1 - mat.Dot(c, s.weight)
		blas64.Trsv(blas.Trans, u.RawTriangular(), c.RawVector())
		variance := v.sd*v.sd + v.nugget*v.nugget - mat.Dot(c, c) + rest*rest/s.total
		sd[j] = math.Sqrt(math.Max(0, variance)) // rounding can make the variance negative
	}
	return v, s, mean, sd, nil
}

// thin returns at most n of the elements of x, evenly spread.
func thin[T any](x []T, n int) []T {
	if len(x) <= n {
		return x
	}
	out := make([]T, n)
	for i := range out {
		out[i] = x[i*len(x)/n]
	}
	return out
}

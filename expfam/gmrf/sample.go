package gmrf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/internal/speak"
)

func sample(ctx context.Context, prior Prior, terms *expfam.Terms, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	began := time.Now()
	o.Draws = cmp.Or(o.Draws, 500)
	if o.Draws < 1 {
		return nil, fmt.Errorf("gmrf: %d draws; ask for at least 1, or 0 for 500", o.Draws)
	}
	if cells := prior.Grid.Len(); cells > 0 {
		if err := machine.Fits(fmt.Sprintf("gmrf: %d draws of %d cells", o.Draws, cells),
			8*float64(o.Draws)*float64(cells), "draw fewer"); err != nil {
			return nil, err
		}
	}
	f, err := o.fit(ctx, prior, terms, obs)
	if err != nil {
		return nil, err
	}
	var points []weighted
	if !f.integrate {
		points = []weighted{{hyper: f.mode.hyper, weight: 1}}
	} else {
		if points, f.mode, err = f.model.around(ctx, f.search); err != nil {
			return nil, err
		}
		f.mode.centre()
		f.best = f.mode.hyper
	}
	polish, err := newPolish(ctx, f.model, f.mode, points)
	if err != nil {
		return nil, err
	}
	post := &expfam.Posterior{Likelihood: terms.Likelihood, Info: expfam.Info{Method: "gmrf laplace", Engine: "go",
		Seed: o.Seed, Missing: obs.Blanks(), Diagnostics: f.diagnostics(o, len(points))}}
	var x *mat.Dense
	which := make([]int, o.Draws) // the points of the draws
	if polish == nil {
		x, err = o.draw(ctx, f, points, which)
	} else {
		post.Info.Method += " + hmc"
		x, err = o.polished(ctx, polish, post.Info.Diagnostics, which)
	}
	post.Info.Diagnostics["newton"], post.Info.Diagnostics["fits"] = float64(f.model.newton), float64(f.model.fits)
	if x == nil {
		return nil, err
	}
	if post.X = x; err == nil {
		post.SetCertificate(f.model.certify(post, obs, points, which))
	}
	post.Info.Seconds = time.Since(began).Seconds()
	return post, err
}

// fitted is a model at the mode of its hyperparameters.
type fitted struct {
	model  *model
	mode   *Approximation
	search *search
	best   hyper   // the hyperparameters of the mode, with ρ if it was fitted to a window
	bound  float64 // how many hyperparameters that were fitted to a window lie at a bound

	open int // how many hyperparameters were fitted
	// integrate is whether the hyperparameters are integrated out.
	integrate bool
}

// fit fits the open hyperparameters and finds the mode of the field. If the options give
// a window, the hyperparameters are fitted to it first.
func (o Options) fit(ctx context.Context, prior Prior, terms *expfam.Terms, obs expfam.Observations) (*fitted, error) {
	m, err := newModel(prior, terms, obs)
	if err != nil {
		return nil, err
	}
	side, err := o.window(prior)
	if err != nil {
		return nil, err
	}
	if m.through != nil {
		if o.Window > 0 || o.Overdispersed {
			return nil, errors.New("gmrf: Window and Overdispersed are for data of single cells; leave them out " +
				"where data look through an operator")
		}
		side = 0
	}
	if o.Overdispersed {
		if err := m.open(terms); err != nil {
			return nil, err
		}
	}
	f, local := &fitted{open: len(m.axes())}, terms
	if side > 0 && len(m.axes()) > 0 {
		if prior, local, f.bound, err = prior.local(ctx, terms, obs, side, o.Overdispersed); err != nil {
			return nil, err
		}
		if m, err = newModel(prior, local, obs); err != nil {
			return nil, err
		}
	}
	f.model = m
	f.search = m.search(ctx)
	if f.integrate = o.Integrate && len(m.axes()) > 0; f.integrate {
		return f, nil // the best hyperparameters are those of the integration
	}
	if f.mode, err = m.maximise(ctx, f.search, none); err != nil {
		return nil, err
	}
	speak.Say(ctx, "variances of the cells")
	f.mode.centre()
	f.best = f.mode.hyper
	if mixed, ok := local.Family.(expfam.BetaBinomial); ok && local != terms {
		f.best.rho = mixed.Correlation
	}
	told, err := m.told(f.search, f.mode)
	f.integrate = !told
	return f, err
}

// diagnostics returns the diagnostics that are known before the draws.
func (f *fitted) diagnostics(o Options, points int) map[string]float64 {
	all := map[string]float64{
		"range": f.best.length, "sd": f.best.sd, "nugget": f.best.nugget, "at_bound": f.bound + f.model.atBound(f.best),
		"level": f.mode.levelMean, "level_sd": 1 / math.Sqrt(f.mode.s),
		"log_evidence": f.mode.LogEvidence, "not_concave": float64(f.mode.notConcave), "points": float64(points),
	}
	if o.Overdispersed {
		all["correlation"] = f.best.rho
	}
	if f.open > 0 && !f.integrate {
		all["fitted"], all["data"] = float64(f.open), float64(len(f.model.obs)-f.model.obs.Blanks())
	}
	return all
}

// draw makes the draws, point by point of the hyperparameters, and writes the points to member. After an interrupt it
// returns the finished draws, in the order of their numbers, with the error. The matrix is nil if no draw was finished.
func (o Options) draw(ctx context.Context, f *fitted, points []weighted, member []int) (*mat.Dense, error) {
	cells := f.model.prior.Grid.Len()
	x := mat.NewDense(o.Draws, cells, nil)
	finished := make([]bool, o.Draws)
	for k := range member {
		member[k] = pick(points, drawStream(o.Seed, k).Float64())
	}
	steps := pace.New(ctx, "gmrf", fmt.Sprintf("%d draws of %d cells", o.Draws, cells), o.Draws)
	errs := make([]error, len(points))
	f.search.from(f.mode)
	parallel.For(len(points), parallel.Heavy, func(p int) {
		var mine []int
		for k, point := range member {
			if point == p {
				mine = append(mine, k)
			}
		}
		if len(mine) == 0 || ctx.Err() != nil {
			return
		}
		fit := f.mode
		if fit.hyper != points[p].hyper {
			near := &Approximation{x: f.mode.x, level: f.mode.level, factor: f.search.take()}
			defer f.search.give(near.factor)
			if fit, errs[p] = f.model.laplace(ctx, points[p].hyper, near); errs[p] != nil {
				return
			}
		}
		for _, k := range mine {
			if ctx.Err() != nil {
				return
			}
			fit.draw(o.Seed, k, x.RawRowView(k))
			finished[k] = true
			steps.Step(math.NaN())
		}
	})
	for _, err := range errs {
		if err != nil && !errors.Is(err, expfam.ErrInterrupted) {
			return nil, err
		}
	}
	return kept(x, finished)
}

// pick returns the index of the point at the quantile u of the weights.
func pick(points []weighted, u float64) int {
	for p, point := range points {
		if u -= point.weight; u < 0 {
			return p
		}
	}
	return len(points) - 1
}

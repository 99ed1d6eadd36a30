// Package counts has baselines that need no prior of a field. [Raw] uses only the data of each cell. [Kernel] smooths
// Poisson counts; [Neighbours] and [Kriging] smooth proportions. [Pooled] estimates one constant from all data. These
// five return an *expfam.Posterior, so the same scores and figures apply to all of them. [RichardsonLucy] is for counts
// of sums of intensities, and returns an estimate without draws.
package counts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
)

// Options are the options of the baselines that make draws.
type Options struct {
	Draws int // default 500
	Seed  uint64
}

// draws makes a posterior from draws of θ. fill writes draw k, which depends on the seed and
// k alone. After an interrupt draws returns the finished draws with the error.
func (o Options) draws(ctx context.Context, like expfam.Likelihood, obs expfam.Observations, method string,
	fill func(k int, theta []float64)) (*expfam.Posterior, error) {
	began := time.Now()
	o.Draws = cmp.Or(o.Draws, 500)
	if o.Draws < 1 {
		return nil, fmt.Errorf("counts: %d draws; ask for at least 1, or 0 for 500", o.Draws)
	}
	inverse, err := inverseOf(like)
	if err != nil {
		return nil, err
	}
	cells := len(obs)
	x := mat.NewDense(o.Draws, cells, nil)
	theta := make([]float64, cells)
	for k := range o.Draws {
		if ctx.Err() != nil {
			err := fmt.Errorf("counts: %w after %d of %d draws", expfam.ErrInterrupted, k, o.Draws)
			if k == 0 {
				return nil, err
			}
			return o.posterior(x.Slice(0, k, 0, cells).(*mat.Dense), like, obs.Blanks(), method, began), err
		}
		fill(k, theta)
		for j, v := range theta {
			if x.RawRowView(k)[j], err = inverse(v); err != nil {
				return nil, fmt.Errorf("counts: cell %d: %w", j, err)
			}
		}
	}
	return o.posterior(x, like, obs.Blanks(), method, began), nil
}

// onGrid gives a posterior, which may be nil, the sides of its grid.
func onGrid(post *expfam.Posterior, g grid.Grid) {
	if post != nil {
		post.Info.Rows, post.Info.Cols = g.Rows, g.Cols
	}
}

func (o Options) posterior(x *mat.Dense, like expfam.Likelihood, missing int, method string,
	began time.Time) *expfam.Posterior {
	return &expfam.Posterior{X: x, Likelihood: like, Info: expfam.Info{
		Method: method, Engine: "go", Seed: o.Seed, Missing: missing, Seconds: time.Since(began).Seconds(),
		Diagnostics: map[string]float64{}}}
}

// inverseOf returns the link g, which maps θ to x. It uses a formula if the inverse link g⁻¹ is exp or the identity, or
// makes the natural parameter affine in x, as sigmoid(5*x) does. Otherwise it searches for x.
func inverseOf(like expfam.Likelihood) (func(theta float64) (float64, error), error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	if err := terms.Cellwise(); err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	link := terms.Link
	switch link.String() {
	case expfam.ExpLink.String():
		return func(theta float64) (float64, error) {
			if x := math.Log(theta); !math.IsInf(x, 0) {
				return x, nil
			}
			return terms.InverseAt(theta) // a draw of a Gamma of tiny shape underflows to 0
		}, nil
	case expfam.IdentityLink.String():
		return func(theta float64) (float64, error) { return theta, nil }, nil
	}
	e, ok := terms.Formula()
	if !ok {
		return terms.InverseAt, nil
	}
	eta := like.Family.Natural().Eta
	intercept, slope, ok := eta.Substitute(e).Affine()
	if !ok || slope == 0 {
		return terms.InverseAt, nil
	}
	return func(theta float64) (float64, error) {
		x := (eta.Eval(theta) - intercept) / slope
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return terms.InverseAt(theta)
		}
		return x, nil
	}, nil
}

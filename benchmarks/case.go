// Package benchmarks measures the library: on curves and fields whose exact posterior is known ([Case]), on images
// ([ImageCurve]), behind operators ([OperatorCases], [OperatorImages]), on maps of prevalence ([Prevalence]) and with
// covariates ([Regressions]). README.md has the results, with the commands.
package benchmarks

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/problem"
)

// Case is a problem on a line or a grid, with or without gaps.
type Case struct {
	problem.Case
	// Missing is the share of cells without a datum. Each cell is drawn on its own. Default none.
	Missing float64
	// Columns is the number of columns of a field on a grid, stored row by row. Default 0, for cells on a line.
	Columns int
}

// The cases of the paper.
var (
	Normal      = Case{Case: problem.Normal}
	PoissonLow  = Case{Case: problem.PoissonLow}
	PoissonHigh = Case{Case: problem.PoissonHigh}
	LogNormal   = Case{Case: problem.LogNormal}
	Exponential = Case{Case: problem.Exponential}
)

// Cases are all cases of the paper, in the order of its figures A1 to A5.
var Cases = []Case{Normal, PoissonLow, PoissonHigh, LogNormal, Exponential}

// field returns the prior that x₀ is drawn from.
func (c Case) field() problem.Field {
	if c.Field == nil {
		return problem.Prior
	}
	return c.Field
}

// Simulate draws x₀ from the prior and y given x₀, and leaves out the missing cells: y is NaN there. With equal seeds
// all cases of one field have the same truth.
func (c Case) Simulate(seed uint64) (*problem.Dataset, error) {
	d, err := c.Case.Simulate(seed)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	rng := expfam.Stream(seed, "benchmark/missing")
	for j := range d.Obs {
		if rng.Float64() < c.Missing {
			d.Y[j], d.Obs[j] = math.NaN(), expfam.Term{}
		}
	}
	return d, nil
}

// truthDraws is the number of draws of each of four chains. The Monte-Carlo error of all their draws is a fifth
// of the error of 500 draws. Everyday tests take fewer.
var truthDraws = 5000

// truth returns the exact posterior of a data set, as [problem.Dataset.Truth] does.
func (c Case) truth(d *problem.Dataset) (calibrate.Reference, error) {
	if exact, err := gp.Exact(c.field(), c.Likelihood, d.Obs); err == nil {
		return exact, nil
	}
	return hmc.Sample(c.field(), c.Likelihood, d.Obs, hmc.Options{Draws: truthDraws})
}

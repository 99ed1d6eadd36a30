package main

import (
	"math"
	"path/filepath"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
)

// campaign is a map of prevalence on square cells, a tenth of which have positives y of so many people examined, who
// are correlated by .05 in a cell.
type campaign struct {
	side       int
	prevalence []float64
	y, n       []float64    // of cells; y is NaN in those without a survey
	cells      [2][]float64 // rows and columns
	surveys    [4][]float64 // positives, people examined, rows and columns
}

// simulateCampaign draws the field of sd .3 and a range of a fifth of the side, and 5 people and more in each survey.
func simulateCampaign(side int, seed uint64) (*campaign, error) {
	c := &campaign{side: side}
	field, err := gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: float64(side) / 5, SD: 0.3, Level: -0.15,
		KnownLevel: true}.Draw(expfam.Stream(seed, "campaign"))
	if err != nil {
		return nil, err
	}
	rng := expfam.Stream(seed+1, "campaign")
	for j, x := range field {
		y, n, p, row, col := math.NaN(), 1.0, 1/(1+math.Exp(-5*x)), float64(j/side), float64(j%side)
		if rng.Float64() < 0.1 {
			n = 5 + math.Round(60*rng.ExpFloat64())
			y = expfam.BetaBinomial{Correlation: 0.05}.Rand(p, expfam.Given(n), rng)
			for k, v := range []float64{y, n, row, col} {
				c.surveys[k] = append(c.surveys[k], v)
			}
		}
		c.y, c.n, c.prevalence = append(c.y, y), append(c.n, n), append(c.prevalence, p)
		c.cells[0], c.cells[1] = append(c.cells[0], row), append(c.cells[1], col)
	}
	return c, nil
}

func (c *campaign) write(dir string) error {
	if err := writeColumns(filepath.Join(dir, "surveys.csv"), []string{"y", "n", "row", "col"},
		c.surveys[:]...); err != nil {
		return err
	}
	return writeColumns(filepath.Join(dir, "cells.csv"), []string{"row", "col"}, c.cells[:]...)
}

func (c *campaign) ours() (estimate, error) {
	like := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}
	obs, err := like.Observe(expfam.Data{Y: [][]float64{c.y}, Known: [][]float64{c.n}})
	if err != nil {
		return estimate{}, err
	}
	post, err := gmrf.Sample(gmrf.Prior{Grid: grid.Grid{Rows: c.side, Cols: c.side}}, like, obs,
		gmrf.Options{Seed: 1, Overdispersed: true, Fresh: true})
	if err != nil {
		return estimate{}, err
	}
	return of(post.Theta()), nil
}

func (c *campaign) peers() []peer {
	return []peer{{"GPBoost, beta-binomial", "python/gp.py", "beta_binomial"},
		{"GPBoost, binomial", "python/gp.py", "binomial_logit"},
		{"mgcv, Matérn of rank 200, quasibinomial", "r/gp.R", ""}}
}

func (c *campaign) score(e estimate) string { return errorAndCoverage(e, c.prevalence) }

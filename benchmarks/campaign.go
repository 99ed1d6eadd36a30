package benchmarks

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/speak"
)

// Prevalence is a map with the number of people examined in every cell, and of the positives among them. Methods are
// compared on it ([Prevalence.Compare]).
type Prevalence struct {
	Grid       grid.Grid
	Likelihood expfam.Likelihood // Binomial, θ = sigmoid(5 x)
	Obs        expfam.Observations
	Theta      []float64 // the truth of every cell, or nil
}

// Surveyed returns the map of given surveys, real or simulated.
func Surveyed(cells *survey.Cells) (Prevalence, error) {
	p := Prevalence{Grid: cells.Map.Grid, Likelihood: expfam.Likelihood{Family: expfam.Binomial{},
		Link: expfam.MustLink("sigmoid(5*x)")}}
	var err error
	p.Obs, err = p.Likelihood.Observe(cells.Data())
	return p, err
}

// Truth makes a field x₀ for a simulated campaign. Methods do not see it.
type Truth func(g grid.Grid, seed uint64) ([]float64, error)

// SimulatedCampaign visits a truth on a map as [survey.Campaign] does, with a
// correlation of 0.05 between people of a cell.
func SimulatedCampaign(m *land.Map, truth Truth, seed uint64) (Prevalence, error) {
	x0, err := truth(m.Grid, seed)
	if err != nil {
		return Prevalence{}, fmt.Errorf("benchmarks: campaign: %w", err)
	}
	s, err := survey.Campaign{Scatter: survey.CellRates{Rho: 0.05}, Seed: seed}.Simulate(m, x0)
	if err != nil {
		return Prevalence{}, err
	}
	p, err := Surveyed(s.Cells)
	p.Theta = s.Theta
	return p, err
}

// MapMethod is a method that makes a posterior from the data that are seen.
type MapMethod struct {
	Name   string
	Sample func(ctx context.Context, p Prevalence, seen expfam.Observations, seed uint64) (*expfam.Posterior, error)
}

// Compare samples every method on repeated hold-outs of the cells with data, and scores it. By default it holds out a
// fifth of these cells, five times. Counts are scored under the likelihood of the method's posterior:
//
//	campaign := expfam.Must(benchmarks.SimulatedCampaign(m, benchmarks.FieldTruth, 1))
//	table := expfam.Must(campaign.Compare(calibrate.Splits{}, benchmarks.MapMethods(prior, 100)...))
//	fmt.Print(table)
func (p Prevalence) Compare(splits calibrate.Splits, methods ...MapMethod) (MapTable, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return p.CompareContext(ctx, splits, methods...)
}

// CompareContext does what [Prevalence.Compare] does, and ends with ctx.
func (p Prevalence) CompareContext(ctx context.Context, splits calibrate.Splits, methods ...MapMethod) (MapTable,
	error) {
	splits.Grid, splits.Obs = p.Grid, p.Obs
	table := MapTable{Truth: p.Theta != nil}
	for _, m := range methods {
		table.Methods = append(table.Methods, m.Name)
	}
	var err error
	table.Repeated, err = calibrate.RepeatContext(ctx, splits,
		func(ctx context.Context, s calibrate.Split) (scores []MapScore, err error) {
			for _, m := range methods {
				if ctx.Err() != nil {
					return nil, expfam.ErrInterrupted
				}
				post, err := m.Sample(ctx, p, s.Seen, s.Seed)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", m.Name, err)
				}
				score, err := p.Score(post, s)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", m.Name, err)
				}
				scores = append(scores, score)
			}
			return scores, nil
		})
	return table, err
}

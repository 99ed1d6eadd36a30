package graph_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestCoverage: counts of districts and weeks are simulated from the prior, and those of the last four weeks are held
// back. Intervals of 95% contain the true rates of cells, of sums over the weeks of a district and over the districts
// of a week, and of the forecasts of one to four weeks in 95% of cases. With -full there are 140 districts and 52
// weeks.
func TestCoverage(t *testing.T) {
	weeks, sets := 14, 4
	if *fulltest.Full {
		weeks, sets = 56, 24
	}
	areas, field := outbreak(t, weeks)
	t.Log(areas)
	n := areas.Len()
	groups := map[string]func(j int) int{"cells": nil, "weeks": func(j int) int { return j / n },
		"districts": func(j int) int { return j % n }}
	shares, sizes := map[string][]float64{}, map[string]float64{} // by set
	for set := range sets {
		hits, counts := map[string]float64{}, map[string]float64{}
		rates, data := reported(t, field, uint64(set))
		post := forecast(t, field, data, len(rates)-4*n)
		t.Logf("%d cells: %.1f s, %v", len(rates), post.Info.Seconds, post.Info.Certificate)
		theta := post.Theta()
		tally := func(name string, truth float64, draws []float64) {
			low, high := interval(draws)
			if counts[name]++; low <= truth && truth <= high {
				hits[name]++
			}
		}
		for name, of := range groups {
			last, sums := 0, map[int]float64{}
			for j, r := range rates {
				if of == nil {
					draws := theta.Functional(func(x []float64) float64 { return x[j] })
					if ahead := j/n - weeks + 5; ahead > 0 {
						tally(fmt.Sprintf("forecast %d ahead", ahead), r, draws)
					} else {
						tally(name, r, draws)
					}
					continue
				}
				sums[of(j)] += r
				last = max(last, of(j))
			}
			for k := 0; k <= last && of != nil; k++ {
				tally(name, sums[k], theta.Functional(func(x []float64) (sum float64) {
					for j, v := range x {
						if of(j) == k {
							sum += v
						}
					}
					return sum
				}))
			}
		}
		for name, c := range counts {
			shares[name], sizes[name] = append(shares[name], hits[name]/c), c
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		of := shares[name]
		share, sd := stat.MeanStdDev(of, nil)
		// A set moves with its course in time, so sets are what is independent. Few sets may be alike by chance: the
		// standard error is at least that of independent cells.
		se := max(sd, math.Sqrt(0.95*0.05/sizes[name])) / math.Sqrt(float64(sets))
		bound := 0.02 + 4*se
		t.Logf("%s: %.3f of the true rates are in their intervals, standard error %.3f", name, share, se)
		must.Be(t, math.Abs(share-0.95) <= bound,
			"%s: %.3f of the true rates are in their intervals, want 0.95 ± %.3f", name, share, bound)
	}
}

// interval returns the quantiles of 2.5 and 97.5% of draws.
func interval(draws []float64) (low, high float64) {
	d := &expfam.Draws{X: column(draws)}
	l, h := d.EqualTailed(0.95)
	return l[0], h[0]
}

func column(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

package problem

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/grid"
)

// ImageScore says how well a posterior reconstructs an image from its counts.
type ImageScore struct {
	Image, Method string
	// LogScore is the mean log score of the counts of a held-out cell, minus the log score of the true x₀. It is
	// 0 at best.
	LogScore float64
	// CRPS is the CRPS of x₀ in the held-out cells, and CRPSSeen its CRPS in the other cells.
	CRPS, CRPSSeen float64
	// Level is that of the intervals: 0.95, or 0.9 if there are fewer than 39 draws.
	Level float64
	// Coverage is the share of cells whose interval holds the true θ, and CoverageHeld this share of the held-out
	// cells. Blocks is the share of squares of 8×8 cells whose interval holds the true sum of θ. Draws that are
	// right in every single cell may be wrong for sums.
	Coverage, CoverageHeld, Blocks float64
	// Rough is the power of the draws of x₀ in the upper half of the spatial frequencies,
	// divided by that of the truth. It is below 1 if draws are too smooth.
	Rough   float64
	Draws   int
	Seconds float64
}

// block is the side of the squares of ImageScore.Blocks, in cells.
const block = 8

// Score compares a posterior with the truth.
func (i Image) Score(method string, post *expfam.Posterior) (ImageScore, error) {
	s := ImageScore{Image: i.Name, Method: method, Seconds: post.Info.Seconds}
	s.Draws, _ = post.Dims()
	err := post.Check()
	if err == nil {
		err = s.fill(i, post)
	}
	if err != nil {
		return s, fmt.Errorf("problem: %s, %s: %w", i.Name, method, err)
	}
	return s, nil
}

// fill computes all scores.
func (s *ImageScore) fill(i Image, post *expfam.Posterior) error {
	held, seen := i.parts()
	terms, err := i.Likelihood.Terms()
	if err != nil {
		return err
	}
	log, err := calibrate.LogScore(post, i.Held, held)
	if err != nil {
		return err
	}
	for k, j := range held {
		log[k] -= terms.LogLik(i.X0[j], i.Held[j])
	}
	if s.Level = 0.95; s.Draws < 39 {
		s.Level = 0.9
	}
	of := calibrate.Coverage{Level: s.Level}
	inside, err := of.Latent(post, i.Theta)
	if err != nil {
		return err
	}
	for _, j := range held {
		s.CoverageHeld += inside[j] / float64(len(held))
	}
	sums := calibrate.Blocks(i.blocks())
	draws, err := calibrate.Map(post, sums)
	if err != nil {
		return err
	}
	var mean means
	s.LogScore, s.Coverage = log.Mean().Mean, inside.Mean().Mean
	s.CRPS = mean.of(calibrate.CRPS(post.Latent(), i.X0, held))
	s.CRPSSeen = mean.of(calibrate.CRPS(post.Latent(), i.X0, seen))
	s.Blocks = mean.of(of.Latent(draws, sums(i.Theta)))
	if mean.err != nil {
		return mean.err
	}
	s.Rough, err = i.rough(post)
	return err
}

// means keeps the first error of several scores whose means are taken.
type means struct{ err error }

func (m *means) of(s calibrate.Scores, err error) float64 {
	if err != nil {
		if m.err == nil {
			m.err = err
		}
		return math.NaN()
	}
	return s.Mean().Mean
}

// parts returns the cells that were held out, and the other cells.
func (i Image) parts() (held, seen []int) {
	for j, h := range i.IsHeld {
		if h {
			held = append(held, j)
		} else {
			seen = append(seen, j)
		}
	}
	return held, seen
}

// rough returns ImageScore.Rough.
func (i Image) rough(post *expfam.Posterior) (float64, error) {
	truth, draws, err := i.Texture(post)
	return stat.Mean(draws, nil) / truth, err
}

// Texture returns the power of the true x₀ in the upper half of the spatial frequencies, and that of each draw.
func (i Image) Texture(post *expfam.Posterior) (truth float64, draws []float64, err error) {
	upper := func(x []float64) (sum float64, err error) {
		_, power, err := grid.Spectrum(i.Grid, x)
		for k := len(power) / 2; k < len(power); k++ {
			sum += float64(k+1) * power[k] // the number of frequencies in a ring is about proportional to its radius
		}
		return sum, err
	}
	if truth, err = upper(i.X0); err != nil {
		return 0, nil, err
	}
	n, _ := post.Dims()
	draws = make([]float64, n)
	for k := range draws {
		if draws[k], err = upper(post.X.RawRowView(k)); err != nil {
			return 0, nil, err
		}
	}
	return truth, draws, nil
}

// blocks returns, for every cell, the index of its square.
func (i Image) blocks() []int {
	across := (i.Grid.Cols + block - 1) / block
	out := make([]int, i.Grid.Len())
	for j := range out {
		r, c := i.Grid.Cell(j)
		out[j] = r/block*across + c/block
	}
	return out
}

// ImageSummary holds the means of a method's scores over images, with their standard errors.
type ImageSummary struct {
	Method                                     string
	LogScore, CRPS, CRPSSeen, Coverage, Blocks calibrate.Estimate
	CoverageHeld, Rough                        calibrate.Estimate
	Seconds                                    float64
	Images                                     int
	// Worst is the smallest Coverage of any image.
	Worst float64
	// BetterLog and BetterCRPS count the images on which the first method of the table scores better than this one.
	BetterLog, BetterCRPS int
}

func (s ImageSummary) String() string {
	return fmt.Sprintf("%-28s log score %.4f±%.4f  CRPS held out %.4f±%.4f seen %.4f±%.4f  coverage %.3f±%.3f, at "+
		"least %.3f, held out %.3f±%.3f  blocks %.3f±%.3f  rough %.2f±%.2f  the first is better: log %d, CRPS %d of "+
		"%d  %.1fs", s.Method, s.LogScore.Mean, s.LogScore.SE, s.CRPS.Mean, s.CRPS.SE, s.CRPSSeen.Mean, s.CRPSSeen.SE,
		s.Coverage.Mean, s.Coverage.SE, s.Worst, s.CoverageHeld.Mean, s.CoverageHeld.SE, s.Blocks.Mean, s.Blocks.SE,
		s.Rough.Mean, s.Rough.SE, s.BetterLog, s.BetterCRPS, s.Images, s.Seconds)
}

// Summarise averages scores by method, in the order in which they appear first.
func Summarise(all []ImageScore) []ImageSummary {
	var names []string
	by := make(map[string][]ImageScore)
	for _, s := range all {
		if by[s.Method] == nil {
			names = append(names, s.Method)
		}
		by[s.Method] = append(by[s.Method], s)
	}
	first := make(map[string]ImageScore)
	for _, s := range by[names[0]] {
		first[s.Image] = s
	}
	var out []ImageSummary
	for _, name := range names {
		list := by[name]
		mean := func(of func(s ImageScore) float64) calibrate.Estimate {
			var values calibrate.Scores
			for _, s := range list {
				values = append(values, of(s))
			}
			return values.Mean()
		}
		sum := ImageSummary{Method: name, Images: len(list),
			LogScore:     mean(func(s ImageScore) float64 { return s.LogScore }),
			CRPS:         mean(func(s ImageScore) float64 { return s.CRPS }),
			CRPSSeen:     mean(func(s ImageScore) float64 { return s.CRPSSeen }),
			Coverage:     mean(func(s ImageScore) float64 { return s.Coverage }),
			Blocks:       mean(func(s ImageScore) float64 { return s.Blocks }),
			CoverageHeld: mean(func(s ImageScore) float64 { return s.CoverageHeld }),
			Rough:        mean(func(s ImageScore) float64 { return s.Rough }),
			Seconds:      mean(func(s ImageScore) float64 { return s.Seconds }).Mean,
		}
		sum.Worst = 1
		for _, s := range list {
			sum.Worst = min(sum.Worst, s.Coverage)
			f, ok := first[s.Image]
			if ok && f.LogScore > s.LogScore {
				sum.BetterLog++
			}
			if ok && f.CRPS < s.CRPS {
				sum.BetterCRPS++
			}
		}
		out = append(out, sum)
	}
	return out
}

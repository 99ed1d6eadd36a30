package benchmarks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// HeldScore says how well a posterior predicts the data of held-out cells. Each number is a mean over these cells.
type HeldScore struct {
	Median   float64 // |median of replicated y/n − y/n|
	Mean     float64 // |E y/n − y/n|, where E y/n = E θ
	Paper    float64 // |median θ − y/n|, the error of the paper
	Log      float64 // log p(y) of a cell; higher is better
	CRPS     float64 // CRPS of y/n
	Coverage float64 // coverage of 95% intervals of y
}

// TruthScore says how far a posterior is from the true θ. Each number is a mean over all cells of the land.
type TruthScore struct {
	Median   float64 // |median θ − θ|
	Mean     float64 // |E θ − θ|
	CRPS     float64 // CRPS of θ
	Coverage float64 // coverage of 95% intervals of θ
}

// MapScore is the score of a method on one split.
type MapScore struct {
	Held    HeldScore
	Truth   TruthScore // zero if the truth is not known
	Seconds float64    // includes the fit of hyperparameters
}

// MapTable has the scores of methods over repeated hold-outs.
type MapTable struct {
	Methods []string
	Truth   bool // the truth is known, and the scores include it
	// Repeated has the scores of every split. The scores of a split are in the order of Methods.
	calibrate.Repeated[[]MapScore]
}

// Of returns the mean over the splits of one score of a method:
//
//	table.Of("kriging", func(s benchmark.MapScore) float64 { return s.Held.Log })
//
// For a method that the table does not have, the estimate is NaN with N = 0 splits.
func (t MapTable) Of(method string, score func(MapScore) float64) calibrate.Estimate {
	i := slices.Index(t.Methods, method)
	if i < 0 {
		return calibrate.Estimate{Mean: math.NaN(), SE: math.NaN()}
	}
	return t.Mean(func(all []MapScore) float64 { return score(all[i]) })
}

// Minus returns the mean score of method a minus the mean score of method b, with the standard error of the difference
// over the shared splits.
func (t MapTable) Minus(a, b string, score func(MapScore) float64) calibrate.Estimate {
	i, k := slices.Index(t.Methods, a), slices.Index(t.Methods, b)
	if i < 0 || k < 0 {
		return calibrate.Estimate{Mean: math.NaN(), SE: math.NaN()}
	}
	return t.Mean(func(all []MapScore) float64 { return score(all[i]) - score(all[k]) })
}

// Least returns the name of the method with the smallest mean loss among the methods whose names begin with prefix. If
// a higher score is better, use minus the score as the loss.
func (t MapTable) Least(prefix string, loss func(MapScore) float64) string {
	best, value := "", math.Inf(1)
	for _, name := range t.Methods {
		if v := t.Of(name, loss).Mean; strings.HasPrefix(name, prefix) && v < value {
			best, value = name, v
		}
	}
	return best
}

// mapColumns are the columns of a printed table.
var mapColumns = []struct {
	title string
	truth bool // the column needs the truth
	of    func(MapScore) float64
}{
	{"MAE median", true, func(s MapScore) float64 { return s.Truth.Median }},
	{"mean", true, func(s MapScore) float64 { return s.Truth.Mean }},
	{"CRPS", true, func(s MapScore) float64 { return s.Truth.CRPS }},
	{"cover", true, func(s MapScore) float64 { return s.Truth.Coverage }},
	{"| held out: MAE median", false, func(s MapScore) float64 { return s.Held.Median }},
	{"mean", false, func(s MapScore) float64 { return s.Held.Mean }},
	{"median θ", false, func(s MapScore) float64 { return s.Held.Paper }},
	{"log score", false, func(s MapScore) float64 { return s.Held.Log }},
	{"CRPS", false, func(s MapScore) float64 { return s.Held.CRPS }},
	{"cover", false, func(s MapScore) float64 { return s.Held.Coverage }},
	{"seconds", false, func(s MapScore) float64 { return s.Seconds }},
}

// String returns a line for each method.
func (t MapTable) String() string {
	var b strings.Builder
	for _, m := range t.Methods {
		fmt.Fprintf(&b, "%-34s", m)
		for _, c := range mapColumns {
			if t.Truth || !c.truth {
				fmt.Fprintf(&b, " %s %v", c.title, t.Of(m, c.of))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Score returns the score of a posterior on a split.
func (p Prevalence) Score(post *expfam.Posterior, s calibrate.Split) (MapScore, error) {
	score := MapScore{Seconds: post.Info.Seconds}
	if err := post.Check(); err != nil {
		return score, err
	}
	var err error
	if score.Held, err = heldScore(post, s); err != nil || p.Theta == nil {
		return score, err
	}
	score.Truth, err = p.truthScore(post.Theta())
	return score, err
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

// heldScore scores the data of the held-out cells. The estimate of a rate y/n with the smallest expected absolute error
// is the median of replicated rates. It is not the median of θ, because the rates scatter around θ.
func heldScore(post *expfam.Posterior, s calibrate.Split) (HeldScore, error) {
	cells := calibrate.Observed(s.Held)
	trials, rate := make([]float64, len(cells)), make([]float64, len(s.Held))
	for k, j := range cells {
		trials[k], rate[j] = s.Held[j].Size, s.Held[j].Stat/s.Held[j].Size
	}
	perTrial := func(s calibrate.Scores, err error) (calibrate.Scores, error) {
		for k := range s {
			s[k] /= trials[k]
		}
		return s, err
	}
	var mean means
	theta := post.Theta()
	return HeldScore{
		Median:   mean.of(perTrial(predictiveAbsError(post, s.Held, cells, s.Seed))),
		Mean:     mean.of(calibrate.AbsError(theta.Mean(), rate, cells)),
		Paper:    mean.of(calibrate.AbsError(theta.Median(), rate, cells)),
		Log:      mean.of(calibrate.LogScore(post, s.Held, cells)),
		CRPS:     mean.of(perTrial(calibrate.PredictiveCRPS(post, s.Held, cells, s.Seed))),
		Coverage: mean.of(calibrate.Coverage{Cells: cells, Seed: s.Seed}.Predictive(post, s.Held)),
	}, mean.err
}

// truthScore compares draws of θ with the truth.
func (p Prevalence) truthScore(theta *expfam.Draws) (TruthScore, error) {
	var land []int
	for j := range p.Theta {
		if p.Grid.Inside(j) {
			land = append(land, j)
		}
	}
	var mean means
	return TruthScore{
		Median:   mean.of(calibrate.AbsError(theta.Median(), p.Theta, land)),
		Mean:     mean.of(calibrate.AbsError(theta.Mean(), p.Theta, land)),
		CRPS:     mean.of(calibrate.CRPS(theta, p.Theta, land)),
		Coverage: mean.of(calibrate.Coverage{Cells: land}.Latent(theta, p.Theta)),
	}, mean.err
}

package increments

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
)

// Score says how good the draws given one signal's data are.
type Score struct {
	Signal int
	// Error is the mean squared error of the mean of the draws, and Exact that error of the exact posterior mean.
	Error, Exact float64
	// Inside reports whether the signal is in the set of highest density: its log posterior is at least the 0.1
	// quantile of the log posteriors of the draws.
	Inside bool
	// Covered is the share of cells whose 90% equal-tailed interval of the draws holds the signal.
	Covered float64
	// Width is the standard deviation of the draws over that of the exact posterior, and Distance is W₁ to the exact
	// posterior in its standard deviations. Both are means over the cells whose exact standard deviation is positive:
	// before the first jump of [BernoulliLaplace] the posterior may be a point.
	Width       float64
	Distance    float64
	Evaluations int
	Seconds     float64
	Lost        string `json:",omitempty"` // why there are no draws
}

// Level is the probability of all sets and intervals.
const Level = 0.9

// Score compares draws of a signal, (draws, cells), with the signal and with its exact posterior.
func (p *Problem) Score(draws *mat.Dense, signal Signal, truth *Truth) Score {
	n, cells := draws.Dims()
	post := &expfam.Draws{X: draws}
	s := Score{Error: meanSquare(post.Mean(), signal.S), Exact: meanSquare(truth.Mean, signal.S)}
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = p.LogPosterior(draws.RawRowView(i), signal.Y)
	}
	limit := (&expfam.Draws{X: mat.NewDense(n, 1, logs)}).Quantile(1 - Level)[0]
	s.Inside = p.LogPosterior(signal.S, signal.Y) >= limit
	low, high := post.EqualTailed(Level)
	exact := &expfam.Draws{X: truth.Draws}
	sd, own := exact.SD(), post.SD()
	var spread float64 // number of cells whose posterior is not a point
	for _, v := range sd {
		if v > 0 {
			spread++
		}
	}
	for j, v := range signal.S {
		if low[j] <= v && v <= high[j] {
			s.Covered += 1 / float64(cells)
		}
		if sd[j] == 0 {
			continue
		}
		s.Width += own[j] / sd[j] / spread
		to := post.Project([]int{j}, []float64{1})
		s.Distance += exactDistance(exact, to, j) / sd[j] / spread
	}
	return s
}

// exactDistance returns W₁ between the marginal `of` of cell j and the exact draws of the cell.
func exactDistance(exact *expfam.Draws, of law.Marginal, j int) float64 {
	rows, _ := exact.X.Dims()
	sorted := mat.Col(make([]float64, rows), j, exact.X)
	slices.Sort(sorted)
	return of.Wasserstein(sorted)
}

// meanSquare returns the mean squared difference of a and b.
func meanSquare(a, b []float64) float64 {
	return math.Pow(floats.Distance(a, b, 2), 2) / float64(len(a))
}

// Estimate is a number with its standard error.
type Estimate struct{ Value, Error float64 }

// Summary is a method's scores over the signals of a problem.
type Summary struct {
	Signals, Lost int
	// Gap is the optimality gap in dB: 10 log₁₀ of the mean of Error over the mean of Exact.
	Gap, Inside, Covered, Width, Distance Estimate
	Evaluations                           int
	Seconds                               float64 // per signal
}

// Summarise averages the scores of the signals that have draws. Standard errors are over signals. The standard error of
// the gap is by the delta method.
func Summarise(all []Score) Summary {
	var scores []Score
	for _, s := range all {
		if s.Lost == "" {
			scores = append(scores, s)
		}
	}
	s := Summary{Signals: len(all), Lost: len(all) - len(scores)}
	n := float64(len(scores))
	if n == 0 {
		return s
	}
	average := func(of func(Score) float64) Estimate {
		v := make([]float64, len(scores))
		for i, score := range scores {
			v[i] = of(score)
		}
		mean, sd := stat.MeanStdDev(v, nil)
		return Estimate{mean, sd / math.Sqrt(n)}
	}
	own := average(func(s Score) float64 { return s.Error }).Value
	exact := average(func(s Score) float64 { return s.Exact }).Value
	ratio := own / exact
	slope := average(func(s Score) float64 { return (s.Error - ratio*s.Exact) / exact })
	s.Gap = Estimate{10 * math.Log10(ratio), 10 / math.Ln10 * slope.Error / ratio}
	s.Inside = average(func(s Score) float64 {
		if s.Inside {
			return 1
		}
		return 0
	})
	s.Covered = average(func(s Score) float64 { return s.Covered })
	s.Width = average(func(s Score) float64 { return s.Width })
	s.Distance = average(func(s Score) float64 { return s.Distance })
	for _, score := range scores {
		s.Evaluations = max(s.Evaluations, score.Evaluations)
		s.Seconds += score.Seconds / n
	}
	return s
}

func (s Summary) String() string {
	return fmt.Sprintf("gap %.2f ± %.2f dB  inside %.3f ± %.3f  cells %.3f ± %.3f  width %.2f  W1/sd %.3f  %d "+
		"evaluations, %.2f s, %d signals, %d lost",
		s.Gap.Value, s.Gap.Error, s.Inside.Value, s.Inside.Error, s.Covered.Value, s.Covered.Error, s.Width.Value,
		s.Distance.Value, s.Evaluations, s.Seconds, s.Signals, s.Lost)
}

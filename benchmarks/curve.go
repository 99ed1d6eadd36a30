package benchmarks

import (
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
)

// curveRevision is part of the keys of stored curves. It is raised when a method makes other draws.
const curveRevision = 2

// Effort is a way to sample a posterior with a number of evaluations of the prior's network that can be chosen.
type Effort struct {
	Name string
	// Sampler returns a sampler that takes at most n evaluations. ok is false if there is none with so few.
	Sampler func(n int) (s diffusion.Sampler, ok bool)
}

// Efforts are the library's methods and methods of others.
var Efforts = []Effort{
	{"covariance-drawn steps", func(n int) (diffusion.Sampler, bool) {
		return diffusion.Sampler{Method: diffusion.CovarianceSteps{N: n}}, true
	}},
	{"restarts", func(n int) (diffusion.Sampler, bool) {
		// The steps have the proportions of the default, which takes 10 + 2×6 + 7 + 1.
		r := diffusion.Restarts{Count: 2, Each: max(1, n/5), First: max(1, n/3)}
		if n < 10 {
			r.Count = 1
		}
		r.Last = n - 1 - r.First - r.Count*r.Each
		return diffusion.Sampler{Method: r}, r.Last >= 1
	}},
	{"DPM-Solver++ (SDE)", func(n int) (diffusion.Sampler, bool) {
		return diffusion.Sampler{Method: diffusion.Multistep{N: n}}, n >= 2
	}},
	{"DPM-Solver++ (ODE)", func(n int) (diffusion.Sampler, bool) {
		return diffusion.Sampler{Method: diffusion.ODE{N: n}}, n >= 2
	}},
	{"DPS, right weight", func(n int) (diffusion.Sampler, bool) {
		return diffusion.Sampler{Method: diffusion.Multistep{N: n}, Guidance: diffusion.Delta{}}, n >= 2
	}},
	{"paper's sampler", func(n int) (diffusion.Sampler, bool) {
		paper := diffusion.Paper
		paper.N = (n + 1) / 2
		return diffusion.Sampler{Method: paper, Guidance: diffusion.Evidence{}}, paper.N >= 2
	}},
}

// CurvePoint is the score of an effort at one number of evaluations. Score is nil if the effort fails on all data sets,
// or on all but one. It fails with few steps, which diverge or end at a noise level above the posterior's spread.
type CurvePoint struct {
	Effort      string
	Evaluations int // number of evaluations that was asked for
	Score       *Score
}

// CurveOf scores efforts under a prior with several numbers of evaluations. The points show how a posterior approaches
// the exact one as evaluations increase. Results are stored effort by effort, and a later call goes on after the stored
// ones.
func (c Case) CurveOf(prior expfam.Prior, efforts []Effort, evaluations []int, seeds []uint64) ([]CurvePoint, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	var all []CurvePoint
	for _, e := range efforts {
		var points []CurvePoint
		var methods []Method
		key := []any{"curve", curveRevision, c.Name, c.Likelihood.String(), fmt.Sprint(prior), seeds}
		if c.Field != nil || c.Missing > 0 || c.Columns > 0 {
			key = append(key, fmt.Sprint(c.field()), c.Missing, c.Columns)
		}
		for _, n := range evaluations {
			if s, ok := e.Sampler(n); ok {
				points, methods = append(points, CurvePoint{Effort: e.Name, Evaluations: n}),
					append(methods, Method{e.Name, prior, s})
				if key = append(key, fmt.Sprint(s.Method), fmt.Sprint(s.Guidance)); s.Draws > 0 {
					key = append(key, s.Draws)
				}
			}
		}
		if len(points) == 0 {
			continue
		}
		points, err := store.Once("curve", store.Key(key...), store.JSON[[]CurvePoint](), func() ([]CurvePoint, error) {
			scores, err := c.RunContext(ctx, methods, seeds)
			for i, s := range scores {
				if s.DataSets-s.Failed > 1 { // one has no standard error
					points[i].Score = &scores[i]
				}
			}
			return points, err
		})
		if err != nil {
			return all, err
		}
		all = append(all, points...)
	}
	return all, nil
}

func (p CurvePoint) String() string {
	if p.Score == nil {
		return fmt.Sprintf("| %s | %d | fails | | | | |", p.Effort, p.Evaluations)
	}
	s, note := p.Score, ""
	if s.Failed > 0 {
		note = fmt.Sprintf(", %d of %d fail", s.Failed, s.DataSets)
	}
	return fmt.Sprintf("| %s | %d | %.3f ± %.3f%s | %.3f | %.3f | %.3f | %.2f |", p.Effort, p.Evaluations, s.W1, s.W1SE,
		note, s.CI, s.Coverage, s.Sums, s.Seconds)
}

// CurveTable returns a table of points in Markdown.
func CurveTable(points []CurvePoint) string {
	var b strings.Builder
	b.WriteString("| method | evaluations | W₁/sd | width | cells | sums | seconds |\n|---|---|---|---|---|---|---|\n")
	for _, p := range points {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

const (
	// neighbours is the number of cells of a line in each sum of Score.Sums, and square the number of rows and columns
	// of a grid in each sum.
	neighbours = 5
	square     = 4
)

// sums returns the share of sums over neighbouring cells whose 95% interval holds the true sum.
func (c Case) sums(post *expfam.Posterior, x0 []float64) (float64, error) {
	of := make([]int, len(x0))
	for j := range of {
		if of[j] = j / neighbours; c.Columns > 0 {
			across := (c.Columns + square - 1) / square
			of[j] = j/c.Columns/square*across + j%c.Columns/square
		}
	}
	blocks := calibrate.Blocks(of)
	draws, err := calibrate.Map(post.Latent(), blocks)
	if err != nil {
		return math.NaN(), err
	}
	return draws.Coverage(blocks(x0), 0.95)
}

package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
)

// ImageEfforts returns the efforts on images: restarts in the proportions of [diffusion.ImageRestarts], and then
// those of [Efforts] that take an image without steps drawn with the covariance. It is a function because a
// variable that is computed would be linked into every program of this package, with all methods.
func ImageEfforts() []Effort {
	images := func(n int) (diffusion.Sampler, bool) {
		r := diffusion.ImageRestarts() // 3 + 2×5 + 3 + 1 evaluations
		share := func(of int) int { return max(1, int(math.Round(float64(n*of)/17))) }
		r.First = share(3)
		r.Each = max(1, min(share(5), (n-2-r.First)/r.Count)) // leaves one step for the last descent, where it can
		r.Last = n - 1 - r.First - r.Count*r.Each
		return diffusion.Sampler{Method: r}, r.Last >= 1
	}
	return append([]Effort{{"restarts of images", images}}, Efforts[1:]...)
}

// ImageCurvePoint is the average score of an effort on images, at one number of evaluations. Score is nil if the effort
// fails on all images.
type ImageCurvePoint struct {
	Effort      string
	Evaluations int // number of evaluations that was asked for
	Failed      int // number of images without a posterior
	Score       *problem.ImageSummary
}

// ImageCurve scores efforts on images, each with several numbers of evaluations and so many draws. An effort fails on
// an image if draws diverge, or if its steps end at a noise level above the spread of the posterior. [diffusion.Sample]
// stores the posteriors, so a later call goes on after those that are stored.
func ImageCurve(ctx context.Context, prior expfam.Prior, images []problem.Image, efforts []Effort, evaluations []int,
	draws int) ([]ImageCurvePoint, error) {
	var all []ImageCurvePoint
	for _, e := range efforts {
		for _, n := range evaluations {
			s, ok := e.Sampler(n)
			if !ok {
				continue
			}
			s.Draws, s.Batch, s.Seed = draws, 8, 1
			p := ImageCurvePoint{Effort: e.Name, Evaluations: n}
			var scores []problem.ImageScore
			for _, i := range images {
				score, err := scoreOf(ctx, i, prior, s)
				if errors.Is(err, expfam.ErrInterrupted) {
					return all, err
				}
				if err != nil {
					p.Failed++
					continue
				}
				scores = append(scores, score)
			}
			if len(scores) > 0 {
				p.Score = &problem.Summarise(scores)[0]
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// scoreOf returns the score of a sampler on an image.
func scoreOf(ctx context.Context, i problem.Image, prior expfam.Prior, s diffusion.Sampler) (problem.ImageScore,
	error) {
	post, err := diffusion.SampleContext(ctx, prior, i.Likelihood, i.Seen, s)
	if err != nil {
		return problem.ImageScore{}, err
	}
	return i.Score(fmt.Sprint(s.Method), post)
}

func (p ImageCurvePoint) String() string {
	if p.Score == nil {
		return fmt.Sprintf("| %s | %d | fails | | | | |", p.Effort, p.Evaluations)
	}
	s, note := p.Score, ""
	if p.Failed > 0 {
		note = fmt.Sprintf(", %d of %d fail", p.Failed, p.Failed+s.Images)
	}
	return fmt.Sprintf("| %s | %d | %.4f%s | %.3f | %.3f | %.3f | %.2f |", p.Effort, p.Evaluations, s.CRPS.Mean, note,
		s.LogScore.Mean, s.Coverage.Mean, s.Blocks.Mean, s.Rough.Mean)
}

// ImageCurveTable returns a table of points in Markdown.
func ImageCurveTable(points []ImageCurvePoint) string {
	var b strings.Builder
	b.WriteString("| method | evaluations | CRPS | log score | cells | squares | texture " +
		"|\n|---|---|---|---|---|---|---|\n")
	for _, p := range points {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

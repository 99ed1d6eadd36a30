package benchmarks

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

// imageDraws is how many draws every method makes: with 39 or more, 95% intervals end between draws.
const imageDraws = 40

// TestImages scores posteriors of Cox processes on photographs and procedural images that no network has seen beside
// those of Gaussian fields: all thirty with -full, which takes half an hour on two cores and goes on where it stopped;
// else one photograph of 16×16 cells with fewer steps. Nothing is clipped.
func TestImages(t *testing.T) {
	side, procedural := 16, 0
	if *full {
		side, procedural = 64, 20
	}
	images, prior := imagesAndPrior(t, procedural, side)
	if !*full {
		images = images[:1]
	}
	table := scoreImages(t, images, fields(t, prior, side))
	least := 4 * len(images) / 5
	for _, s := range table[1:] {
		if s.BetterLog < least || s.BetterCRPS < least {
			t.Errorf("%s: the default scores better on %d (log score) and %d (CRPS) of %d images, at least %d are "+
				"wanted",
				s.Method, s.BetterLog, s.BetterCRPS, s.Images, least)
		}
	}
	// A small image has some thirty independent cells, a standard error of 0.04, and four squares, of 0.11: three
	// times.
	low, high := map[string]float64{"cells": 0.92, "blocks": 0.92}, 0.97
	if !*full {
		low, high = map[string]float64{"cells": 0.83, "blocks": 0.62}, 1
	}
	for name, c := range map[string]float64{"cells": table[0].Coverage.Mean, "blocks": table[0].Blocks.Mean} {
		must.Be(t, c >= low[name] && c <= high,
			"95%% intervals of %s hold the truth in %.3f, want %g to %g", name, c, low[name], high)
	}
}

// TestImageGuidance scores other ways through the same network beside the
// default on some of the thirty images (-datasets): the paper's evidence from its
// inference network and diffusion posterior sampling, with the default sampler.
func TestImageGuidance(t *testing.T) {
	if !*full {
		t.Skip("trains the paper's network for a quarter of an hour on two cores: run with -full")
	}
	images, prior := imagesAndPrior(t, 20, 64)
	inference := imageInference(t)
	scoreImages(t, some(images), []imageMethod{
		{"expfam", sampled(prior, nil, nil)},
		{"raw counts", func(i problem.Image) (*expfam.Posterior, error) {
			return counts.Raw{}.Sample(i.Likelihood, i.Seen, counts.Options{Draws: imageDraws, Seed: 1})
		}},
		{"paper's evidence", sampled(prior, diffusion.Evidence{Inference: inference}, nil)},
		{"likelihood at the mean (DPS)", sampled(prior, diffusion.Delta{}, nil)},
		{"Poisson-DPS", sampled(prior, diffusion.PoissonDPS{}, nil)},
	})
}

// TestImageSamplers scores the default sampler of images beside restarts with the numbers of other priors
// and beside settings without regard to cost, on the same network and some of the thirty images (-datasets).
func TestImageSamplers(t *testing.T) {
	if !*full {
		t.Skip("three minutes an image on two cores: run with -full")
	}
	images, prior := imagesAndPrior(t, 20, 64)
	three := diffusion.Quadrature{Steps: 3}
	long := diffusion.Restarts{First: 20, Count: 2, Each: 20, Last: 12, Low: 0.1, High: 1, Final: 0.6, Skew: 1,
		VP: diffusion.ImageRestarts().VP}
	gaussian := diffusion.ImageRestarts()
	gaussian.Skew = 0
	table := scoreImages(t, some(images), []imageMethod{
		{"expfam", sampled(prior, nil, nil)},
		{"restarts, 30 evaluations", sampled(prior, three, diffusion.Restarts{})},
		{"without third cumulants", sampled(prior, nil, gaussian)},
		{"73 evaluations", sampled(prior, nil, long)},
	})
	// Paired by image: the sixty thousand cells of ten images are worth some hundreds of independent ones.
	if ours, before := table[0], table[1]; ours.CRPS.Mean > 1.02*before.CRPS.Mean ||
		ours.Seconds > 0.6*before.Seconds || math.Abs(ours.Rough.Mean-1) > math.Abs(before.Rough.Mean-1) {
		t.Errorf("the default has a CRPS of %.4f and %.2f of the texture in %.0f s, restarts of 30 evaluations "+
			"%.4f and %.2f in %.0f s",
			ours.CRPS.Mean, ours.Rough.Mean, ours.Seconds, before.CRPS.Mean, before.Rough.Mean, before.Seconds)
	}
}

// TestImageCurve scores samplers with 6 to 60 evaluations of the network on some of the thirty images (-datasets);
// without -full one sampler on an image of 16×16 cells.
func TestImageCurve(t *testing.T) {
	efforts, evaluations, procedural, side := ImageEfforts()[2:3], []int{10}, 0, 16
	if *full {
		efforts, evaluations, procedural, side = ImageEfforts(), []int{17, 6, 10, 30, 60}, 20, 64
	}
	images, prior := imagesAndPrior(t, procedural, side)
	if images = some(images); !*full {
		images = images[:1]
	}
	points := must.Get(ImageCurve(t.Context(), prior, images, efforts, evaluations, imageDraws))(t)
	t.Log("\n" + ImageCurveTable(points))
	if first := points[0]; first.Failed > 0 || len(points) < len(efforts) {
		t.Errorf("%v: %d of %d images fail, %d points of %d methods", first, first.Failed, len(images), len(points),
			len(efforts))
	} else if c := first.Score.Coverage.Mean; !(c > 0.85) {
		// 256 cells of which some thirty are independent, 0.04: twice
		t.Errorf("%v: 95%% intervals hold %.3f of the cells", first, c)
	}
}

// TestPaperImages scores the paper's sampler with its clip on some of the images
// (-datasets), at a tenth of its 1000 noise levels.
func TestPaperImages(t *testing.T) {
	if !*full {
		t.Skip("two minutes an image on two cores: run with -full")
	}
	images, prior := imagesAndPrior(t, 20, 64)
	inference := imageInference(t)
	scoreImages(t, some(images), []imageMethod{
		{"expfam", sampled(prior, nil, nil)},
		{"paper's sampler and clip", sampled(prior, diffusion.Evidence{Inference: inference},
			diffusion.PredictorCorrector{N: 100, Clip: 10})},
	})
}

// imagesAndPrior are the photographs, so many procedural images and the network that ships.
func imagesAndPrior(t *testing.T, procedural, side int) ([]problem.Image, expfam.Prior) {
	t.Helper()
	prior := imagePrior(t, side)
	images := must.Get(problem.Images("../notebooks/photos", procedural, side, 10, 1))(t)
	return images, prior
}

// some are every third of thirty images for ten data sets.
func some(images []problem.Image) []problem.Image {
	var list []problem.Image
	for k := 0; k < len(images); k += max(1, len(images) / *dataSets) {
		list = append(list, images[k])
	}
	return list
}

// scoreImages is the table of methods, logged. It is an error if the first of
// them fails on an image, or a draw of it diverges; that others do is logged.
func scoreImages(t *testing.T, images []problem.Image, methods []imageMethod) []problem.ImageSummary {
	t.Helper()
	var all []problem.ImageScore
	for _, i := range images {
		for k, m := range methods {
			var s problem.ImageScore
			post, err := m.Sample(i)
			if err == nil {
				s, err = i.Score(m.Name, post)
			}
			if err != nil {
				t.Logf("%s, %s: %v", i.Name, m.Name, err)
				if k == 0 {
					t.Fail()
				}
				continue
			}
			t.Logf("%+v", s)
			all = append(all, s)
		}
	}
	table := problem.Summarise(all)
	for _, s := range table {
		t.Log(s)
	}
	return table
}

// Counts that no image can explain, all or nothing of a thousand side by side, leave draws where images are.
func TestImpossibleImage(t *testing.T) {
	prior := imagePrior(t, 16)
	obs := make(expfam.Observations, prior.Dim())
	rng := expfam.Stream(1, "benchmark/impossible")
	for j := range obs {
		if rng.Float64() < 0.1 {
			obs[j] = expfam.Term{Stat: 1000 * float64(rng.IntN(2)), Size: 1000}
		}
	}
	like := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}
	post := must.Get(diffusion.Sample(prior, like, obs,
		diffusion.Sampler{Draws: 4, Batch: 4, Seed: 1, Method: diffusion.Multistep{N: 13}, Fresh: true}))(t)
	for i, x := range post.X.RawMatrix().Data {
		// Beyond the bounds by what is left of the noise, sd 0.003.
		must.Need(t, math.Abs(x) < 1.05,
			"draw %d has x₀ = %g in cell %d, and images lie in [-1, 1]", i/prior.Dim(), x, i%prior.Dim())
	}
}

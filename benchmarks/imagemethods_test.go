package benchmarks

import (
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/must"
)

// imageMethod is a way from the counts of an image to a posterior.
type imageMethod struct {
	Name   string
	Sample func(i problem.Image) (*expfam.Posterior, error)
}

// sampled is a method on a network.
func sampled(prior expfam.Prior, g diffusion.Guidance, m diffusion.Method) func(i problem.Image) (*expfam.Posterior,
	error) {
	return func(i problem.Image) (*expfam.Posterior, error) {
		return diffusion.Sample(prior, i.Likelihood, i.Seen, diffusion.Sampler{Draws: imageDraws, Batch: 8, Seed: 1,
			Guidance: g, Method: m})
	}
}

// fields are the default sampler and the Gaussian fields.
func fields(t *testing.T, prior expfam.Prior, side int) []imageMethod {
	t.Helper()
	empirical := empiricalField(t, scenes.Procedural{Rows: side, Cols: side, Plain: true})
	var method diffusion.Method // the default
	if !*full {
		method = diffusion.Multistep{N: 10}
	}
	return []imageMethod{
		{"expfam", sampled(prior, nil, method)},
		{"GMRF Cox process", func(i problem.Image) (*expfam.Posterior, error) {
			return gmrf.Sample(gmrf.Prior{Grid: i.Grid}, i.Likelihood, i.Seen, gmrf.Options{Draws: imageDraws, Seed: 1})
		}},
		{"empirical Gaussian field", func(i problem.Image) (*expfam.Posterior, error) {
			return empirical.Sample(i.Likelihood, i.Seen, gp.Options{Draws: imageDraws, Seed: 1})
		}},
		{"kernel", func(i problem.Image) (*expfam.Posterior, error) {
			return counts.Kernel{Grid: i.Grid}.Sample(i.Likelihood, i.Seen, counts.Options{Draws: imageDraws, Seed: 1})
		}},
	}
}

// empiricalField is the Gaussian field with the covariance of square procedural images.
func empiricalField(t *testing.T, images scenes.Procedural) *gp.Stationary {
	t.Helper()
	draws := 5000
	if !*full {
		draws = 1000
	}
	field := must.Get(gp.Empirical(images, images.Rows, images.Cols, draws, 1))(t)
	return field
}

// imageInference trains the paper's inference network of the Poisson likelihood,
// a quarter of an hour on two cores the first time.
func imageInference(t *testing.T) *learn.Inference {
	t.Helper()
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	net := must.Get(learn.TrainInference(scenes.Procedural{Rows: 64, Cols: 64, Plain: true}, like,
		learn.Training{Net: nn.UNet{Rows: 64, Columns: 64}, Steps: 3000, Batch: 16, Rate: 1e-3}))(t)
	return net
}

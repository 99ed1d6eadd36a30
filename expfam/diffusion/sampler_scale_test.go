package diffusion_test

import (
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// scaled is the prior few with another mean and standard deviation.
func scaled(mean, sd float64) *gp.Gaussian {
	var cov mat.SymDense
	cov.ScaleSym(sd*sd, few.Cov())
	return expfam.Must(gp.New([]float64{mean, mean, mean, mean, mean, mean}, &cov))
}

// Priors that the noise of the start covers are sampled whatever their scale,
// with Normal data of as much noise as the prior has spread.
func TestPriorsOfAnyCoveredScale(t *testing.T) {
	for _, c := range []struct {
		name  string
		prior *gp.Gaussian
		link  expfam.Link
		sd    float64 // of the data
	}{
		{"sd 0.05", scaled(0, 0.05), expfam.IdentityLink, 0.05},
		{"sd 30", scaled(0, 30), expfam.IdentityLink, 30},
		{"mean 20000, sd 0.05", scaled(20000, 0.05), expfam.IdentityLink, 0.05},
		{"sd 1e5 through the link", scaled(0, 1), expfam.MustLink("100000*x"), 1e5},
	} {
		t.Run(c.name, func(t *testing.T) {
			like := expfam.Likelihood{Family: expfam.Normal{SD: c.sd}, Link: c.link}
			at := c.prior.Mean()[0]
			y := make([]float64, 6)
			for j := range y {
				y[j] = at + c.sd*[]float64{1, 0.5, 0, -0.5, 0, 1}[j]
			}
			obs := observe(t, like, y...)
			exact := must.Get(gp.Exact(c.prior, like, obs))(t)
			const draws = 512
			post := sample(t, c.prior, like, obs, Sampler{Draws: draws, Seed: 2, Engine: enginetest.Open(t, "go"),
				DType: dtypes.Float64, Method: Multistep{N: 60}})
			// 4 standard errors of 1/√512 and 1/√1024, and 2 to 3% of discretisation and of the bound on what the start
			// leaves.
			agrees(t, "draws", post, exact.Mean, exact.Cov, 0.2, 0.155)
		})
	}
}

// Draws of the first two would be near 0 and of the third far too narrow.
func TestPriorsBeyondTheNoise(t *testing.T) {
	for name, prior := range map[string]expfam.Prior{"wide": scaled(0, 1e5), "far": scaled(1e5, 1),
		"narrow": scaled(0, 1e-3)} {
		t.Run(name, func(t *testing.T) {
			var method Method
			if name == "narrow" { // the last step of the default draws x₀, which lacks nothing
				method = Restarts{}
			}
			post, err := Sample(prior, normal, make(expfam.Observations, 6),
				Sampler{Draws: 5, Method: method, Engine: enginetest.Open(t, "go"), Fresh: true})
			must.Be(t, post == nil && err != nil &&
				strings.Contains(err.Error(), "standardise x₀ and put location and scale into the link"),
				"posterior %v, error %v", post != nil, err)
		})
	}
}

func TestSampleWithoutPrior(t *testing.T) {
	for want, prior := range map[string]expfam.Prior{
		"sample: there is no prior":         nil,
		"sample: nugget: there is no prior": expfam.Nugget(nil, 1),
		"sample: product: part 1 is nil":    expfam.Product(gp.RBF{}, nil),
		"joint: gp: Unknown has no process": gp.Unknown{},
	} {
		must.Refuse(Sample(prior, normal, nil, Sampler{}))(t, want)
		must.Refuse(Draw(prior, Sampler{}))(t, want)
		if strings.HasPrefix(want, "sample") {
			must.Refuse(Compile(prior, normal, Sampler{}))(t, want)
		}
	}
}

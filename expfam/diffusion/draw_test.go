package diffusion_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// Draws without data have the prior's mean and covariance.
func TestDraw(t *testing.T) {
	prior := cells6()
	draws := expfam.Must(Draw(prior, Sampler{Draws: 2000, Fresh: true})).Latent()
	mean, sd := draws.Mean(), draws.SD()
	for j := range mean {
		want := math.Sqrt(prior.Cov().At(j, j))
		// Four standard errors of 2000 draws are .09 sd and 6.3% of the sd; the steps of
		// the default method keep the variance within 6%.
		must.Be(t, math.Abs(mean[j]-prior.Mean()[j]) <= 0.09*want && math.Abs(sd[j]/want-1) <= 0.1,
			"cell %d: %.3f ± %.3f, want %.3f ± %.3f", j, mean[j], sd[j], prior.Mean()[j], want)
	}
	must.Refuse(Draw(nil, Sampler{}))(t, "there is no prior")
	unknown := gp.Unknown{Of: gp.RBF{Cells: 5}}
	post := must.Get(Draw(unknown, Sampler{Draws: 20, Fresh: true}))(t)
	must.Be(t, len(post.Parameters) == len(unknown.Parameters()), "parameters %v", post.Parameters)
}

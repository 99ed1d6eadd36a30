package diffusion_test

import (
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// Draws without data have the prior's mean and covariance.
func TestDraw(t *testing.T) {
	prior := cells6()
	draws := expfam.Must(Draw(prior, Sampler{Draws: 2000, Fresh: true}))
	// Four standard errors of 2000 draws are .09 sd and 6.3% of the sd; the steps of the default method keep the
	// variance within 6%.
	agrees(t, "draws", draws, prior.Mean(), prior.Cov(), 0.09, 0.1)
	must.Refuse(Draw(nil, Sampler{}))(t, "there is no prior")
	unknown := gp.Unknown{Of: gp.RBF{Cells: 5}}
	post := must.Get(Draw(unknown, Sampler{Draws: 20, Fresh: true}))(t)
	must.Be(t, len(post.Parameters) == len(unknown.Parameters()), "parameters %v", post.Parameters)
}

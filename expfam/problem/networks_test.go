package problem

import (
	"testing"

	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// network loads a score network and the inference network of a case from the
// weights that ship with the lessons.
func network(t *testing.T, kind string, c Case) (*learn.Prior, *learn.Inference) {
	t.Helper()
	const dir = "../../notebooks/weights/gp-"
	prior := must.Get(learn.Load(dir + kind + "-score.safetensors"))(t)
	conjugate := map[string]string{Normal.Name: "normal", LogNormal.Name: "normal",
		PoissonLow.Name: "poisson", PoissonHigh.Name: "poisson", Exponential.Name: "exponential"}[c.Name]
	inference := must.Get(learn.LoadInference(dir+kind+"-"+conjugate+".safetensors", c.Likelihood))(t)
	return prior, inference
}

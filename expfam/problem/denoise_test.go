package problem

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestDenoisingError(t *testing.T) {
	sigmas := []float64{0.016, 0.06, 0.16, 0.32, 1.2, 10, 100}
	exact := must.Get(DenoisingError(Prior, sigmas))(t)
	prior, _ := network(t, "experts", Normal)
	learned := must.Get(DenoisingError(prior, sigmas))(t)
	for i, sigma := range sigmas {
		must.Be(t, exact[i] <= 1e-6, "sigma %g: the exact prior misses itself by %g", sigma, exact[i])
		// A tenth of a posterior sd moves W1 by less than 0.01.
		must.Be(t, learned[i] < 0.1, "sigma %g: the network misses by %.3f sd", sigma, learned[i])
	}
	t.Logf("rms error in sd at sigma %v: %.3f", sigmas, learned)
}

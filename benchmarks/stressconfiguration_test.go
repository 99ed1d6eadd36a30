package benchmarks

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/internal/must"
)

// configuration is a model with data that somebody may come with.
type configuration struct {
	name    string
	prior   *gp.Gaussian
	network expfam.Prior // samples in place of prior, which it has learned; nil for prior itself
	like    expfam.Likelihood
	obs     expfam.Observations
	truth   []float64
}

// randomConfiguration has any family and link, a Gaussian prior on 2 to 31 cells that is smooth or rough, sizes from
// 10⁻⁶ to 10⁸ that differ by up to six decades between cells, up to 70 percent of the cells missing, and in one of five
// up to 30 percent of the others with data of another x than the field's.
func randomConfiguration(t *testing.T, seed uint64) configuration {
	t.Helper()
	rng := expfam.Stream(seed, "stress")
	f := stressFamilies[rng.IntN(len(stressFamilies))]
	link := f.links[rng.IntN(len(f.links))]
	d := 2 + rng.IntN(30)
	variance, length := math.Pow(10, -1.5+2*rng.Float64()), math.Pow(10, -2+1.7*rng.Float64())
	power, level := float64(1+rng.IntN(2)), 0.5*rng.NormFloat64()
	cov, mean := mat.NewSymDense(d, nil), make([]float64, d)
	for i := range d {
		mean[i] = level
		for j := i; j < d; j++ {
			r := float64(j-i) / float64(d) / length
			cov.SetSym(i, j, variance*math.Exp(-math.Pow(r, power)/power))
		}
	}
	prior := must.Get(gp.New(mean, cov))(t)
	size, spread := math.Pow(10, 8*rng.Float64()), 2*rng.Float64()
	if rng.IntN(3) == 0 {
		size = math.Pow(10, -6+12*rng.Float64())
	}
	if rng.IntN(4) == 0 {
		spread *= 3
	}
	missing, strange := math.Max(0, rng.Float64()-0.3), 0.0
	if rng.IntN(5) == 0 {
		strange = 0.3 * rng.Float64()
	}
	c := configuration{prior: prior, like: expfam.Likelihood{Family: f.family, Link: expfam.MustLink(link)},
		truth: make([]float64, d), obs: make(expfam.Observations, d)}
	prior.Draw(rng, c.truth)
	strangers := 0
	for j, x := range c.truth {
		if rng.Float64() < missing {
			continue
		}
		if rng.Float64() < strange {
			x, strangers = level+math.Sqrt(variance)*(6*rng.Float64()-3), strangers+1
		}
		n := math.Min(math.Max(size*math.Pow(10, spread*(rng.Float64()-0.5)), 1e-6), 1e8)
		c.obs[j] = f.sum(c.like.Link.At(x), n, rng)
	}
	c.name = fmt.Sprintf("%d/%v, theta = %v/%d cells, variance %.2g, length %.2g, power %g/n %.2g, decades %.1f, "+
		"missing %.2f, strange %d",
		seed, f.family, link, d, variance, length, power, size, spread, missing, strangers)
	return c
}

// reference is the posterior in closed form or by Hamiltonian Monte Carlo, nil where that does not converge.
func (c configuration) reference() (calibrate.Reference, error) {
	if exact, err := gp.Exact(c.prior, c.like, c.obs); err == nil {
		return exact, nil
	}
	for _, o := range []hmc.Options{{Seed: 1}, {Draws: 8000, Warmup: 2000, Accept: 0.97, Seed: 2}} {
		post, err := hmc.Sample(c.prior, c.like, c.obs, o)
		var failure *hmc.NotConverged
		if !errors.As(err, &failure) {
			return post, err
		}
	}
	return nil, nil
}

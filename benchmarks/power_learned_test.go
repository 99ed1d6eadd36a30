package benchmarks

import (
	"fmt"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/fulltest"
)

// TestPowerLearned certifies exact draws by the scores of the network of curves that ships, as they are and made wrong
// on purpose: Normal data of sd 3 to .01 in all cells, in half of them or in one of six, and the cases of the paper.
// The network's error counts as a fault of the certificate. No setting was chosen on data of these seeds.
func TestPowerLearned(t *testing.T) {
	prior, _ := network(t, "experts", Normal)
	e := expfam.Must(engine.Default())
	field := expfam.Must(gp.New(problem.Prior.Mean(), problem.Prior.Cov()))
	power, sds := newPower(), []float64{3, 1, 0.3, 0.05, 0.01}
	for k := range fulltest.N(3, 400) {
		seed := uint64(30000 + k)
		c := configuration{prior: field}
		var post *expfam.Posterior
		if of := k % (len(sds) + len(Cases)); of < len(sds) {
			sd, every := sds[of], []int{1, 1, 2, 6}[k/10%4]
			c.name, c.like = fmt.Sprintf("sd %g, one of %d cells, %d", sd, every, k), Normal.Likelihood
			rng, x := expfam.Stream(seed, "power"), make([]float64, prior.Dim())
			problem.Prior.Draw(rng, x)
			c.obs = make(expfam.Observations, len(x))
			for j := range x {
				if n := 1 / (sd * sd); j%every == 0 {
					c.obs[j] = expfam.Term{Stat: n * (x[j] + sd*rng.NormFloat64()), Size: n}
				}
			}
			post = expfam.Must(expfam.Must(gp.Exact(problem.Prior, c.like, c.obs)).Sample(2000, seed))
		} else {
			of := Cases[of-len(sds)]
			data := expfam.Must(of.Simulate(seed))
			c.name, c.like, c.obs = fmt.Sprintf("%s, %d", of.Name, k), of.Likelihood, data.Obs
			post = expfam.Must(diffusion.Sample(problem.Prior, c.like, c.obs, diffusion.Sampler{Draws: 2000, Seed: seed,
				Engine: e, Fresh: true}))
		}
		power.addBy(t, c, post, func(some *expfam.Posterior) (*expfam.Certificate, error) {
			return diffusion.Certify(some, prior, c.like, c.obs, diffusion.Sampler{Engine: e})
		})
	}
	power.log(t)
	for _, s := range spoiled {
		v, least := power[s.name][500], 0.95
		if !*fulltest.Full {
			least = 0.6 // of three sets: one may be missed
		}
		if share := float64(v["wrong"]) / float64(v["all"]); s.name == "right" && share > 0.01 ||
			s.name != "right" && share < least {
			t.Errorf("%s: %.3f are called wrong", s.name, share)
		}
	}
}

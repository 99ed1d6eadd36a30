package benchmarks

import (
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// TestOperators compares posteriors of data that look through an operator with long chains of Hamiltonian Monte Carlo:
// under the exact prior and under the learned one that ships, which no operator, likelihood or link has seen.
func TestOperators(t *testing.T) {
	cases, n, chain, slack := OperatorCases(), 10, 4000, 0.0
	if !*full { // a case that mixes cells; one data set and shorter chains have their own error
		cases, n, chain, slack = []Operated{cases[1]}, 1, 700, 0.03
	}
	learned := must.Get(learn.Load("../notebooks/weights/gp-experts-score.safetensors"))(t)
	const draws = 500
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var w1 [3][]float64 // exact prior, learned, exact draws
			var width [2][]float64
			for seed := range uint64(n) {
				x, obs, err := c.Draw(gp.RBF{}, 2001+seed)
				must.Do(t, err)
				truth, err := hmc.Sample(gp.RBF{}, c.Likelihood, obs, hmc.Options{Draws: chain, Seed: 1, Accept: 0.95})
				must.Do(t, err)
				other, err := hmc.Sample(gp.RBF{}, c.Likelihood, obs, hmc.Options{Draws: chain, Seed: 2, Accept: 0.95})
				must.Do(t, err)
				posteriors := []*expfam.Posterior{}
				for _, prior := range []expfam.Prior{gp.RBF{}, learned} {
					post := must.Get(diffusion.Sample(prior, c.Likelihood, obs,
						diffusion.Sampler{Draws: draws, Seed: seed, Fresh: true}))(t)
					must.Be(t, post.Info.Evaluations <= 30 && post.Info.Products <= 3*post.Info.Evaluations,
						"%d evaluations and %d products of the network", post.Info.Evaluations, post.Info.Products)
					posteriors = append(posteriors, post)
				}
				rows, cells := other.Dims()
				thin := mat.NewDense(draws, cells, nil)
				for i := range draws {
					thin.SetRow(i, other.X.RawRowView(i*(rows/draws)))
				}
				posteriors = append(posteriors, &expfam.Posterior{X: thin})
				distances, err := calibrate.Distances(truth.Latent(), x, posteriors...)
				must.Do(t, err)
				sd := truth.Latent().SD()
				for k, d := range distances {
					if w1[k] = append(w1[k], d.W1); k == 2 {
						continue
					}
					ratio := 0.0
					for j, s := range posteriors[k].Latent().SD() {
						ratio += s / sd[j] / float64(cells)
					}
					width[k] = append(width[k], ratio)
				}
			}
			mean := func(v []float64) float64 { return stat.Mean(v, nil) }
			floor := mean(w1[2])
			t.Logf("W1/sd %.3f, learned %.3f, 500 exact draws %.3f; ratio of sds %.3f, learned %.3f", mean(w1[0]),
				mean(w1[1]), floor, mean(width[0]), mean(width[1]))
			// Sums over rays are skewed, which a normal site is not.
			allowed := 0.02
			if c.Name == "sums, rays" {
				allowed = 0.05
			}
			if got := mean(w1[0]) - floor; !(got <= allowed+slack) {
				t.Errorf("W1/sd is %.3f above that of exact draws, at most %.3f is allowed", got, allowed+slack)
			}
			if got := mean(w1[1]) - floor; !(got <= max(allowed, 0.03)+slack) {
				t.Errorf("the learned prior's W1/sd is %.3f above that of exact draws, at most %.3f is allowed", got,
					max(allowed, 0.03)+slack)
			}
			got := mean(width[0])
			must.Be(t, got > 0.96-slack && got < 1.04+slack, "the ratio of standard deviations is %.3f", got)
		})
	}
}

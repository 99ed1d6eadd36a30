package gp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// Laplace's approximation is exact for Normal data, and the certificate of its draws, along cosines, says so. Draws
// that are too narrow, too wide or shifted are called wrong.
func TestStationaryCertificate(t *testing.T) {
	s, _, err := NewStationary(9, 12, 0.5, func(r, c int) float64 {
		return 0.7 * math.Exp(-math.Hypot(float64(r), float64(c))/4)
	})
	if err != nil {
		t.Fatal(err)
	}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}, Link: expfam.IdentityLink}
	obs, x, rng := make(expfam.Observations, s.Dim()), make([]float64, s.Dim()), expfam.Stream(1, "certificate")
	s.Draw(rng, x)
	for j := range x {
		if j%3 > 0 {
			obs[j] = expfam.Term{Stat: x[j] + 0.5*rng.NormFloat64(), Size: 1}
		}
	}
	wrong := 0
	for seed := range uint64(12) {
		post := expfam.Must(s.Sample(like, obs, Options{Draws: 200, Seed: seed, Fresh: true}))
		c := post.Info.Certificate
		if c.Verdict() == "wrong" {
			wrong++
		}
		if len(c.Shift) != 36 || c.Directions != "36 coarsest cosines" {
			t.Fatalf("%d modes, %s", len(c.Shift), c.Directions)
		}
		if seed > 0 {
			continue
		}
		mean := post.Latent().Mean()
		for _, change := range []func(x, mean float64) float64{
			func(x, m float64) float64 { return m + 0.85*(x-m) },
			func(x, m float64) float64 { return m + 1.15*(x-m) },
			func(x, m float64) float64 { return x + 0.2 },
		} {
			spoiled := &expfam.Posterior{X: mat.DenseCopyOf(post.X), Likelihood: post.Likelihood}
			spoiled.X.Apply(func(_, j int, x float64) float64 { return change(x, mean[j]) }, spoiled.X)
			if c := expfam.Must(spoiled.Certify(s, obs)); c.Verdict() != "wrong" {
				t.Errorf("spoiled draws: %v", c)
			}
		}
	}
	// .1 are expected, and 3 or more come with a probability below .001.
	if wrong > 2 {
		t.Errorf("%d of 12 exact posteriors are called wrong", wrong)
	}
}

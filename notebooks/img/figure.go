//go:build ignore

// Figure draws the picture of the README: `go generate ./notebooks/img`.
package main

import (
	"fmt"
	"log"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/viz"
)

func main() {
	d := expfam.Must(problem.PoissonLow.Simulate(4))
	like := d.Case.Likelihood
	truth := expfam.Must(hmc.Sample(problem.Prior, like, d.Obs, hmc.Options{Draws: 5000}))
	prior := expfam.Must(learn.Load("../weights/gp-experts-score.safetensors"))
	post := expfam.Must(diffusion.Sample(prior, like, d.Obs, diffusion.Sampler{Seed: 1, Fresh: true}))
	if err := viz.Save(viz.Intervals{
		Methods: []viz.Method{{Name: "Hamiltonian Monte Carlo, exact prior", Draws: truth},
			{Name: fmt.Sprintf("expfam, learned prior, %d evaluations", post.Info.Evaluations), Draws: post}},
		Truth:    d.Theta,
		Observed: d.Y,
		Title:    "Thirty Poisson rates, one count each",
		YLabel:   "rate θ",
	}, "poisson-low.png"); err != nil {
		log.Fatal(err)
	}
}

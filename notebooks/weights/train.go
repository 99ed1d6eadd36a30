//go:build ignore

// Train makes the networks that the lesson on the one-dimensional benchmark loads: `go generate ./notebooks/weights`.
// Seeds are fixed, so that the result is the same to the bit on the same engine.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/problem"
)

func main() {
	start := time.Now()
	for _, c := range []struct {
		name string
		t    learn.Training
	}{
		{"experts", learn.Training{}},
		{"mlp", learn.Training{Net: nn.MLP{}, Steps: 8000, Rate: 1e-3}},
	} {
		done := func(name string, err error) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%-24s %4.0f s\n", name, time.Since(start).Seconds())
		}
		c.t.Fresh = true
		prior, err := learn.Train(problem.Prior, c.t)
		if err == nil {
			err = prior.Save("gp-" + c.name + "-score.safetensors")
		}
		done(c.name+" score", err)
		for _, i := range []struct {
			name string
			c    problem.Case
		}{{"normal", problem.Normal}, {"poisson", problem.PoissonLow}, {"exponential", problem.Exponential}} {
			net, err := learn.TrainInference(problem.Prior, i.c.Likelihood, c.t)
			if err == nil {
				err = net.Save("gp-" + c.name + "-" + i.name + ".safetensors")
			}
			done(c.name+" "+i.name, err)
		}
	}
}

package learn_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/operator"
)

// A prior that is learned from draws: anything that has String, Dim and Draw. Forty
// steps teach little; the default takes 3000.
func ExampleTrain() {
	prior := expfam.Must(learn.Train(gp.RBF{Cells: 4}, learn.Training{
		Net: nn.MLP{Width: 8}, Steps: 40, Batch: 16, Engine: expfam.Must(engine.Open("go")), Fresh: true,
	}))
	fmt.Println(prior.Dim(), "cells,", len(prior.Curve.Train), "evaluations of the loss")
	// Output:
	// 4 cells, 40 evaluations of the loss
}

// An inference network of the paper for data behind an operator, here for the sum of four cells: it emits the conjugate
// prior of each datum. Forty steps teach little; the default takes 3000.
func ExampleTrainInference() {
	prior := gp.RBF{Cells: 4}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: &operator.Areas{Labels: []int{0, 0, 0, 0}}}
	e := expfam.Must(engine.Open("go"))
	network := expfam.Must(learn.TrainInference(prior, like, learn.Training{
		Net: nn.MLP{Width: 8}, Steps: 40, Batch: 16, Engine: e, Fresh: true,
	}))
	post := expfam.Must(diffusion.Sample(prior, like, expfam.Must(like.Observe1(3)), diffusion.Sampler{
		Draws: 10, Engine: e, Method: diffusion.Multistep{}, Guidance: diffusion.Evidence{Inference: network},
		Fresh: true,
	}))
	fmt.Println(post.Info.Products, "Jacobian products in", post.Info.Evaluations, "evaluations")
	// Output:
	// 25 Jacobian products in 25 evaluations
}

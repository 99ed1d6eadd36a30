package learn_test

import (
	"fmt"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
)

// A prior that is learned from draws: anything that has String, Dim and Draw. Forty
// steps teach little; the default takes 3000.
func ExampleTrain() {
	prior := Must(learn.Train(gp.RBF{Cells: 4}, learn.Training{
		Net: nn.MLP{Width: 8}, Steps: 40, Batch: 16, Engine: Must(engine.Open("go")), Fresh: true,
	}))
	fmt.Println(prior.Dim(), "cells,", len(prior.Curve.Train), "evaluations of the loss")
	// Output:
	// 4 cells, 40 evaluations of the loss
}

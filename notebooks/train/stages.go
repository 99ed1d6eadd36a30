package main

import (
	"fmt"
	"log"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/viz"
)

// network is the network that is trained: a prior or an inference network.
type network interface {
	learn.Trained
	Save(path string) error
}

// stages trains on windows and then on whole images, and saves the network. It returns the loss curve of both stages.
func (o options) stages(sim scenes.Prior, net nn.UNet, name string) (learn.Curve, error) {
	var first learn.Curve
	if o.halves > 0 {
		small := net
		small.Rows, small.Columns = o.side/2, o.side/2
		if err := small.Check(small.Rows * small.Columns); err != nil {
			return first, fmt.Errorf("train: windows of half the side: %w; or give -halves 0, for no steps on windows",
				err)
		}
		stage := o
		stage.sheets, stage.training.Steps, stage.training.Net = 0, o.halves, small
		stage.training.Windows = false
		stage.training.Progress = viz.Progress("training on windows", "held-out loss")
		trained, curve, err := stage.train(scenes.Crop{Of: sim, Rows: small.Rows, Cols: small.Columns}, name)
		if err != nil {
			return first, err
		}
		o.training.From, first = trained, curve
	}
	o.training.Net = net
	o.training.Progress = viz.Progress("training on images", "held-out loss")
	trained, curve, err := o.train(sim, name)
	if err != nil {
		return first, err
	}
	for i, step := range curve.Step {
		first.Step = append(first.Step, step+float64(o.halves))
		first.Train = append(first.Train, curve.Train[i])
		first.HeldOut = append(first.HeldOut, curve.HeldOut[i])
	}
	return first, trained.Save(o.out)
}

// train runs one stage.
func (o options) train(sim expfam.Simulator, name string) (trained network, curve learn.Curve, err error) {
	if o.infer != "" {
		like, err := o.likelihood()
		if err != nil {
			return nil, curve, err
		}
		net, err := learn.TrainInference(sim, like, o.training)
		if err != nil {
			return nil, curve, err
		}
		trained, curve = net, net.Curve
	} else {
		prior, err := o.prior(sim, name)
		if err != nil {
			return nil, curve, err
		}
		trained, curve = prior, prior.Curve
	}
	fmt.Printf("%v: %d steps in %.0f s, held-out loss %.5f\n", sim, o.training.Steps, curve.Seconds,
		curve.HeldOut[len(curve.HeldOut)-1])
	return trained, curve, nil
}

// likelihood returns the likelihood that the inference network is trained for.
func (o options) likelihood() (expfam.Likelihood, error) {
	link, err := expfam.ParseLink(o.infer)
	return expfam.Likelihood{Family: expfam.Poisson{}, Link: link}, err
}

// prior trains a score network and draws from it on the way.
func (o options) prior(sim expfam.Simulator, name string) (*learn.Prior, error) {
	if o.sheets < 1 {
		return learn.Train(sim, o.training)
	}
	every := max(1, 40/o.sheets)
	count := 0
	o.training.Snapshot = func(step int, prior expfam.Prior) {
		if count++; count%every == 0 {
			if err := o.sheet(prior, name); err != nil {
				log.Printf("train: step %d: no sheet of samples: %v", step, err)
			}
		}
	}
	prior, err := learn.Train(sim, o.training)
	if err != nil {
		return nil, err
	}
	return prior, o.sheet(prior, name)
}

// sheet draws sixteen samples of a prior, or on a large grid as many as take half a minute. It takes 50 steps, because
// steps as long as those for a posterior would smooth the samples.
func (o options) sheet(prior expfam.Prior, name string) error {
	draws := max(1, min(16, int(16*math.Pow(64/float64(o.side), 2))))
	post, err := diffusion.Sample(prior, expfam.Likelihood{Family: expfam.Normal{}},
		make(expfam.Observations, prior.Dim()), diffusion.Sampler{
			Draws: draws, Batch: min(draws, 8), Seed: o.training.Seed, Guidance: diffusion.Unguided{},
			Method: diffusion.ODE{N: 50}, Fresh: true})
	if err != nil {
		return err
	}
	images := make([][]float64, draws)
	for k := range images {
		images[k] = post.X.RawRowView(k)
	}
	return scenes.Sheet{Rows: o.side, Cols: o.side}.Save(name+".samples.png", images)
}

// Train learns a prior of images, or the paper's inference network for it:
//
//	go run ./notebooks/train -out prior.safetensors                    from procedural images
//	go run ./notebooks/train -images photos -out prior.safetensors     from a folder of photographs
//	go run ./notebooks/train -infer "exp(x)" -out poisson.safetensors  the paper's inference network for counts
//
// Beside the weights it writes the loss curve (.loss.png) and, while a prior
// trains, a sheet of samples (.samples.png). Its state is saved all the time: when
// it is stopped and started again with the same flags it goes on, and ends with
// the same weights to the bit on the same engine.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/viz"
)

// options are the flags.
type options struct {
	images, out, infer string
	side               int
	paper              bool
	sheets             int
	training           learn.Training
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.images, "images", "", "folder of images, with its subfolders; empty for procedural images")
	flag.StringVar(&o.out, "out", "", "file for the weights (safetensors)")
	flag.StringVar(&o.infer, "infer", "", "train the inference network for counts with this link, such as exp(x), instead of a prior")
	flag.IntVar(&o.side, "side", 64, "cells along each side of an image; 256 with -paper")
	flag.BoolVar(&o.paper, "paper", false, "the paper's network of 33 million parameters, for GPUs")
	flag.IntVar(&o.sheets, "sheets", 4, "how many sheets of samples are drawn on the way")
	flag.IntVar(&o.training.Steps, "steps", 6000, "steps of Adam")
	flag.IntVar(&o.training.Batch, "batch", 16, "images a step")
	flag.Float64Var(&o.training.Rate, "rate", 1e-3, "highest learning rate")
	flag.Uint64Var(&o.training.Seed, "seed", 0, "seed")
	flag.Parse()
	if o.out == "" || flag.NArg() > 0 {
		log.Fatal("train: give -out FILE, and nothing but flags")
	}
	if err := o.run(); err != nil {
		log.Fatal(err)
	}
}

func (o options) run() error {
	net := nn.UNet{Rows: o.side, Columns: o.side}
	if o.paper {
		net = nn.PaperUNet
		o.side = net.Rows
	}
	o.training.Net = net
	o.training.Progress = viz.Progress("training", "held-out loss")
	var sim expfam.Simulator = grid.Procedural{Rows: o.side, Cols: o.side}
	if o.images != "" {
		folder, err := grid.ImageFolder{Path: o.images, Rows: o.side, Cols: o.side, Flip: true}.Open()
		if err != nil {
			return err
		}
		defer func() { fmt.Println(folder.Report()) }()
		sim = folder
	}
	name := strings.TrimSuffix(o.out, ".safetensors")
	var curve learn.Curve
	var err error
	if o.infer != "" {
		curve, err = o.inference(sim)
	} else {
		curve, err = o.prior(sim, name)
	}
	if err != nil {
		return err
	}
	return viz.Save(viz.Curve{Train: curve.Train, Steps: curve.Step, HeldOut: curve.HeldOut, HeldOutSteps: curve.Step, Smooth: -1,
		Title: fmt.Sprintf("Training on %v", sim)}, name+".loss.png")
}

// inference trains the paper's second network.
func (o options) inference(sim expfam.Simulator) (learn.Curve, error) {
	link, err := expfam.ParseLink(o.infer)
	if err != nil {
		return learn.Curve{}, err
	}
	net, err := learn.TrainInference(sim, expfam.Likelihood{Family: expfam.Poisson{}, Link: link}, o.training)
	if err != nil {
		return learn.Curve{}, err
	}
	return net.Curve, net.Save(o.out)
}

// prior trains a score network and draws from it on the way.
func (o options) prior(sim expfam.Simulator, name string) (learn.Curve, error) {
	every := max(1, 40/max(1, o.sheets))
	count := 0
	o.training.Snapshot = func(step int, prior expfam.Prior) {
		if count++; o.sheets > 0 && count%every == 0 {
			if err := o.sheet(prior, name); err != nil {
				log.Printf("train: step %d: no sheet of samples: %v", step, err)
			}
		}
	}
	prior, err := learn.Train(sim, o.training)
	if err != nil {
		return learn.Curve{}, err
	}
	if err := prior.Save(o.out); err != nil {
		return learn.Curve{}, err
	}
	return prior.Curve, o.sheet(prior, name)
}

// sheet draws sixteen samples of a prior, or as many as are half a minute's work
// on a large grid. Steps as long as a posterior's would smooth them.
func (o options) sheet(prior expfam.Prior, name string) error {
	draws := max(1, min(16, int(16*math.Pow(64/float64(o.side), 2))))
	post, err := expfam.Sample(prior, expfam.Likelihood{Family: expfam.Normal{}}, make(expfam.Observations, prior.Dim()), expfam.Sampler{
		Draws: draws, Batch: min(draws, 8), Seed: o.training.Seed, Guidance: expfam.Unguided{},
		Method: expfam.ODE{N: 50}, Fresh: true})
	if err != nil {
		return err
	}
	images := make([][]float64, draws)
	for k := range images {
		images[k] = post.X.RawRowView(k)
	}
	return grid.Sheet{Rows: o.side, Cols: o.side}.Save(name+".samples.png", images)
}

// Train learns a prior of images, or the paper's inference network for it:
//
//	go run ./notebooks/train -out prior.safetensors                    from procedural images
//	go run ./notebooks/train -images photos -out prior.safetensors     from a folder of photographs
//	go run ./notebooks/train -images photos -from prior.safetensors -halves 0 -steps 500 -rate 3e-4 -out photos.safetensors
//	                                                                   the same, tuned from a trained network
//	go run ./notebooks/train -infer "exp(x)" -out poisson.safetensors  the paper's inference network for counts
//
// A training has two stages. Most steps are on windows of half the side, cut out of the images at random places. Such a
// step costs two fifths of a step on whole images, and things have the same size in both. The training on whole images
// then starts from the network of the windows. Early steps on windows are worth nearly as much as steps on whole
// images. In a test on two processors beside other work, 450 steps on windows took 76 s, and the loss on whole images
// was then .652. The loss was .744 after 150 steps on whole images, which took 62 s, and .638 after 450 steps on whole
// images.
//
// The optimizer is Muon. On images that are sharp and go from black to white (-plain -faint 0) the held-out loss is
// .5877 after 2200 steps on windows and 1600 on whole images, and below .5925 from step 640 on whole images. Adam needs
// 6000 steps on whole images for .5925 (-optimizer adam -adaptive=false -halves 0). On two idle cores this is 471 s in
// the place of 1443 s: 7.5 steps a second on windows and 3.6 on whole images, with Adam 4.2, counted over 35 s each,
// with held-out losses.
//
// Beside the weights, train writes the loss curve of both stages (.loss.png) and, while a prior trains on whole images,
// a sheet of samples (.samples.png). Its state is saved all the time. When it is stopped in either stage and started
// again with the same flags, it continues, and ends with the same weights to the bit on the same engine.
package main

import (
	"flag"
	"fmt"
	"log"
	"strings"

	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/viz"
)

// options are the flags.
type options struct {
	images, out, infer, from string
	side                     int
	paper, adaptive, plain   bool
	optimizer                string
	halves                   int
	sheets                   int
	training                 learn.Training
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.images, "images", "", "folder of images, with its subfolders; empty for procedural images")
	flag.StringVar(&o.out, "out", "", "file for the weights (safetensors)")
	flag.StringVar(&o.infer, "infer", "", "train the inference network for counts with this link, such as exp(x), "+
		"instead of a prior")
	flag.StringVar(&o.from, "from", "", "file of a trained network to start from, with its architecture; empty for "+
		"random weights")
	flag.IntVar(&o.side, "side", 64, "cells along each side of an image; 256 with -paper")
	flag.BoolVar(&o.paper, "paper", false, "the paper's network of 33 million parameters, for GPUs; all its steps "+
		"are on whole images")
	flag.BoolVar(&o.plain, "plain", false, "procedural images that are sharp and go from black to white")
	flag.StringVar(&o.optimizer, "optimizer", "", "muon or adam (default muon; adam with -paper or -infer)")
	flag.IntVar(&o.halves, "halves", 2200, "steps on windows of half the side, before those on whole images")
	flag.IntVar(&o.training.Steps, "steps", 0,
		"steps on whole images (default 1600, or 6000 if there are none on windows)")
	flag.IntVar(&o.sheets, "sheets", 4, "how many sheets of samples are drawn on the way; 0 for none at all")
	flag.IntVar(&o.training.Batch, "batch", 16, "images a step")
	flag.Float64Var(&o.training.Rate, "rate", 1e-3, "highest learning rate")
	flag.Float64Var(&o.training.Faint, "faint", 0.5,
		"power by which faint parts of an image count more, from 0 to 1; not for -infer")
	flag.BoolVar(&o.adaptive, "adaptive", true,
		"a network that estimates the spectrum of the image at hand; not for -paper")
	flag.BoolVar(&o.training.Windows, "windows", false,
		"let steps on whole images look at windows of half the side too")
	flag.Uint64Var(&o.training.Seed, "seed", 0, "seed")
	flag.Parse()
	if o.out == "" || flag.NArg() > 0 {
		log.Fatal("train: give -out FILE, and nothing but flags")
	}
	if o.side < 2 || o.halves < 0 || o.sheets < 0 {
		log.Fatalf("train: -side %d, -halves %d, -sheets %d; a side has at least 2 cells, and no number may be "+
			"negative", o.side, o.halves, o.sheets)
	}
	if o.optimizer == "" {
		o.optimizer = "muon"
		if o.paper || o.infer != "" { // Muon was not tried on these
			o.optimizer = "adam"
		}
	}
	switch o.optimizer {
	case "muon":
		o.training.Optimizer = learn.Muon{}
	case "adam":
	default:
		log.Fatalf("train: -optimizer %s; give muon or adam", o.optimizer)
	}
	if o.plain && o.images != "" {
		log.Fatal("train: -plain is for procedural images; leave it or -images out")
	}
	if err := o.run(); err != nil {
		log.Fatal(err)
	}
}

func (o options) run() error {
	net, err := o.start()
	if err != nil {
		return err
	}
	if o.paper {
		o.side, o.halves = net.Rows, 0 // the paper's network attends at 16 rows, so it has other parameters on windows
	}
	if o.training.Steps == 0 {
		o.training.Steps = 1600
		if o.halves == 0 {
			o.training.Steps = 6000
		}
	}
	var sim scenes.Prior = scenes.Procedural{Rows: o.side, Cols: o.side, Plain: o.plain}
	if o.images != "" {
		folder, err := scenes.ImageFolder{Path: o.images, Rows: o.side, Cols: o.side, Flip: true}.Open()
		if err != nil {
			return err
		}
		defer func() { fmt.Println(folder.Report()) }()
		sim = folder
	}
	name := strings.TrimSuffix(o.out, ".safetensors")
	curve, err := o.stages(sim, net, name)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("Training on %v", sim)
	if o.halves > 0 {
		title += fmt.Sprintf(", the first %d steps on windows of %d×%d", o.halves, o.side/2, o.side/2)
	}
	return viz.Save(viz.Curve{Train: curve.Train, Steps: curve.Step, HeldOut: curve.HeldOut, HeldOutSteps: curve.Step,
		Smooth: -1, Title: title}, name+".loss.png")
}

// start returns the U-Net that is trained. If -from is given, it also sets the trained network to start from.
func (o *options) start() (nn.UNet, error) {
	net := nn.UNet{Rows: o.side, Columns: o.side, Adaptive: o.adaptive}
	if o.paper {
		net = nn.PaperUNet
	}
	if o.from == "" {
		return net, nil
	}
	var from nn.Network
	if o.infer != "" {
		like, err := o.likelihood()
		if err != nil {
			return net, err
		}
		trained, err := learn.LoadInference(o.from, like)
		if err != nil {
			return net, err
		}
		o.training.From, from = trained, trained.Net
	} else {
		trained, err := learn.Load(o.from)
		if err != nil {
			return net, err
		}
		o.training.From, from = trained, trained.Net
	}
	if o.paper {
		return net, nil
	}
	own, ok := from.(nn.UNet)
	if !ok {
		return net, fmt.Errorf("train: -from %s holds %v; give a file of a U-Net", o.from, from)
	}
	own.Rows, own.Columns = o.side, o.side
	own.Adaptive = own.Adaptive || o.adaptive && !own.Plain // what adapts is the filter that a plain network lacks
	return own, nil
}

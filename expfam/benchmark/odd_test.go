package benchmark

import (
	"flag"
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
)

var photos = flag.String("photos", "../../notebooks/photos", "folder of photographs that no prior has seen")

// Odd images differ from each other, lie in the range of grey values and are as faint as their names say.
func TestOdds(t *testing.T) {
	images, err := OddImages(64, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, i := range images {
		if seen[i.Name] {
			t.Errorf("two images are called %s", i.Name)
		}
		seen[i.Name] = true
		var mean, square float64
		for _, x := range i.X0 {
			if !(math.Abs(x) <= 1) {
				t.Fatalf("%s: x₀ is %g", i.Name, x)
			}
			mean += x / float64(len(i.X0))
			square += x * x / float64(len(i.X0))
		}
		sd := math.Sqrt(max(0, square-mean*mean))
		// A difference of squares rounds to 1e-7. The standard error of the sd of 4096 cells is 1.1%; a clip at 1 takes
		// 2% from the widest noise.
		if want, ok := map[string]float64{"noise of sd 0.02": 0.02, "noise of sd 0.4": 0.4,
			"stripes, 16 cells": 0.8 / math.Sqrt2, "constant 0.7": 0}[i.Name]; ok &&
			math.Abs(sd-want) > 0.05*want+1e-6 {
			t.Errorf("%s: sd %g, want %g", i.Name, sd, want)
		}
	}
	if len(images) != 20 {
		t.Errorf("%d images, want 20", len(images))
	}
}

// TestStrangeImages compares the default sampler with a Gaussian Markov field on the photographs of a
// folder (-photos) and on [OddImages], image by image. README.md lists the twenty-four photographs of its table.
func TestStrangeImages(t *testing.T) {
	if !*full {
		t.Skip("half a minute an image on two cores: run with -full")
	}
	prior := imagePrior(t, 64)
	images, err := Images(*photos, 0, 64, 10, 100)
	if err != nil {
		t.Fatal(err)
	}
	odd, err := OddImages(64, 10, 200)
	if err != nil {
		t.Fatal(err)
	}
	images = append(images, odd...)
	table := scoreImages(t, images, []imageMethod{
		{"expfam", sampled(prior, nil, nil)},
		{"GMRF Cox process", func(i Image) (*expfam.Posterior, error) {
			return gmrf.Sample(gmrf.Prior{Grid: grid.Grid{Rows: 64, Cols: 64}}, i.Likelihood, i.Seen,
				gmrf.Options{Draws: imageDraws, Seed: 1})
		}},
	})
	// 38 of 44 photographs and odd images are asked for.
	if least := (38*len(images) + 43) / 44; table[1].BetterCRPS < least || table[1].BetterLog < least {
		t.Errorf("the default is better on %d (CRPS) and %d (log score) of %d images, at least %d are wanted",
			table[1].BetterCRPS, table[1].BetterLog, len(images), least)
	}
	if worst := table[0].Worst; !(worst >= 0.88) {
		t.Errorf("95%% intervals of one image hold %.3f of its cells, at least 0.88 are wanted", worst)
	}
}

// Command curves draws the curves of accuracy against evaluations in README.md, and prints their tables:
//
//	cd benchmarks && go run ./curves line    # some minutes
//	cd benchmarks && go run ./curves images  # half an hour
//	cd benchmarks && go run ./curves field   # half an hour; trains a U-Net first if the store does not have it
//
// When it is started again, it continues where it stopped.
package main

import (
	"flag"
	"image/color"
	"log"

	"github.com/expfam/lab/viz"
)

var (
	dataSets = flag.Int("datasets", 0, "data sets; default 4 of each case of lines, 2 fields, 2 of the thirty images")
	draws    = flag.Int("draws", 100, "draws of each posterior of a field")
)

var grey = color.NRGBA{120, 120, 120, 255}

// colors are the colours of the efforts, the same in all curves.
var colors = map[string]color.NRGBA{
	"covariance-drawn steps": {0, 114, 178, 255}, "restarts": {213, 94, 0, 255},
	"DPM-Solver++ (SDE)": {0, 158, 115, 255}, "DPM-Solver++ (ODE)": {204, 121, 167, 255},
	"DPS, right weight": {230, 159, 0, 255}, "paper's sampler": {86, 180, 233, 255},
	"restarts of images": {0, 0, 0, 255},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("curves: ")
	flag.Parse()
	run, ok := map[string]func() (viz.Panels, error){"line": line, "images": images, "field": field}[flag.Arg(0)]
	if !ok {
		log.Fatal("name one of line, images and field")
	}
	panels, err := run()
	if err != nil {
		log.Fatal(err)
	}
	file := map[string]string{"line": "evaluations", "images": "image-evaluations", "field": "field-evaluations"}
	if err := viz.Save(panels, "curves/"+file[flag.Arg(0)]+".png"); err != nil {
		log.Fatal(err)
	}
}

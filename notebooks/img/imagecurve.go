//go:build ignore

// Imagecurve draws the calibration curve of images for the benchmark's README and prints its table:
// `go run imagecurve.go` in this folder. It takes half an hour. When it is started again, it continues where it
// stopped.
package main

import (
	"flag"
	"fmt"
	"image/color"
	"log"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/benchmark"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/interrupt"
	"github.com/expfam/lab/viz"
)

var dataSets = flag.Int("datasets", 2, "images, every so many of the thirty")

func main() {
	flag.Parse()
	ctx, stop := interrupt.Context()
	defer stop()
	prior := expfam.Must(learn.Load("../weights/images-score.safetensors"))
	all := expfam.Must(benchmark.Images("../photos", 20, 64, 10, 1))
	var images []benchmark.Image
	for k := 0; k < len(all); k += max(1, len(all) / *dataSets) {
		images = append(images, all[k])
	}
	points, err := benchmark.ImageCurve(ctx, prior, images, benchmark.ImageEfforts(), []int{6, 10, 17, 30, 60}, 40)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(benchmark.ImageCurveTable(points))
	panels := []viz.Figure{
		panel(points, viz.Lines{Title: "Error", YLabel: "CRPS of x₀, held-out cells", LogY: true, YMin: 0.06,
			YMax: 0.5},
			func(s *benchmark.ImageSummary) float64 { return s.CRPS.Mean }, 0),
		panel(points, viz.Lines{Title: "Coverage of cells", YLabel: "cells in 95% intervals", YMin: 0.5, YMax: 1},
			func(s *benchmark.ImageSummary) float64 { return s.Coverage.Mean }, 0.95),
		panel(points, viz.Lines{Title: "Coverage of sums", YLabel: "sums over squares in 95% intervals", YMin: 0.5,
			YMax: 1},
			func(s *benchmark.ImageSummary) float64 { return s.Blocks.Mean }, 0.95),
		panel(points, viz.Lines{Title: "Texture", YLabel: "fine power, draws over truth", YMin: 0, YMax: 2},
			func(s *benchmark.ImageSummary) float64 { return s.Rough.Mean }, 1),
	}
	note := fmt.Sprintf("%d images of 64×64 cells, 40 draws each. What is not drawn diverges, or lies outside.",
		len(images))
	if err := viz.Save(viz.Panels{Figures: panels, Note: note}, "image-evaluations.png"); err != nil {
		log.Fatal(err)
	}
}

// colors are the colours of the efforts, the same in all panels and, for those that curves have too, as in
// evaluations.png.
var colors = map[string]color.NRGBA{
	"restarts of images": {0, 114, 178, 255}, "restarts": {213, 94, 0, 255}, "DPM-Solver++ (SDE)": {0, 158, 115, 255},
	"DPM-Solver++ (ODE)": {204, 121, 167, 255}, "DPS, right weight": {230, 159, 0, 255},
	"paper's sampler": {86, 180, 233, 255},
}

// panel draws one score against evaluations. A dashed line is where the score is right, if wanted is not 0.
func panel(points []benchmark.ImageCurvePoint, v viz.Lines, of func(*benchmark.ImageSummary) float64,
	wanted float64) viz.Figure {
	v.XLabel, v.LogX, v.XMin, v.XMax = "evaluations of the network", true, 5, 70
	for _, p := range points {
		if p.Score == nil || !(of(p.Score) <= v.YMax && of(p.Score) >= v.YMin) {
			continue
		}
		if n := len(v.Lines); n == 0 || v.Lines[n-1].Name != p.Effort {
			v.Lines = append(v.Lines, viz.Line{Name: p.Effort, Points: true, Color: colors[p.Effort]})
		}
		l := &v.Lines[len(v.Lines)-1]
		l.X, l.Y = append(l.X, float64(p.Evaluations)), append(l.Y, of(p.Score))
	}
	if wanted > 0 {
		v.Lines = append(v.Lines, viz.Line{Name: "right", X: []float64{5, 70}, Y: []float64{wanted, wanted},
			Dashed: true, Color: color.NRGBA{120, 120, 120, 255}})
	}
	return v
}

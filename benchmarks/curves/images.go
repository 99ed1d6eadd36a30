package main

import (
	"cmp"
	"fmt"

	"github.com/expfam/lab/benchmarks"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/viz"
)

// images is the curve of Cox processes on some of thirty images.
func images() (viz.Panels, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	prior := expfam.Must(learn.Load("../notebooks/weights/images-score.safetensors"))
	all := expfam.Must(problem.Images("../notebooks/photos", 20, 64, 10, 1))
	var some []problem.Image
	for k := 0; k < len(all); k += max(1, len(all)/cmp.Or(*dataSets, 2)) {
		some = append(some, all[k])
	}
	points, err := benchmarks.ImageCurve(ctx, prior, some, benchmarks.ImageEfforts(), []int{6, 10, 17, 30, 60}, 40)
	if err != nil {
		return viz.Panels{}, err
	}
	fmt.Println(benchmarks.ImageCurveTable(points))
	return viz.Panels{Figures: []viz.Figure{
		imagePanel(points, viz.Lines{Title: "Error", YLabel: "CRPS of x₀, held-out cells", LogY: true, YMin: 0.06,
			YMax: 0.5}, func(s *problem.ImageSummary) float64 { return s.CRPS.Mean }, 0),
		imagePanel(points, viz.Lines{Title: "Coverage of cells", YLabel: "cells in 95% intervals", YMin: 0.5, YMax: 1},
			func(s *problem.ImageSummary) float64 { return s.Coverage.Mean }, 0.95),
		imagePanel(points, viz.Lines{Title: "Coverage of sums", YLabel: "sums over squares in 95% intervals", YMin: 0.5,
			YMax: 1}, func(s *problem.ImageSummary) float64 { return s.Blocks.Mean }, 0.95),
		imagePanel(points, viz.Lines{Title: "Texture", YLabel: "fine power, draws over truth", YMin: 0, YMax: 2},
			func(s *problem.ImageSummary) float64 { return s.Rough.Mean }, 1),
	}, Note: fmt.Sprintf("%d images of 64×64 cells, 40 draws each. What is not drawn diverges, or lies outside.",
		len(some))}, nil
}

// imagePanel draws one score against evaluations. A dashed line is where the score is right, if wanted is not 0.
func imagePanel(points []benchmarks.ImageCurvePoint, v viz.Lines, of func(*problem.ImageSummary) float64,
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
			Dashed: true, Color: grey})
	}
	return v
}

package main

import (
	"cmp"
	"fmt"

	"github.com/expfam/lab/benchmarks"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/viz"
)

// line is the curve of the one-dimensional benchmark.
func line() (viz.Panels, error) {
	learned := expfam.Must(learn.Load("../notebooks/weights/gp-experts-score.safetensors"))
	panels := viz.Panels{ShareY: true, Note: "500 draws each, learned prior. What is not drawn diverges, or ends at " +
		"a noise level above the posterior's spread."}
	for _, c := range []benchmarks.Case{benchmarks.PoissonLow, benchmarks.Exponential} {
		for _, p := range []struct {
			name    string
			prior   expfam.Prior
			efforts []benchmarks.Effort
		}{{"learned prior", learned, benchmarks.Efforts}, {"exact prior", problem.Prior, benchmarks.Efforts[:2]}} {
			points, err := c.CurveOf(p.prior, p.efforts, []int{4, 6, 8, 12, 20, 30, 60},
				benchmarks.Seeds(1, cmp.Or(*dataSets, 4)))
			if err != nil {
				return panels, err
			}
			fmt.Printf("%s, %s\n\n%s\n", c.Name, p.name, benchmarks.CurveTable(points))
			if p.prior == learned {
				panels.Figures = append(panels.Figures, linePanel(c.Name, points))
			}
		}
	}
	return panels, nil
}

func linePanel(title string, points []benchmarks.CurvePoint) viz.Figure {
	const floor = 0.056 // W₁/sd of 500 exact draws
	v := viz.Lines{Title: title, XLabel: "evaluations of the network", YLabel: "distance W₁ / sd", LogX: true,
		LogY: true, XMin: 3.5, XMax: 70, YMin: 0.05, YMax: 2}
	for _, p := range points {
		if p.Score == nil || !(p.Score.W1 < v.YMax) {
			continue
		}
		if n := len(v.Lines); n == 0 || v.Lines[n-1].Name != p.Effort {
			v.Lines = append(v.Lines, viz.Line{Name: p.Effort, Points: true, Color: colors[p.Effort]})
		}
		l := &v.Lines[len(v.Lines)-1]
		l.X, l.Y = append(l.X, float64(p.Evaluations)), append(l.Y, p.Score.W1)
	}
	v.Lines = append(v.Lines, viz.Line{Name: "500 exact draws", X: []float64{3.5, 70}, Y: []float64{floor, floor},
		Dashed: true, Color: grey})
	return v
}

//go:build ignore

// Curve draws the calibration curve of the benchmark's README and prints its table:
// `go run curve.go` in this folder. It takes some minutes. When it is started again, it continues where it stopped.
package main

import (
	"flag"
	"fmt"
	"image/color"
	"log"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/benchmark"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/viz"
)

var (
	dataSets = flag.Int("datasets", 4, "data sets of each case")
	floor    = 0.056 // W₁/sd of 500 exact draws
)

func main() {
	flag.Parse()
	learned := expfam.Must(learn.Load("../weights/gp-experts-score.safetensors"))
	var panels []viz.Figure
	for _, c := range []benchmark.Case{benchmark.PoissonLow, benchmark.Exponential} {
		for _, p := range []struct {
			name    string
			prior   expfam.Prior
			efforts []benchmark.Effort
		}{{"learned prior", learned, benchmark.Efforts}, {"exact prior", benchmark.Prior, benchmark.Efforts[:2]}} {
			points, err := c.CurveOf(p.prior, p.efforts, []int{4, 6, 8, 12, 20, 30, 60}, benchmark.Seeds(1, *dataSets))
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s, %s\n\n%s\n", c.Name, p.name, benchmark.CurveTable(points))
			if p.prior == learned {
				panels = append(panels, figure(c.Name, points))
			}
		}
	}
	if err := viz.Save(viz.Panels{Figures: panels, ShareY: true,
		Note: "500 draws each, learned prior. What is not drawn diverges, or ends at a noise level above the " +
			"posterior's spread."}, "evaluations.png"); err != nil {
		log.Fatal(err)
	}
}

// colors are the colours of the efforts, the same in all panels.
var colors = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}}

func figure(title string, points []benchmark.CurvePoint) viz.Figure {
	v := viz.Lines{Title: title, XLabel: "evaluations of the network", YLabel: "distance W₁ / sd", LogX: true,
		LogY: true,
		XMin: 3.5, XMax: 70, YMin: 0.05, YMax: 2}
	at := map[string]int{}
	for _, p := range points {
		i, ok := at[p.Effort]
		if !ok {
			i = len(v.Lines)
			at[p.Effort] = i
			v.Lines = append(v.Lines, viz.Line{Name: p.Effort, Points: true, Color: colors[i]})
		}
		if p.Score != nil && p.Score.W1 < v.YMax {
			l := &v.Lines[i]
			l.X, l.Y = append(l.X, float64(p.Evaluations)), append(l.Y, p.Score.W1)
		}
	}
	var lines []viz.Line
	for _, l := range v.Lines {
		if len(l.X) > 0 {
			lines = append(lines, l)
		}
	}
	v.Lines = append(lines, viz.Line{Name: "500 exact draws", X: []float64{3.5, 70}, Y: []float64{floor, floor},
		Dashed: true, Color: color.NRGBA{120, 120, 120, 255}})
	return v
}

//go:build ignore

// Fieldcurve draws the calibration curve on the Gaussian field of 32×32 cells and prints its table: `go run
// fieldcurve.go` in this folder. It trains the field's U-Net first if the store does not have it. It takes about half
// an hour. When it is started again, it continues where it stopped.
package main

import (
	"flag"
	"fmt"
	"image/color"
	"log"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/benchmark"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/viz"
)

var (
	dataSets = flag.Int("datasets", 2, "data sets")
	draws    = flag.Int("draws", 100, "draws of each posterior")
)

// floor is W₁/sd of 100 exact draws.
const floor = 0.124

// colors are the colours of the efforts, the same in both panels and, for those that curves have too, as in
// evaluations.png.
var colors = map[string]color.NRGBA{
	"covariance-drawn steps": {0, 114, 178, 255}, "restarts": {213, 94, 0, 255}, "DPM-Solver++ (SDE)": {0, 158, 115,
		255},
	"DPM-Solver++ (ODE)": {204, 121, 167, 255}, "DPS, right weight": {230, 159, 0, 255}, "restarts of images": {86, 180,
		233, 255},
}

func main() {
	flag.Parse()
	log.SetFlags(0)
	c := expfam.Must(benchmark.FieldCase())
	// The settings are those of the benchmark's TestField.
	prior := expfam.Must(learn.Train(c.Field, learn.Training{Net: nn.UNet{Rows: 32, Columns: 32}, Steps: 3000,
		Batch: 32, Rate: 1.5e-3,
		Progress: viz.Progress("training", "held-out loss")}))
	points, err := c.CurveOf(prior, benchmark.FieldEfforts(*draws), []int{4, 6, 8, 12, 20, 30, 60},
		benchmark.Seeds(1, *dataSets))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n\n%s\n", c.Name, benchmark.CurveTable(points))
	w1 := viz.Lines{Title: "Distance to the exact posterior", XLabel: "evaluations of the network", YLabel: "W₁ / sd",
		LogX: true, LogY: true,
		XMin: 3.5, XMax: 70, YMin: 0.1, YMax: 3}
	inside := viz.Lines{Title: "Sums over squares in 95% intervals", XLabel: w1.XLabel, YLabel: "share", LogX: true,
		XMin: 3.5, XMax: 70, YMin: 0.5, YMax: 1}
	at := map[string]int{}
	for _, p := range points {
		i, ok := at[p.Effort]
		if !ok {
			i = len(w1.Lines)
			at[p.Effort] = i
			line := viz.Line{Name: p.Effort, Points: true, Color: colors[p.Effort]}
			w1.Lines, inside.Lines = append(w1.Lines, line), append(inside.Lines, line)
		}
		if p.Score == nil {
			continue
		}
		add := func(f *viz.Lines, y float64) {
			if y >= f.YMin && y <= f.YMax {
				f.Lines[i].X, f.Lines[i].Y = append(f.Lines[i].X, float64(p.Evaluations)), append(f.Lines[i].Y, y)
			}
		}
		add(&w1, p.Score.W1)
		add(&inside, p.Score.Sums)
	}
	without := func(l viz.Line) bool { return len(l.X) == 0 }
	w1.Lines, inside.Lines = slices.DeleteFunc(w1.Lines, without), slices.DeleteFunc(inside.Lines, without)
	w1.Lines = append(w1.Lines, viz.Line{Name: "exact draws", X: []float64{3.5, 70}, Y: []float64{floor, floor},
		Dashed: true, Color: color.NRGBA{120, 120, 120, 255}})
	inside.Lines = append(inside.Lines, viz.Line{Name: "nominal", X: []float64{3.5, 70}, Y: []float64{0.95, 0.95},
		Dashed: true, Color: color.NRGBA{120, 120, 120, 255}})
	if err := viz.Save(viz.Panels{Figures: []viz.Figure{w1, inside},
		Note: fmt.Sprintf("%d draws each, learned prior. What is not drawn diverges, or is outside of the figure.",
			*draws)}, "field-evaluations.png"); err != nil {
		log.Fatal(err)
	}
}

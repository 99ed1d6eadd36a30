package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/expfam/lab/benchmarks"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/viz"
)

// field is the curve of the Gaussian field of 32×32 cells.
func field() (viz.Panels, error) {
	const floor = 0.124 // W₁/sd of 100 exact draws
	c := expfam.Must(benchmarks.FieldCase())
	// The settings are those of TestField.
	prior := expfam.Must(learn.Train(c.Field, learn.Training{Net: nn.UNet{Rows: 32, Columns: 32}, Steps: 3000,
		Batch: 32, Rate: 1.5e-3, Progress: viz.Progress("training", "held-out loss")}))
	points, err := c.CurveOf(prior, benchmarks.FieldEfforts(*draws), []int{4, 6, 8, 12, 20, 30, 60},
		benchmarks.Seeds(1, cmp.Or(*dataSets, 2)))
	if err != nil {
		return viz.Panels{}, err
	}
	fmt.Printf("%s\n\n%s\n", c.Name, benchmarks.CurveTable(points))
	w1 := viz.Lines{Title: "Distance to the exact posterior", XLabel: "evaluations of the network", YLabel: "W₁ / sd",
		LogX: true, LogY: true, XMin: 3.5, XMax: 70, YMin: 0.1, YMax: 3}
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
		Dashed: true, Color: grey})
	inside.Lines = append(inside.Lines, viz.Line{Name: "nominal", X: []float64{3.5, 70}, Y: []float64{0.95, 0.95},
		Dashed: true, Color: grey})
	note := fmt.Sprintf("%d draws each, learned prior. What is not drawn diverges, or is outside of the figure.",
		*draws)
	return viz.Panels{Figures: []viz.Figure{w1, inside}, Note: note}, nil
}

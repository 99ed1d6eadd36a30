package viz_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/expfam/lab/viz"
	"gonum.org/v1/gonum/mat"
)

// save writes a figure into a temporary folder and prints what it is.
func save(fig viz.Figure, name string) {
	dir, err := os.MkdirTemp("", "viz")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := viz.Save(fig, filepath.Join(dir, name)); err != nil {
		panic(err)
	}
	viz.Show(fig)
}

func ExampleIntervals() {
	draws := mat.NewDense(4, 3, []float64{ // 4 draws of 3 cells
		1.0, 2.0, 2.8,
		1.2, 2.1, 3.1,
		0.9, 1.8, 3.0,
		1.1, 2.3, 3.3,
	})
	save(viz.Intervals{Draws: draws, Truth: []float64{1, 2, 3}, Title: "Three cells"}, "intervals.svg")
	// Output:
	// [intervals: Three cells; posterior, truth; value against cell; Dot: median. Bars: central 50% and 95% (equal-tailed).]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExampleCurve() {
	loss := make([]float64, 200)
	for i := range loss {
		loss[i] = 0.5 + math.Exp(-float64(i)/30)
	}
	save(viz.Curve{Train: loss, HeldOut: []float64{0.9, 0.7, 0.61, 0.63}, LogY: true}, "curve.pdf")
	// Output:
	// [curve: train, held out, best: step 150, 0.61; loss against step; Faint: every step. Line: moving average over about 4.]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExampleLines() {
	x := []float64{-1, 0, 1}
	save(viz.Lines{
		Lines: []viz.Line{{Name: "exp(x)", X: x, Y: []float64{math.Exp(-1), 1, math.E}},
			{Name: "x", X: x, Y: x, Dashed: true}},
		XLabel: "x", YLabel: "inverse link",
	}, "links.html")
	// Output:
	// [lines: exp(x), x; inverse link against x]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExampleHistogram() {
	save(viz.Histogram{Of: binned{[]int{12, 9, 8, 11}, 10, 2, 19}, Title: "Forty ranks", XLabel: "rank over 100",
		YLabel: "simulations"}, "ranks.svg")
	// Output:
	// [histogram: Forty ranks; counts, expected; simulations against rank over 100; Band: counts of all bins together with probability 95% or more.]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExamplePanels() {
	x := []float64{-1, 0, 1}
	y := []float64{math.Exp(-1), 1, math.E}
	save(viz.Panels{Title: "A link and its slope", ShareY: true, Figures: []viz.Figure{
		viz.Lines{Lines: []viz.Line{{Name: "exp(x)", X: x, Y: y}}, XLabel: "x", YLabel: "θ"},
		viz.Lines{Lines: []viz.Line{{Name: "slope", X: x, Y: y}}, Arrows: []viz.Arrow{{X: 0, Y: 1, DX: 0.5, DY: 0.5}},
			XLabel: "x"},
	}}, "panels.png")
	// Output:
	// A link and its slope
	// [lines: exp(x); θ against x]
	// [lines: slope; against x]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExampleMap() {
	save(viz.Map{
		Field: viz.Rows{{0.5, 2, 8}, {1, math.NaN(), 4}}, // the first row is on top
		Held:  []bool{false, false, true, false, false, false},
		Title: "Six cells", Scale: &viz.Scale{Label: "rate (per km²)", Log: true}, Note: "Counts of 2024.",
	}, "map.png")
	// Output:
	// [map: Six cells; 3 by 2 cells, 0.5 to 8, rate (per km²); Grey: no value. Hatched over the colour: held out. Counts of 2024.]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

// The density of one cell between two values.
func ExampleDensity() {
	draws := mat.NewDense(6, 1, []float64{1.0, 1.3, 1.4, 1.6, 1.9, 2.4})
	save(viz.Density{Draws: draws, Truth: []float64{1.5}, XLabel: "rate", XMin: 0, XMax: 4, Height: 260}, "rate.svg")
	// Output:
	// [density: posterior, truth; density against rate; Kernel estimate, Silverman's bandwidth.]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

// Replicated counts beside the observed ones, in the order of their medians.
func ExamplePredictive() {
	draws := mat.NewDense(4, 3, []float64{ // 4 draws of 3 cells
		1, 3, 7,
		2, 5, 9,
		0, 4, 6,
		2, 4, 8,
	})
	save(viz.Predictive{Draws: draws, Observed: []float64{1, 9, 7}, InOrder: true, YLabel: "cases"}, "cases.svg")
	// Output:
	// [predictive: inside, outside; cases against cell, in the order of the medians; Dot: observed. Bars: central 95% of replicated data, which hold 66.7% of 3 cells, ends included.]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

// A column of data with its unit.
func ExampleData() {
	save(viz.Data{Of: []float64{3, 0, math.NaN(), 9}, XLabel: "month", YLabel: "cases"}, "cases.svg")
	// Output:
	// 1 of 4 missing, mean 4, 0 to 9
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

// A figure of one's own is a Chart: axes, lines, bands, bars and points. The figures of this package return theirs, so
// that labels and ranges can be changed before it is shown.
func ExampleChart() {
	c := &viz.Chart{Kind: "dose", Title: "Dose and response", Note: "Ring: the dose that was chosen.", Height: 300,
		X: viz.Axis{Label: "dose (mg)", Min: 0, Max: 6, Whole: true}, Y: viz.Axis{Label: "response"}}
	x, y := []float64{1, 2, 3, 4, 5}, []float64{0.1, 0.3, 0.6, 0.8, 0.9}
	c.Line("half", []float64{0, 6}, []float64{0.5, 0.5}, viz.LineStyle{Color: viz.Ink, Dashed: true, Mute: true})
	c.Points("measured", x, y, nil, viz.PointStyle{Color: viz.OkabeIto[0], Halo: true})
	c.Points("chosen", x[3:4], y[3:4], nil, viz.PointStyle{Color: viz.OkabeIto[1], Shape: viz.Ring, Radius: 6})
	save(c, "dose.svg")
	// Output:
	// [dose: Dose and response; half, measured, chosen; response against dose (mg); Ring: the dose that was chosen.]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExampleMaps() {
	rate, residual := &viz.Scale{Label: "rate"}, &viz.Scale{Label: "residual", Diverging: true}
	save(viz.Maps{ColumnLabels: []string{"truth", "median", "difference"}, Maps: []viz.Map{
		{Field: viz.Rows{{1, 2}, {3, 4}}, Scale: rate},
		{Field: viz.Rows{{1, 2.5}, {2.5, 4.5}}, Scale: rate},
		{Field: viz.Rows{{0, 0.5}, {-0.5, 0.5}}, Scale: residual},
	}}, "maps.html")
	// Output:
	// [maps: truth: 2 by 2 cells, 1 to 4.5, rate; median: 2 by 2 cells, 1 to 4.5, rate; difference: 2 by 2 cells, −0.5 to 0.5, residual]
	// [not in a notebook: viz.Save(fig, "name.svg") writes .svg, .png, .pdf and .html]
}

func ExampleTable() {
	viz.Show(viz.Table{
		Title: "Distance to HMC",
		Columns: []viz.Column{
			{Name: "method"},
			{Name: "W1", Unit: "sd", Format: "%.3f"},
			{Name: "coverage", Unit: "%", Format: "%.1f"},
			{Name: "time", Unit: "s", Format: "%.2f"},
		},
		Rows: [][]any{
			{"ours", 0.0671, 94.8, 0.41},
			{"DPS", 0.3014, 71.3, 20.1},
			{"exact", 0.0561, 95.9, nil},
		},
	})
	// Output:
	// Distance to HMC
	// method   W1 (sd)   coverage (%)   time (s)
	// ours       0.067           94.8       0.41
	// DPS        0.301           71.3      20.10
	// exact      0.056           95.9          –
}

func ExampleViridis() {
	fmt.Println(viz.Viridis(0), viz.Viridis(1))
	// Output: {68 1 84 255} {253 231 37 255}
}

func ExampleComparison() {
	low := mat.NewDense(3, 2, []float64{1, 4, 2, 5, 3, 6}) // 3 draws of 2 cells
	high := mat.NewDense(3, 2, []float64{2, 5, 3, 6, 4, 7})
	viz.Show(viz.Comparison{Methods: []viz.Method{{Name: "low", Draws: low}, {Name: "high", Draws: high}},
		XLabel: "year", YLabel: "cases per month"})
	// Output:
	// low
	// high
	// cell      mean, low   sd, low   mean, high   sd, high   difference   in sd
	// 0               2.0         1          3.0          1            1       1
	// 1               5.0         1          6.0          1            1       1
	// average         3.5         1          4.5          1            1       1
	// Means differ most in cell 0, by 1 standard deviations.
}

package simulate_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/simulate"
)

func ExampleEpidemic() {
	e := simulate.Epidemic{Weeks: 10}
	x := make([]float64, e.Dim())
	e.Curve([]float64{2.5, 5, 0.4, 10}, x) // R0, days, reporting rate, first infections
	for _, v := range x {
		fmt.Printf("%.0f ", math.Exp(v))
	}
	// Output:
	// 17 61 241 783 1400 861 216 42 8 2
}

func ExampleSeason() {
	s := simulate.Season{Cells: 12}
	x := make([]float64, s.Dim())
	s.Curve([]float64{1, 0.3, 0.5, 3}, x) // level, trend a year, amplitude, peak
	fmt.Printf("%.2f\n", x)
	// Output:
	// [1.00 1.27 1.48 1.57 1.53 1.38 1.15 0.93 0.77 0.73 0.82 1.02]
}

func ExampleDose() {
	d := simulate.Dose{Doses: []float64{1, 10, 100}, Unit: "mg"}
	x := make([]float64, d.Dim())
	d.Curve([]float64{0.1, 0.9, 10, 2}, x) // base, top, ED50, slope
	for _, v := range x {
		fmt.Printf("%.3f ", 1/(1+math.Exp(-v)))
	}
	// Output:
	// 0.108 0.500 0.892
}

func ExampleModel() {
	decay := simulate.Model{Name: "decay", Cells: 5, Unknown: []law.Parameter{
		{Name: "half-life", Unit: "hours", Law: distuv.Uniform{Min: 1, Max: 5}}},
		Field: func(rng *rand.Rand, values, x []float64) {
			for j := range x {
				x[j] = 3 - math.Ln2*float64(j)/values[0] + 0.1*rng.NormFloat64()
			}
		}}
	x := make([]float64, 5)
	rng := expfam.Stream(1, "example")
	values := law.Draw(rng, decay.Parameters())
	decay.DrawGiven(rng, values, x)
	fmt.Printf("half-life %.2f hours: %.2f\n", values[0], x)
	// Output:
	// half-life 4.21 hours: [3.11 2.94 2.70 2.60 2.29]
}

func ExampleImage() {
	m := simulate.Image{}
	_, cols := m.Lattice()
	x := make([]float64, m.Dim())
	x[16*cols+16] = 1                              // a bright cell
	m.Degrade([]float64{2, 0.7}, x)                // contrast, blur in cells
	fmt.Printf("%.3f\n", x[16*cols+14:16*cols+19]) // its row
	// Output:
	// [0.011 0.234 0.649 0.234 0.011]
}

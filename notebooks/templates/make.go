//go:build ignore

// Make writes the data of the templates. All of them are simulated.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
)

func main() {
	counts()
	lattice()
	images()
	surveys()
}

// counts writes the counts of sixty days, of which five are missing.
func counts() {
	rng := expfam.Stream(1, "counts")
	var b strings.Builder
	b.WriteString("day,count\n")
	for day := 1; day <= 60; day++ {
		t := float64(day) / 60
		rate := math.Exp(1.6 + 0.9*math.Sin(7*t) + 0.8*t)
		y := fmt.Sprint(expfam.Poisson{}.Rand(rate, expfam.Known{}, rng))
		if day >= 31 && day <= 35 {
			y = ""
		}
		fmt.Fprintf(&b, "%d,%s\n", day, y)
	}
	write("counts.csv", b.String())
}

// lattice writes a grid of counts with a hole, and with cells that are missing at random.
func lattice() {
	g := grid.Grid{Rows: 24, Cols: 32}
	rng := expfam.Stream(2, "grid")
	x := expfam.Must(gmrf.Prior{Grid: g, Range: 12, SD: 0.8, Level: 1, KnownLevel: true}.Draw(rng))
	var b strings.Builder
	for r := range g.Rows {
		for c := range g.Cols {
			if c > 0 {
				b.WriteString(",")
			}
			hole := r >= 8 && r < 14 && c >= 18 && c < 25
			y := expfam.Poisson{}.Rand(math.Exp(x[g.Index(r, c)]), expfam.Known{}, rng)
			if hole || rng.Float64() < 0.1 {
				b.WriteString("NA")
			} else {
				fmt.Fprint(&b, y)
			}
		}
		b.WriteString("\n")
	}
	write("grid.csv", b.String())
}

// images writes images from which a prior learns.
func images() {
	expfam.Must(0, os.MkdirAll("images", 0o755))
	p := scenes.Procedural{Rows: 32, Cols: 32, Plain: true}
	x := make([]float64, p.Dim())
	for k := range 40 {
		p.Draw(expfam.Stream(3, fmt.Sprintf("image/%d", k)), x)
		out := image.NewGray(image.Rect(0, 0, 32, 32))
		for j, v := range x {
			out.SetGray(j%32, j/32, color.Gray{Y: uint8(math.Round(255 * (v + 1) / 2))})
		}
		f := expfam.Must(os.Create(fmt.Sprintf("images/%02d.png", k)))
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		expfam.Must(0, encoder.Encode(f, out))
		expfam.Must(0, f.Close())
	}
}

// surveys writes simulated surveys of a country. None of them is of a real person.
func surveys() {
	m := expfam.Must(land.Frame{Rows: 48, Cols: 48, Country: "Kenya"}.Map())
	x := expfam.Must(gmrf.Prior{Grid: m.Grid, Range: 350, SD: 0.3, Level: -0.25,
		KnownLevel: true}.Draw(expfam.Stream(4, "survey")))
	s := expfam.Must(survey.Campaign{Seed: 4, Cells: 0.12}.Simulate(m, x))
	f := expfam.Must(os.Create("survey.csv"))
	expfam.Must(0, survey.WriteCSV(f, s.Sites))
	expfam.Must(0, f.Close())
}

func write(name, text string) { expfam.Must(0, os.WriteFile(name, []byte(text), 0o644)) }

//go:build ignore

// Photograph draws the picture of README.md: `go generate ./notebooks/img`.
package main

import (
	"log"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/viz"
)

func main() {
	const visits = 10
	prior := expfam.Must(learn.Load("../weights/images-score.safetensors"))
	rate := &viz.Scale{Label: "intensity θ", Max: 3}
	iqr := &viz.Scale{Label: "interquartile range of θ", Palette: viz.Cividis}
	field := func(x []float64) grid.Field { return grid.Field{Grid: grid.Grid{Rows: 64, Cols: 64}, Values: x} }
	for _, i := range expfam.Must(problem.Images("../photos", 0, 64, visits, 1)) {
		if i.Name != "french-alpine-landscape" {
			continue
		}
		post := expfam.Must(diffusion.Sample(prior, i.Likelihood, i.Seen, diffusion.Sampler{Draws: 40, Seed: 1}))
		counts := make([]float64, len(i.Seen))
		for j, t := range i.Seen {
			counts[j] = t.Stat / t.Size // NaN where nobody looked
		}
		low, high := post.EqualTailed(0.5)
		for j := range high {
			high[j] -= low[j]
		}
		if err := viz.Save(viz.Maps{
			Maps: []viz.Map{{Field: field(i.Theta), Scale: rate}, {Field: field(counts), Scale: rate},
				{Field: field(post.Median()), Scale: rate}, {Field: field(high), Scale: iqr}},
			ColumnLabels: []string{"truth", "counts of ten visits", "posterior median", "interquartile range"},
			Width:        1000,
		}, "photograph.png"); err != nil {
			log.Fatal(err)
		}
	}
}

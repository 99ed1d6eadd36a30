package geopackage_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/geopackage"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/viz"
)

// Sudden infant deaths in North Carolina's counties, 1974 to 1978: from the file to a map of the relative risk, where
// it is above 1.5, a table by name and a file for QGIS. In a notebook, Show displays what is saved here.
func Example() {
	folder := expfam.Must(os.MkdirTemp("", "sids"))
	defer os.RemoveAll(folder)
	in := func(name string) string { return filepath.Join(folder, name) }

	counties := expfam.Must(geopackage.Layer{From: geodesy.NAD27}.Read("../../notebooks/districts/sids.gpkg"))
	cases, births := expfam.Must(land.Numbers(counties, "SID74")), expfam.Must(land.Numbers(counties, "BIR74"))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	obs := expfam.Must(like.Observe(expfam.Data{Y: [][]float64{cases},
		Known: [][]float64{expfam.Must(counts.Expected(cases, births))}}))
	prior := gp.Unknown{Of: graph.BYM2{Neighbours: expfam.Must(graph.Borders{}.Of(counties)), LevelSD: 1}}
	post := expfam.Must(diffusion.Sample(prior, like, obs, diffusion.Sampler{Seed: 1}))
	// viz.Show(maps...) in a notebook
	maps := []any{post, viz.Exceedance{Draws: post, Quantity: "risk", Threshold: 1.5}}
	err := geopackage.WriteSummary(in("risks.gpkg"), counties, post, 1.5)

	fmt.Println(err, viz.Save(maps[0], in("risks.html")), viz.Save(maps[0], in("risks.csv")),
		viz.Save(maps[1], in("above.html")))
	risks := expfam.Must(geopackage.Layer{}.Read(in("risks.gpkg")))
	medians := expfam.Must(land.Numbers(risks, "median"))
	for i, r := range risks {
		// No median is within .08 of 1.63, five Monte Carlo errors, so every processor prints these seven.
		if medians[i] > 1.63 {
			fmt.Println(r.Name)
		}
	}
	// Output:
	// <nil> <nil> <nil> <nil>
	// Northampton
	// Hertford
	// Halifax
	// Bertie
	// Anson
	// Robeson
	// Columbus
}

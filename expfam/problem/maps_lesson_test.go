package problem

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

// The maps that lessons 04 and 05 ask for are on their shelf: otherwise the lessons would draw for minutes.
func TestMapsOfTheLesson(t *testing.T) {
	g, shelf := grid.Grid{Rows: 256, Cols: 256}, Shelf{Dir: "../../notebooks/maps"}
	sampler := diffusion.Sampler{Draws: 20, Seed: 1}
	network := must.Get(learn.Load("../../notebooks/weights/images-score.safetensors"))(t)
	prior := must.Get(network.Grid(256, 256))(t)
	photo := func(path string) []float64 {
		return must.Get(scenes.ReadPhoto("../../notebooks/"+path, 256, 256))(t).Values
	}
	for _, i := range []struct {
		name string
		x0   []float64
		seed uint64
	}{{"camera", photo("photos/large/camera.png"), 4}, {"city", City(256, 1), 2},
		{"olinda", photo("surfaces/large/olinda.png"), 1}} {
		data := must.Get(grid.Cox{Grid: g, Replicates: 50, Seed: i.seed}.Simulate(i.x0))(t)
		must.Get(readMaps(shelf.path(i.name, "tif", data.Likelihood, data.Seen, prior, sampler), g))(t)
	}
	m, like, split := campaign(t)
	must.Get(readMaps(shelf.path("malaria", "tif", like, split.Seen, prior, sampler), m.Grid))(t)
	held := calibrate.Observed(split.Held)
	post := must.Get(expfam.LoadPosterior(shelf.path("malaria", "safetensors", like, split.Seen, prior, sampler, held),
		like))(t)
	_, cells := post.Dims()
	must.Equal(t, cells, len(held), "cells held out")
	files := must.Get(filepath.Glob("../../notebooks/maps/*"))(t)
	must.Equal(t, len(files), 5, "files on the shelf")
}

// campaign returns the surveys of lesson 05 on 256×256 cells.
func campaign(t *testing.T) (*land.Map, expfam.Likelihood, calibrate.Split) {
	m := must.Get(land.Frame{Rows: 256}.Map())(t)
	x := must.Get(gmrf.Prior{Grid: m.Grid, Range: 1200, SD: 0.35, KnownLevel: true}.Draw(expfam.Stream(1, "world")))(t)
	for j, c := range m.Country {
		x[j] = x[j] - 0.15 - 0.9*math.Pow(math.Abs(m.Centre(j).Lat)/25, 3)
		if c%5 == 2 {
			x[j] -= 0.3
		}
		x[j] = max(-1, min(1, x[j]))
	}
	made := must.Get(survey.Campaign{Cells: 0.1075, Seed: 1, Scatter: survey.CellRates{Rho: 0.04}}.Simulate(m, x))(t)
	like := expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.05}, Link: expfam.MustLink("sigmoid(5*x)")}
	obs := must.Get(like.Observe(made.Cells.Data()))(t)
	return m, like, must.Get(calibrate.Splits{Grid: m.Grid, Obs: obs, Seed: 1}.Split(0))(t)
}

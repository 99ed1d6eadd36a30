package problem

import (
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/must"
)

// The maps of the photograph that lesson 04 asks for are on its shelf: otherwise it would draw for minutes.
func TestMapsOfTheLesson(t *testing.T) {
	g := grid.Grid{Rows: 256, Cols: 256}
	network := must.Get(learn.Load("../../notebooks/weights/images-score.safetensors"))(t)
	prior := must.Get(network.Grid(256, 256))(t)
	x0 := must.Get(scenes.ReadPhoto("../../notebooks/photos/large/camera.png", 256, 256))(t).Values
	data := must.Get(grid.Cox{Grid: g, Replicates: 50, Seed: 4}.Simulate(x0))(t)
	path := Shelf{Dir: "../../notebooks/maps"}.path("camera", "tif", data.Likelihood, data.Seen, prior,
		diffusion.Sampler{Draws: 20, Seed: 1})
	must.Get(readMaps(path, g))(t)
	files := must.Get(filepath.Glob("../../notebooks/maps/*"))(t)
	must.Equal(t, len(files), 1, "files on the shelf")
}

package problem

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/scenes"
)

// Image is a picture that no prior has seen. It is the latent field of a Cox process, and has simulated counts.
type Image struct {
	Name  string
	Photo bool
	Grid  grid.Grid
	X0    []float64
	Seed  uint64 // seed of the counts
	*grid.CoxData
}

// pictures returns a source of procedural images that resemble photographs: they are sharp, and range from black to
// white. The truths of tests come from it. So does the covariance of the Gaussian field, which is the baseline that
// also learns from images. The network that ships has seen more kinds of image.
func pictures(rows, cols int) scenes.Procedural {
	return scenes.Procedural{Rows: rows, Cols: cols, Plain: true}
}

// Images returns the photographs of a folder and some procedural images, with counts of the given number of replicates
// and 20% of the cells held out. The procedural images are drawn from a stream that no training uses.
func Images(folder string, procedural, side, replicates int, seed uint64) ([]Image, error) {
	g := grid.Grid{Rows: side, Cols: side}
	var all []Image
	add := func(name string, photo bool, x0 []float64) error {
		i, err := newImage(name, g, x0, replicates, seed+uint64(len(all)))
		i.Photo = photo
		all = append(all, i)
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		return nil, fmt.Errorf("problem: images: %w", err)
	}
	for _, f := range files {
		photo, err := scenes.ReadPhoto(f, side, side)
		if err != nil {
			return nil, fmt.Errorf("problem: images: %w", err)
		}
		if err := add(strings.TrimSuffix(filepath.Base(f), ".png"), true, photo.Values); err != nil {
			return nil, err
		}
	}
	source := pictures(side, side)
	for i := range procedural {
		x0 := make([]float64, g.Len())
		source.Draw(expfam.Stream(seed, fmt.Sprintf("benchmark/image-%d", i)), x0)
		if err := add(fmt.Sprintf("procedural-%d", i), false, x0); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// newImage returns a picture with simulated counts.
func newImage(name string, g grid.Grid, x0 []float64, replicates int, seed uint64) (Image, error) {
	data, err := grid.Cox{Grid: g, Replicates: replicates, Seed: seed}.Simulate(x0)
	if err != nil {
		return Image{}, fmt.Errorf("problem: %s: %w", name, err)
	}
	return Image{Name: name, Grid: g, X0: x0, Seed: seed, CoxData: data}, nil
}

package problem

import (
	"fmt"
	"math"
	"os"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/raster"
)

var mapNames = []string{"lower quartile", "median", "upper quartile"}

// mapStep is the step to which maps are rounded, so that a file of 256×256 cells takes some 150 kB.
const mapStep = 1. / 128

// Quartiles returns the median of θ of each cell between the ends of the interval that a further draw is in with a
// probability of 50%, for any number of draws from three on.
func Quartiles(post *expfam.Posterior) [][]float64 {
	n, _ := post.Dims()
	low, high := post.EqualTailed(0.5 * float64(n+1) / float64(n-1))
	return [][]float64{low, post.Median(), high}
}

// Maps loads the [Quartiles] of a posterior from a GeoTIFF of the shelf, as the paper's figures have them, because the
// draws of a large image would not ship with a lesson. If there is no such file, it makes the maps of the draws of
// [diffusion.Sample].
func (s Shelf) Maps(name string, g grid.Grid, like expfam.Likelihood, obs expfam.Observations, p expfam.Prior,
	sampler diffusion.Sampler) ([][]float64, error) {
	path := s.path(name, "tif", like, obs, p, sampler)
	if _, err := os.Stat(path); err == nil && !s.Fresh {
		return readMaps(path, g)
	}
	post, err := diffusion.Sample(p, like, obs, sampler)
	if err != nil {
		return nil, err
	}
	maps, layers := Quartiles(post), raster.Layers{Grid: g}
	for k, values := range maps {
		for j, v := range values {
			values[j] = mapStep * math.Round(v/mapStep)
		}
		layers.Layers = append(layers.Layers, raster.Layer{Name: mapNames[k], Values: values})
	}
	if !s.Fresh {
		return maps, nil
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("problem: shelf: %w", err)
	}
	return maps, layers.GeoTIFF(path)
}

func readMaps(path string, g grid.Grid) (maps [][]float64, err error) {
	for k := range mapNames {
		f, err := raster.GeoTIFF{Band: k + 1}.Read(path)
		if err != nil {
			return nil, err
		}
		if f.Grid.Rows != g.Rows || f.Grid.Cols != g.Cols {
			return nil, fmt.Errorf("problem: shelf: %s has %d by %d cells, the data %d by %d: draw it again by "+
				"Shelf.Fresh", path, f.Grid.Rows, f.Grid.Cols, g.Rows, g.Cols)
		}
		maps = append(maps, f.Values)
	}
	return maps, nil
}

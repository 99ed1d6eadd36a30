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

// MapProbs are the probabilities of the quantiles that [Shelf.Maps] keeps: the ends of the 90% interval, those of the
// 50% interval, and the median.
var MapProbs = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// mapStep is the step to which maps are rounded, so that a file of 256×256 cells takes some 250 kB.
const mapStep = 1. / 128

// Maps loads a map of each quantile of θ with the probabilities of [MapProbs] from a GeoTIFF of the shelf, because the
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
	var maps [][]float64
	layers := raster.Layers{Grid: g}
	for _, prob := range MapProbs {
		values := post.Quantile(prob)
		for j, v := range values {
			values[j] = mapStep * math.Round(v/mapStep)
		}
		maps = append(maps, values)
		layers.Layers = append(layers.Layers, raster.Layer{Name: fmt.Sprintf("%g%%", 100*prob), Values: values})
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
	for k := range MapProbs {
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

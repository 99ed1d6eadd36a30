package geopackage

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"github.com/expfam/lab/expfam/land"
)

// Draws is a view of draws of a number for each region, such as an *expfam.Posterior.
type Draws interface {
	Dims() (draws, cells int)
	Mean() []float64
	SD() []float64
	Quantile(p float64) []float64
	Above(u float64) []float64
	CellNames() []string
}

// WriteSummary writes regions with what the draws say about them into a GeoPackage, as [Write] does. The properties of
// the regions stay, and these columns are added:
//
//	median, mean, sd   of θ
//	low_95, high_95    the equal-tailed 95% interval
//	above_u            P(θ > u), for each threshold u
//
//	err := geopackage.WriteSummary("risks.gpkg", counties, post, 1.5)
//
// The cells of the draws are the regions in their order. If the draws have names, they must be those of the regions.
func WriteSummary(path string, regions []land.Region, post Draws, above ...float64) error {
	of, err := summarised(regions, post, above)
	if err != nil {
		return fmt.Errorf("geopackage: %s: %w", path, err)
	}
	return Write(path, Features{Regions: of})
}

func summarised(regions []land.Region, post Draws, above []float64) ([]land.Region, error) {
	if post == nil {
		return nil, fmt.Errorf("there are no draws; give a posterior")
	}
	if _, cells := post.Dims(); cells != len(regions) {
		return nil, fmt.Errorf("draws of %d cells and %d regions; give the regions of the cells, in their order", cells,
			len(regions))
	}
	for i, name := range post.CellNames() {
		if name != regions[i].Name {
			return nil, fmt.Errorf("cell %d of the draws is %q, and region %d is %q; give the regions in the order of "+
				"the draws", i, name, i, regions[i].Name)
		}
	}
	type column struct {
		name   string
		values []float64
	}
	columns := []column{{"median", post.Quantile(0.5)}, {"low_95", post.Quantile(0.025)},
		{"high_95", post.Quantile(0.975)}, {"mean", post.Mean()}, {"sd", post.SD()}}
	for _, u := range above {
		if math.IsNaN(u) || math.IsInf(u, 0) {
			return nil, fmt.Errorf("a threshold of %g; give finite ones", u)
		}
		columns = append(columns, column{"above_" + strconv.FormatFloat(u, 'g', -1, 64), post.Above(u)})
	}
	out := make([]land.Region, len(regions))
	for i, r := range regions {
		out[i] = r
		out[i].Properties = maps.Clone(r.Properties)
		if out[i].Properties == nil {
			out[i].Properties = map[string]any{}
		}
		for _, c := range columns {
			if _, there := out[i].Properties[c.name]; there {
				return nil, fmt.Errorf("region %q has a property %q already; rename it", r.Name, c.name)
			}
			out[i].Properties[c.name] = c.values[i]
		}
	}
	return out, nil
}

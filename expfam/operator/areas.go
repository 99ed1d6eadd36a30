package operator

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Areas are sums or means over areas. A label of each cell says to which area the cell belongs. The sum over area k is
//
//	(H x)_k = Σ_{j: label k} w_j x_j,
//
// and the mean is this sum divided by Σ_{j: label k} w_j. With [expfam.SumOf], and the population of cells as weights,
// the sums are the expected counts of districts. [Polygons] makes areas from outlines. Do not change its fields after
// the first use.
type Areas struct {
	// Labels has the number of the area of each cell, or −1 for a cell that is in no area.
	// Areas are numbered from 0 without gaps.
	Labels []int
	// Weights has the exposure, population or area of each cell. Default 1. [grid.Field.SumOnto] makes them of a raster
	// of people. The weights of cells that are in no area are ignored.
	Weights []float64
	// Mean divides the sum over an area by the sum of its weights. Default: no division.
	Mean bool
	// Names are the names of the areas, such as land.Map.Names for the labels land.Map.Country. Posteriors of the sums
	// keep them. Default: areas have numbers alone.
	Names []string

	built
}

func (o *Areas) String() string {
	areas := len(o.Names)
	for _, label := range o.Labels {
		areas = max(areas, label+1)
	}
	return areaText(o.Mean, o.Weights != nil, areas, len(o.Labels))
}

// areaText returns the name of an operator on areas.
func areaText(mean, weighted bool, areas, cells int) string {
	text := "sums"
	if mean {
		text = "means"
	}
	if weighted {
		text = "weighted " + text
	}
	return fmt.Sprintf("%s over %d areas of %d cells", text, areas, cells)
}

func (o *Areas) build() (*sparse.Matrix, error) {
	if len(o.Labels) == 0 {
		return nil, fmt.Errorf("operator: areas without Labels; give one for each cell, −1 for cells in no area")
	}
	if o.Weights != nil && len(o.Weights) != len(o.Labels) {
		return nil, fmt.Errorf("operator: areas with %d Labels and %d Weights; give one of each for every cell",
			len(o.Labels), len(o.Weights))
	}
	var cells [][]int
	for j, label := range o.Labels {
		if label < -1 || label >= len(o.Labels) {
			return nil, fmt.Errorf("operator: cell %d has the label %d; labels are 0 to %d, or −1 for none", j, label,
				len(o.Labels)-1)
		}
		for label >= len(cells) {
			cells = append(cells, nil)
		}
		if label >= 0 {
			cells[label] = append(cells[label], j)
		}
	}
	if o.Names != nil && len(cells) > len(o.Names) {
		return nil, fmt.Errorf("operator: areas with the label %d and %d Names; give one name for each area",
			len(cells)-1, len(o.Names))
	}
	for len(cells) < len(o.Names) {
		cells = append(cells, nil)
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("operator: all of %d cells have the label −1; give at least one area", len(o.Labels))
	}
	rows := make([][]weight, len(cells))
	var empty []string
	for k, members := range cells {
		if len(members) == 0 {
			empty = append(empty, o.name(k))
		}
		for _, j := range members {
			w := 1.0
			if o.Weights != nil {
				w = o.Weights[j]
			}
			rows[k] = append(rows[k], weight{j, w})
		}
	}
	switch {
	case len(empty) > 0 && o.Names != nil:
		return nil, fmt.Errorf("operator: %d of %d areas have no cell, as districts without the centre of a cell: "+
			"%s; take more cells, use Polygons, or leave them out", len(empty), len(cells), listed(empty))
	case len(empty) > 0:
		return nil, fmt.Errorf("operator: %d of %d areas have no cell: %s; number the areas from 0 without gaps, "+
			"or take more cells for districts", len(empty), len(cells), listed(empty))
	}
	if o.Weights != nil {
		if err := refuseMissingCode(used(o.Weights, rows), weightOf); err != nil {
			return nil, err
		}
	}
	return areaMatrix(rows, len(o.Labels), o.Mean, o.name)
}

// name returns the name of area k, for errors.
func (o *Areas) name(k int) string {
	if o.Names != nil {
		return fmt.Sprintf("area %d (%s)", k, o.Names[k])
	}
	return fmt.Sprintf("area %d", k)
}

// weight is the weight of a cell in a row of H.
type weight struct {
	cell  int
	value float64
}

// each returns the function that visits the weights of a row.
func each(rows [][]weight) func(k int, visit func(cell int, weight float64)) {
	return func(k int, visit func(int, float64)) {
		for _, w := range rows[k] {
			visit(w.cell, w.value)
		}
	}
}

// areaMatrix returns the matrix with one row of weights for each area, divided by their sum for
// means. name gives the name of area k for errors.
func areaMatrix(rows [][]weight, cells int, mean bool, name func(k int) string) (*sparse.Matrix, error) {
	var unexposed []string
	for k, row := range rows {
		var sum float64
		for _, w := range row {
			if !(w.value >= 0) || math.IsInf(w.value, 1) {
				return nil, fmt.Errorf("operator: %s: cell %d has the weight %g; weights must be finite and not "+
					"negative", name(k), w.cell, w.value)
			}
			sum += w.value
		}
		if math.IsInf(sum, 1) {
			return nil, fmt.Errorf("operator: the weights of %s add up to %g in %d cells; take a larger unit",
				name(k), sum, len(row))
		}
		if sum == 0 {
			unexposed = append(unexposed, name(k))
		} else if mean {
			for i := range row {
				row[i].value /= sum
			}
		}
	}
	if len(unexposed) > 0 {
		return nil, fmt.Errorf("operator: the weights of %s add up to 0; leave out areas in which nothing is "+
			"exposed", listed(unexposed))
	}
	return sparse.New(len(rows), cells, each(rows)), nil
}

// Check refuses impossible labels and weights, and areas without cells or weight.
func (o *Areas) Check() error { return o.check(o, o.build) }

func (o *Areas) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Areas) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Areas) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Areas) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Areas) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Areas) Fingerprint() string { return fingerprint(o) }

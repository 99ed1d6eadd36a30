package operator

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/land"
)

// Polygons are sums or means over regions with outlines, such as districts. With a_kj the
// share of cell j that lies in region k, the sum over region k is
//
//	(H x)_k = Σⱼ a_kj w_j x_j,
//
// and the mean is this sum divided by Σⱼ a_kj w_j. With [expfam.SumOf], and the population of cells as weights, the
// sums are the expected counts of districts. Shares are areas in the coordinates of the grid. If these are longitude
// and latitude, the relative error on a sphere is less than the change of cos φ over a cell. A polygon that lies on the
// grid after a turn of 360° is moved there, as where a map goes across the date line. Do not change its fields after
// the first use.
type Polygons struct {
	Grid    grid.Grid
	Regions []land.Region
	// Projection turns coordinates of the regions into coordinates of the grid. Default: both
	// have the same coordinates. For the grid of a land.Map use the Projection of that map.
	Projection land.Projection
	// Weights has the population or exposure of each cell. Default: the area of the cell. Of a raster of people,
	// [grid.Field.SumOnto] makes them; [grid.Field.Onto] averages, which is wrong for people.
	// Cells outside of the domain have no weight.
	Weights []float64
	// Mean divides the sum over a region by the sum of its weights. Default: no division.
	Mean bool
	// Least is the share of the area of every region that must lie in cells of the domain.
	// Parts of a region in the sea or beyond the grid are left out. Default 0.99.
	Least float64

	built
}

func (o *Polygons) String() string {
	return areaText(o.Mean, o.Weights != nil, len(o.Regions), o.Grid.Len())
}

func (o *Polygons) build() (*sparse.Matrix, error) {
	if err := o.Grid.Check(); err != nil {
		return nil, fmt.Errorf("operator: polygons: %w", err)
	}
	if len(o.Regions) == 0 {
		return nil, fmt.Errorf("operator: polygons without Regions; give at least one")
	}
	weights, least := o.Weights, o.Least
	if weights == nil {
		weights = o.Grid.Areas()
	}
	if len(weights) != o.Grid.Len() {
		return nil, fmt.Errorf("operator: polygons with %d Weights on %s; give one for each cell", len(weights),
			size(o.Grid.Rows, o.Grid.Cols))
	}
	least = cmp.Or(least, 0.99)
	if !(least > 0 && least <= 1) {
		return nil, fmt.Errorf("operator: polygons of which a share of %g must be in the domain; Least is between "+
			"0 and 1, or 0 for 0.99", o.Least)
	}
	x, y := o.Grid.Axes()
	c := coverage{g: o.Grid, x: x, y: y, p: o.Projection, d: make([]float64, o.Grid.Rows*(o.Grid.Cols+1))}
	rows := make([][]weight, len(o.Regions))
	var lost []string // regions that lie too little in the domain
	for k, r := range o.Regions {
		if _, err := land.NewRegion(r.Name, r.Polygons); err != nil {
			return nil, fmt.Errorf("operator: region %d: %s", k, strings.TrimPrefix(err.Error(), "land: "))
		}
		shares, area := c.of(r)
		if math.IsInf(area, 1) {
			return nil, fmt.Errorf("operator: %s has an area of %g cells; take larger cells", o.name(k), area)
		}
		var beyond, outside float64
		if rows[k], beyond, outside = o.row(shares, area, weights); beyond+outside > 1-least+1e-9 {
			lost = append(lost, fmt.Sprintf("%s has %.3g%% of its area beyond the grid and %.3g%% in cells "+
				"outside of the domain", o.name(k), 100*beyond, 100*outside))
		}
	}
	switch {
	case len(lost) == 1:
		return nil, fmt.Errorf("operator: %s; take a larger grid or leave it out, or accept that by Least", lost[0])
	case len(lost) > 1:
		return nil, fmt.Errorf("operator: %d of %d regions have less than %.4g%% of their area in cells of the "+
			"domain: %s; take a larger grid, or finer cells for small districts, leave them out, or accept that "+
			"by Least", len(lost), len(o.Regions), 100*least, listed(lost))
	}
	if o.Weights != nil {
		if err := refuseMissingCode(used(o.Weights, rows), weightOf); err != nil {
			return nil, err
		}
	}
	return areaMatrix(rows, o.Grid.Len(), o.Mean, o.name)
}

func (o *Polygons) name(k int) string { return fmt.Sprintf("region %d (%s)", k, o.Regions[k].Name) }

// row returns the weights of the cells of a region, given the shares of cells that it covers and its area in cells. It
// also returns the share of the region beyond the grid and that in cells outside of the domain.
func (o *Polygons) row(shares []float64, area float64, weights []float64) (row []weight, beyond, outside float64) {
	var on, inside float64
	for j, s := range shares {
		on += s
		if !o.Grid.Inside(j) || s <= 0 {
			continue
		}
		inside += s
		if w := min(s, 1) * weights[j]; w != 0 {
			row = append(row, weight{j, w})
		}
	}
	return row, max(0, 1-on/area), max(0, (on-inside)/area)
}

// Check refuses regions that overlap themselves or lie too little in cells of the domain, and impossible fields.
func (o *Polygons) Check() error { return o.check(o, o.build) }

func (o *Polygons) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Polygons) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Polygons) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Polygons) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Polygons) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Polygons) Fingerprint() string { return fingerprint(o) }

// Outlines returns the outlines of the regions, in degrees or in the coordinates of the grid, so that a posterior of
// them is shown as a map; see [expfam.Posterior.Locate].
func (o *Polygons) Outlines() [][][][2]float64 {
	out := make([][][][2]float64, len(o.Regions))
	for k, r := range o.Regions {
		out[k] = r.Outline()
	}
	return out
}

package survey

import (
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
)

// Cells are the sums of the sites in each cell of a map.
type Cells struct {
	Map *land.Map
	// Surveys, Examined and Positive have one number per cell, 0 where there is no survey.
	Surveys            []int
	Examined, Positive []float64
	// Report accounts for the sites. A site whose cell is sea or lake is moved to the nearest land cell among the eight
	// cells around it. If none of these is land, the site is refused, with the name of the lake if it is in one. A site
	// in a country that is not on the map is filtered, and counted by that country.
	Report Report
}

// Aggregate adds up the sites of every cell. A site that does not fit the map, or has
// impossible counts, is refused and reported; this is not an error.
func Aggregate(m *land.Map, sites []Site) (*Cells, error) {
	c, err := NewCells(m)
	if err != nil {
		return nil, err
	}
	for _, s := range sites {
		c.Add(s)
	}
	return c, nil
}

// NewCells returns cells without surveys, to which [Cells.Add] adds sites.
func NewCells(m *land.Map) (*Cells, error) {
	if m == nil {
		return nil, fmt.Errorf("survey: there is no map; make one with land.Frame")
	}
	if err := m.Grid.Check(); err != nil {
		return nil, fmt.Errorf("survey: %w", err)
	}
	n := m.Grid.Len()
	return &Cells{Map: m, Surveys: make([]int, n), Examined: make([]float64, n), Positive: make([]float64, n)}, nil
}

// Add adds a site to its cell, or refuses and reports it. It can be the argument use of [Table.Scan].
func (c *Cells) Add(s Site) {
	const keep = 20
	c.Report.Rows++
	if f := s.fault(); f != nil {
		c.Report.refuse(s.Line, f, keep)
		return
	}
	j, on := c.Map.Locate(s.Place())
	if !on || !c.Map.Grid.Inside(j) {
		if country := c.Map.Elsewhere(s.Place()); country != "" {
			c.Report.filter("in " + country + ", which the map does not have")
			return
		}
	}
	if !on {
		c.Report.refuse(s.Line, &fault{beyondTheMap, s.where(),
			"choose a larger Box for the map, or a Window for the table"}, keep)
		return
	}
	if !c.Map.Grid.Inside(j) {
		lake, wet := land.LakeAt(s.Place())
		if j, on = c.nearest(j, s.Place()); !on && wet {
			c.Report.refuse(s.Line, &fault{inLake, s.where() + " is in " + lake,
				"check its coordinates; for a place on an island or a shore take a finer map"}, keep)
			return
		} else if !on {
			c.Report.refuse(s.Line, &fault{offLand, s.where() + " is more than a cell away from the map's land",
				"check the signs and digits of its coordinates; small islands and peninsulas need a finer map"}, keep)
			return
		}
		c.Report.Moved++
		if wet {
			c.Report.remark("sites in "+lake+", which went to the nearest cell on land", s.where)
		}
	}
	c.Report.Used++
	c.Surveys[j]++
	c.Examined[j] += float64(s.Examined)
	c.Positive[j] += float64(s.Positive)
}

// where describes the place of a site, for a report.
func (s Site) where() string {
	where := fmt.Sprintf("longitude %g, latitude %g", s.Lon, s.Lat)
	if s.Name != "" {
		where = excerpt(s.Name) + " at " + where
	}
	return where
}

// nearest returns the cell inside, of the eight cells around cell j, whose edge is nearest to
// a place. Distances are true near the place, whatever the projection of the map.
func (c *Cells) nearest(j int, p land.Position) (best int, ok bool) {
	g := c.Map.Grid
	ax, ay := g.Axes()
	row, col := g.Cell(j)
	x, y := c.Map.Projection.X(p.Lon), c.Map.Projection.Y(p.Lat)
	nearest := math.Inf(1)
	for r := max(0, row-1); r <= min(g.Rows-1, row+1); r++ {
		for k := max(0, col-1); k <= min(g.Cols-1, col+1); k++ {
			if i := g.Index(r, k); g.Inside(i) {
				at := land.Position{
					Lon: c.Map.Projection.Lon(clamp(x, ax.At(k), ax.Step)),
					Lat: c.Map.Projection.Lat(clamp(y, ay.At(r), ay.Step))}
				d := math.Hypot((at.Lon-p.Lon)*math.Cos(p.Lat*math.Pi/180), at.Lat-p.Lat)
				if d < nearest {
					best, nearest, ok = i, d, true
				}
			}
		}
	}
	return best, ok
}

// clamp returns the coordinate nearest to v in a cell of size |step| around centre.
func clamp(v, centre, step float64) float64 {
	half := math.Abs(step) / 2
	return min(max(v, centre-half), centre+half)
}

// Data returns the positives, with the number examined as their known constant, for Observe
// of a Binomial likelihood. Cells without surveys are missing.
func (c *Cells) Data() expfam.Data {
	return expfam.Data{Y: [][]float64{c.Positive}, Known: [][]float64{c.Examined}}
}

// Fields returns the positives and the numbers examined, for ObserveField of a Binomial
// likelihood. Cells without surveys are outside, and NaN:
//
//	obs, err := like.ObserveField(cells.Fields())
func (c *Cells) Fields() (positive, examined grid.Field) {
	g := c.Map.Grid
	g.Outside = make([]bool, len(c.Examined))
	positive = grid.Field{Grid: g, Values: slices.Clone(c.Positive)}
	examined = grid.Field{Grid: g, Values: slices.Clone(c.Examined)}
	for j, n := range c.Examined {
		if n == 0 {
			g.Outside[j], positive.Values[j], examined.Values[j] = true, math.NaN(), math.NaN()
		}
	}
	return positive, examined
}

// Rate returns the empirical prevalence. Cells without surveys are outside, and NaN.
func (c *Cells) Rate() grid.Field {
	f := grid.Field{Grid: c.Map.Grid, Values: make([]float64, len(c.Examined))}
	f.Grid.Outside = make([]bool, len(c.Examined))
	for j, n := range c.Examined {
		f.Grid.Outside[j], f.Values[j] = n == 0, c.Positive[j]/n // 0/0 is NaN
	}
	return f
}

// Occupied returns how many cells have a survey.
func (c *Cells) Occupied() int {
	n := 0
	for _, k := range c.Surveys {
		if k > 0 {
			n++
		}
	}
	return n
}

// String sums up the surveys, the map and the report.
func (c *Cells) String() string {
	n, y, k := 0.0, 0.0, 0
	for j := range c.Examined {
		n, y, k = n+c.Examined[j], y+c.Positive[j], k+c.Surveys[j]
	}
	occupied := c.Occupied()
	return fmt.Sprintf("%d surveys, %.0f positive of %.0f examined, in %d cells: %.3g%% of all and %.3g%% of the "+
		"land\n%s\n%s", k, y, n, occupied, 100*float64(occupied)/float64(len(c.Surveys)),
		100*float64(occupied)/max(1, float64(c.Map.Land())), c.Map, c.Report)
}

// Dims, X, Y and Z make the cells a view of the empirical prevalence on the map, as [Cells.Rate] is, for figures. Z is
// NaN where there is no survey.
func (c *Cells) Dims() (cols, rows int) { return c.places().Dims() }

// X returns the coordinate of a column of cells.
func (c *Cells) X(col int) float64 { return c.places().X(col) }

// Y returns the coordinate of a row of cells, counted from below.
func (c *Cells) Y(row int) float64 { return c.places().Y(row) }

// Index returns the position in Examined of the cell at (X(col), Y(row)).
func (c *Cells) Index(col, row int) int { return c.places().Index(col, row) }

// places is the grid of the map, as a field without values.
func (c *Cells) places() grid.Field { return grid.Field{Grid: c.Map.Grid} }

// Z returns the positives over the number examined at (X(col), Y(row)).
func (c *Cells) Z(col, row int) float64 {
	j := c.Index(col, row)
	if c.Examined[j] == 0 {
		return math.NaN()
	}
	return c.Positive[j] / c.Examined[j]
}

// NotMapped reports for each cell whether it is outside of the map, such as the sea.
func (c *Cells) NotMapped() []bool {
	out := make([]bool, len(c.Examined))
	for j := range out {
		out[j] = !c.Map.Grid.Inside(j)
	}
	return out
}

// Quantity names what Z returns.
func (c *Cells) Quantity() string { return "Prevalence" }

// Unseen is the word for a cell without a survey.
func (c *Cells) Unseen() string { return "no survey" }

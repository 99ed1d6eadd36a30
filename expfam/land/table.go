package land

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/geodesy"
)

// Table is a table of a database whose rows have outlines or points in well-known binary, as ST_AsBinary of PostGIS
// returns them. Packages geopackage and geoparquet make it of files. Its errors name the row.
type Table struct {
	// Rows are the other columns, which become properties. Numbers are float64, and whole numbers beyond 2⁵³ are
	// json.Number.
	Rows   []map[string]any
	Shapes [][]byte
	// Boxes are those of the shapes by what the database says, in its coordinates, nil if it says nothing. A shape with
	// another box is refused, because one of the two is damaged. Numbers of 32 bits are enough.
	Boxes []Box
	// Name, SameNames, Order and Repair are as in [GeoJSON]. Without Name, and if no column usually has names, the
	// first column of text by alphabet in which all values differ has them, and else rows are named by their numbers.
	Name              string
	SameNames, Repair bool
	Order             Order
	// Reference is what the database says of its coordinates, nil if it says nothing. From turns them into longitude
	// and latitude of WGS 84, and must agree with it. Default: they are, or the Reference is one that can be read.
	Reference *geodesy.Reference
	From      Coordinates
}

// Regions returns the regions of a table of polygons.
func (t Table) Regions() ([]Region, error) {
	l, err := t.layer(t.SameNames)
	if err != nil {
		return nil, err
	}
	return l.regions()
}

// Places returns the places of a table of points. Several may have one name.
func (t Table) Places() ([]Place, error) {
	l, err := t.layer(true)
	if err != nil {
		return nil, err
	}
	return l.places()
}

func (t Table) layer(sameNames bool) (l layer, err error) {
	if len(t.Rows) == 0 || len(t.Rows) != len(t.Shapes) || t.Boxes != nil && len(t.Boxes) != len(t.Rows) {
		return l, fmt.Errorf("it has %d rows and %d shapes; give as many, and at least one", len(t.Rows), len(t.Shapes))
	}
	l = layer{naming: naming{t.Name, sameNames, "row"}, rows: t.Rows, order: t.Order, repair: t.Repair, from: t.From,
		says: t.Reference}
	l.polygons = func(i int) (p [][][]Position, err error) {
		err = decodeWKB(t.Shapes[i], func(r *wkb) { p = r.polygons(0) })
		if err == nil && t.Boxes != nil {
			err = boxOf(p).near(t.Boxes[i])
		}
		return p, err
	}
	l.point = func(i int) (p Position, err error) {
		err = decodeWKB(t.Shapes[i], func(r *wkb) { p = r.point(0) })
		if err == nil && t.Boxes != nil {
			err = Box{p.Lon, p.Lat, p.Lon, p.Lat}.near(t.Boxes[i])
		}
		return p, err
	}
	if t.Name == "" && usualName(t.Rows) == "" {
		l.property = distinct(t.Rows)
	}
	l.names, err = l.naming.names(t.Rows, make([]string, len(t.Rows)))
	return l, err
}

// near refuses a box that differs from what is said of it by more than numbers of 32 bits do. A box that is said to end
// to the west of its beginning lies over 180°, and is not compared.
func (b Box) near(said Box) error {
	if said.West > said.East {
		return nil
	}
	for _, c := range [4][2]float64{{b.West, said.West}, {b.South, said.South}, {b.East, said.East},
		{b.North, said.North}} {
		if !(math.Abs(c[0]-c[1]) <= 5e-7*math.Abs(c[1])+1e-30) {
			return fmt.Errorf("its box is %v, and the file says %v, so that it is damaged: copy it again", b, said)
		}
	}
	return nil
}

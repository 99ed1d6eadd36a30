package geoparquet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/expfam/lab/expfam/geodesy"
)

// geometry is the column of the shapes, and what the file says of their coordinates: PROJJSON, or a name of Parquet's.
type geometry struct {
	column string
	box    [4]string       // the columns of the boxes of the shapes: west, south, east and north; "" if there are none
	crs    json.RawMessage // nil if there is none, which means longitude and latitude of WGS 84
	named  string
}

// geometryOf finds the column by the metadata "geo" of GeoParquet, or by Parquet's own type.
func geometryOf(f *parquet.File) (g geometry, err error) {
	text, found := f.Lookup("geo")
	if !found {
		return own(f)
	}
	var geo struct {
		Primary string `json:"primary_column"`
		Columns map[string]struct {
			Encoding string
			CRS      json.RawMessage
			Covering struct {
				Box struct{ XMin, YMin, XMax, YMax []string } `json:"bbox"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &geo); err != nil {
		return g, fmt.Errorf("its metadata \"geo\" are %.40q, which are none of GeoParquet; write it again, as by "+
			"to_parquet of GeoPandas", text)
	}
	column, found := geo.Columns[geo.Primary]
	switch {
	case !found:
		return g, fmt.Errorf("its metadata \"geo\" do not describe the column %q of its shapes; write it again, as by "+
			"to_parquet of GeoPandas", geo.Primary)
	case column.Encoding != "WKB":
		return g, fmt.Errorf("its shapes are encoded as %q, and only WKB is read; write it again, as by to_parquet of "+
			"GeoPandas with geometry_encoding=\"WKB\"", column.Encoding)
	}
	g = geometry{column: geo.Primary, crs: column.CRS}
	for k, path := range [4][]string{column.Covering.Box.XMin, column.Covering.Box.YMin, column.Covering.Box.XMax,
		column.Covering.Box.YMax} {
		g.box[k] = strings.Join(path, ".")
	}
	return g, nil
}

// own finds the only column of Parquet's own types GEOMETRY and GEOGRAPHY.
func own(f *parquet.File) (g geometry, err error) {
	var columns []string
	for _, c := range f.Root().Columns() {
		if !c.Leaf() || c.Type().LogicalType() == nil {
			continue
		}
		switch of := c.Type().LogicalType().Value.(type) {
		case *format.GeometryType:
			g.named = of.CRS
		case *format.GeographyType:
			g.named = of.CRS
		default:
			continue
		}
		columns = append(columns, c.Name())
	}
	if len(columns) != 1 {
		return g, fmt.Errorf("it is Parquet with the columns %q of shapes and without the metadata \"geo\"; write it "+
			"as GeoParquet, as by to_parquet of GeoPandas", columns)
	}
	g.column = columns[0]
	if key, found := strings.CutPrefix(g.named, "projjson:"); found {
		text, _ := f.Lookup(key)
		g.crs, g.named = json.RawMessage(text), ""
	}
	return g, nil
}

// system returns what the file says of the coordinates of the shapes.
func (g geometry) system() (*geodesy.Reference, error) {
	text := cmp.Or(g.named, "OGC:CRS84")
	var crs struct {
		Name string
		ID   struct {
			Authority string
			Code      any
		}
	}
	if len(g.crs) > 0 {
		if string(g.crs) == "null" {
			return nil, errors.New("it does not know its coordinates (its crs is null); name them by From, such as " +
				"geodesy.UTM(18, true)")
		}
		if err := json.Unmarshal(g.crs, &crs); err != nil {
			return nil, fmt.Errorf("its crs is %.40q, which is no PROJJSON; name its coordinates by From", g.crs)
		}
		text = string(g.crs)
	}
	r, err := geodesy.ParseReference(text)
	if crs.ID.Authority != "" {
		id := fmt.Sprint(crs.ID.Authority, ":", crs.ID.Code)
		// The code is what programs of maps go by. Without a map of that code its definition in the file counts.
		if byCode, e := geodesy.ParseReference(id); e == nil {
			if _, e = byCode.Readable(); e == nil || err != nil {
				r, err = byCode, e
			}
		}
		r.Name = crs.Name + " (" + id + ")"
	}
	if err != nil {
		r = geodesy.Reference{Name: cmp.Or(r.Name, text)}
	}
	return &r, nil
}

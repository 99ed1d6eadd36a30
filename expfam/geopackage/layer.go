package geopackage

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/safefile"
)

// Layer says which layer of a GeoPackage is read, and how.
type Layer struct {
	// Table is the name of the layer. It may be empty if there is one.
	Table string
	// Name is the column with the name of a region. Default: the first column of text in which all values differ.
	Name string
	// From turns the coordinates into longitude and latitude of WGS 84. Default: the system that the file names, if it
	// is WGS 84, UTM on it or Web Mercator. Others are refused, such as NAD27 (geodesy.NAD27), whose shift is
	// approximate.
	From interface {
		LonLat(x, y float64) (lon, lat float64)
	}
}

// most is the largest size of a file, and exact is 2⁵³. Float64 holds all whole numbers up to it.
const (
	most  = 1 << 31
	exact = 1 << 53
)

// Read reads the regions in a file, with the columns of the table as properties. Numbers are float64, but a whole
// number beyond 2⁵³ is a json.Number.
func (o Layer) Read(path string) ([]land.Region, error) {
	regions, err := o.read(path)
	if err != nil {
		return nil, fmt.Errorf("geopackage: %s: %w", path, err)
	}
	return regions, nil
}

func (o Layer) read(path string) ([]land.Region, error) {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return nil,
			fmt.Errorf("another program has not finished writing it, because %s-wal is there; close that program",
				path)
	}
	data, err := safefile.Read(path, most)
	if err != nil {
		return nil, err
	}
	return o.decode(data)
}

func (o Layer) decode(data []byte) ([]land.Region, error) {
	d, err := open(data)
	if err != nil {
		return nil, err
	}
	layers, err := d.layers()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range layers {
		names = append(names, l.table)
	}
	k := slices.Index(names, o.Table)
	switch {
	case o.Table == "" && len(layers) == 1:
		k = 0
	case o.Table == "":
		return nil, fmt.Errorf("it has %d layers of features, %q; name one by Table", len(layers), names)
	case k < 0:
		return nil, fmt.Errorf("it has no layer %q; the nearest names are %s", o.Table, nearest.List(o.Table, names, 3))
	}
	from := o.From
	if from == nil {
		if from, err = layers[k].system(d); err != nil {
			return nil, err
		}
	}
	return o.regions(d, layers[k], from)
}

// regions reads the rows of a layer.
func (o Layer) regions(d *database, of layer, from interface {
	LonLat(x, y float64) (lon, lat float64)
}) ([]land.Region, error) {
	t, err := d.table(of.table)
	if err != nil {
		return nil, err
	}
	var rows []map[string]value
	if err := t.each(func(row map[string]value) error { rows = append(rows, row); return nil }); err != nil {
		return nil, err
	}
	column, err := o.column(t, rows)
	if err != nil {
		return nil, err
	}
	regions := make([]land.Region, len(rows))
	seen := map[string]int{}
	for i, row := range rows {
		var name string
		switch v := row[column].(type) {
		case string:
			name = v
		case int64:
			name = strconv.FormatInt(v, 10)
		default:
			return nil, fmt.Errorf("row %d has the %s %v; a name is a text or a whole number", i, column, v)
		}
		if at, twice := seen[name]; twice {
			return nil,
				fmt.Errorf("rows %d and %d both have the %s %q; name a column by Name in which all differ, such as a "+
					"code", at, i, column, name)
		}
		seen[name] = i
		shape, ok := row[of.geometry].([]byte)
		if !ok {
			return nil, fmt.Errorf("row %d, %q, has no geometry; leave it out of the file", i, name)
		}
		parts, err := polygons(shape)
		if err != nil {
			return nil, fmt.Errorf("row %d, %q: %w", i, name, err)
		}
		for _, part := range parts {
			for _, ring := range part {
				for k, p := range ring {
					ring[k].Lon, ring[k].Lat = from.LonLat(p.Lon, p.Lat)
				}
			}
		}
		if regions[i], err = land.NewRegion(name, parts); err != nil {
			return nil, fmt.Errorf("row %d: %s", i, strings.TrimPrefix(err.Error(), "land: "))
		}
		if b := regions[i].Box(); b.West < -180.001 || b.East > 540 || b.South < -90.001 || b.North > 90.001 {
			return nil,
				fmt.Errorf("row %d, %q, reaches from (%g, %g) to (%g, %g), which are no degrees; name its coordinates "+
					"by From", i, name, b.West, b.South, b.East, b.North)
		}
		delete(row, of.geometry)
		regions[i].Properties = map[string]any{}
		for key, v := range row {
			if n, whole := v.(int64); whole {
				if v = float64(n); n > exact || n < -exact {
					v = json.Number(strconv.FormatInt(n, 10)) // as [land.GeoJSON] has it
				}
			}
			if v != nil {
				regions[i].Properties[key] = v
			}
		}
	}
	if len(regions) == 0 {
		return nil, fmt.Errorf("the layer %q has no rows; a file of districts has one for each", of.table)
	}
	return regions, nil
}

// column returns the column of the names.
func (o Layer) column(t *table, rows []map[string]value) (string, error) {
	if o.Name != "" {
		if slices.Contains(t.columns, o.Name) {
			return o.Name, nil
		}
		return "", fmt.Errorf("it has no column %q; the nearest names are %s", o.Name, nearest.List(o.Name, t.columns,
			3))
	}
	for _, column := range t.columns {
		seen := map[string]bool{}
		for _, row := range rows {
			if text, ok := row[column].(string); ok {
				seen[text] = true
			}
		}
		if len(seen) == len(rows) {
			return column, nil
		}
	}
	return "", fmt.Errorf("no column of text differs in all rows; name a column by Name: %q", t.columns)
}

// layer is a layer of features.
type layer struct {
	table, geometry string
	srs             int64
}

// layers returns all layers of features.
func (d *database) layers() (all []layer, err error) {
	t, err := d.table("gpkg_geometry_columns")
	if err != nil {
		return nil, err
	}
	err = t.each(func(row map[string]value) error {
		table, _ := row["table_name"].(string)
		geometry, _ := row["column_name"].(string)
		srs, _ := row["srs_id"].(int64)
		all = append(all, layer{table, geometry, srs})
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("it has no layer of features; rasters in GeoPackages are not read")
	}
	return all, err
}

// degrees is longitude and latitude of WGS 84, which GeoPackage stores in this order whatever the register says.
type degrees struct{}

func (degrees) LonLat(x, y float64) (lon, lat float64) { return x, y }

// system returns the coordinates of a layer by its code of EPSG.
func (l layer) system(d *database) (from interface {
	LonLat(x, y float64) (lon, lat float64)
}, err error) {
	t, err := d.table("gpkg_spatial_ref_sys")
	if err != nil {
		return nil, err
	}
	name, code := "unknown", int64(0)
	err = t.each(func(row map[string]value) error {
		if id, _ := row["srs_id"].(int64); id == l.srs {
			name, _ = row["srs_name"].(string)
			if by, _ := row["organization"].(string); strings.EqualFold(by, "EPSG") {
				code, _ = row["organization_coordsys_id"].(int64)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case code == 4326:
		return degrees{}, nil
	case code == 3857:
		return geodesy.WebMercator{}, nil
	case code > 32600 && code <= 32660:
		return geodesy.UTM(int(code-32600), true), nil
	case code > 32700 && code <= 32760:
		return geodesy.UTM(int(code-32700), false), nil
	case code == 4267:
		return nil,
			fmt.Errorf("its coordinates are NAD27 (EPSG:4267), 10 to 100 m from WGS 84; set From: geodesy.NAD27, " +
				"which is right to about 10 m in the conterminous United States, or convert the file")
	}
	return nil,
		fmt.Errorf("its coordinates are %s (EPSG:%d), which is neither WGS 84, UTM on it nor Web Mercator; name them "+
			"by From, with a projection of package geodesy, or convert the file", name, code)
}

package geopackage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/internal/nearest"
)

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
	rows, err := t.rows()
	for _, row := range rows {
		table, _ := row["table_name"].(string)
		geometry, _ := row["column_name"].(string)
		srs, _ := row["srs_id"].(int64)
		all = append(all, layer{table, geometry, srs})
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("it has no layer of features; rasters in GeoPackages are not read")
	}
	return all, err
}

// layer returns the layer that the options name.
func (o Layer) layer(d *database) (layer, error) {
	layers, err := d.layers()
	if err != nil {
		return layer{}, err
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
		return layer{}, fmt.Errorf("it has %d layers of features, %q; name one by Table", len(layers), names)
	case k < 0:
		return layer{}, fmt.Errorf("it has no layer %q; the nearest names are %s", o.Table, nearest.List(o.Table,
			names, 3))
	}
	return layers[k], nil
}

// system returns what the file says of the coordinates of a layer: by the code of EPSG, or by the definition if this is
// none that package geodesy knows.
func (l layer) system(d *database) (*geodesy.Reference, error) {
	t, err := d.table("gpkg_spatial_ref_sys")
	if err != nil {
		return nil, err
	}
	name, definition, code := "unknown", "", int64(0)
	rows, err := t.rows()
	for _, row := range rows {
		if id, _ := row["srs_id"].(int64); id == l.srs {
			name, _ = row["srs_name"].(string)
			definition, _ = row["definition"].(string)
			if by, _ := row["organization"].(string); strings.EqualFold(by, "EPSG") {
				code, _ = row["organization_coordsys_id"].(int64)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	r := geodesy.EPSG(code, name)
	if by, err := geodesy.ParseReference(definition); r.System == nil && err == nil {
		r = by
	}
	return &r, nil
}

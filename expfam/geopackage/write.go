package geopackage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/store"
)

// Features is a layer to write: Regions or Places, whose properties become columns. Their names come first, in a column
// "name", unless a property has them.
type Features struct {
	Table   string // the name of the layer; default the name of the file
	Regions []land.Region
	Places  []land.Place
}

// Write writes layers into a GeoPackage 1.3, whose name ends in .gpkg, in longitude and latitude of WGS 84. A file that
// is there is replaced when the new one is complete.
func Write(path string, layers ...Features) error {
	if err := write(path, layers); err != nil {
		return fmt.Errorf("geopackage: %s: %w", path, err)
	}
	return nil
}

func write(path string, layers []Features) error {
	if !strings.EqualFold(filepath.Ext(path), ".gpkg") {
		return errors.New("the name of a GeoPackage ends in .gpkg, by which other programs know it; give such a name")
	}
	if err := settled(path); err != nil {
		return err
	}
	if len(layers) == 0 {
		return errors.New("there are no layers; give Regions or Places")
	}
	db, conn, err := connect(context.Background(), 1<<30)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := conn.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(head); err != nil {
		return err
	}
	seen := map[string]bool{}
	for k, f := range layers {
		if f.Table == "" && len(layers) == 1 {
			f.Table = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		low := strings.ToLower(f.Table)
		switch {
		case f.Table == "" || seen[low]:
			return fmt.Errorf("layer %d has the Table %q; name every layer, and each otherwise", k, f.Table)
		case strings.HasPrefix(low, "gpkg_") || strings.HasPrefix(low, "rtree_") || strings.HasPrefix(low, "sqlite_"):
			return fmt.Errorf("layer %d has the Table %q, a name that GeoPackage keeps for itself; take another", k,
				f.Table)
		}
		seen[low] = true
		if err := f.write(tx); err != nil {
			return fmt.Errorf("layer %q: %w", f.Table, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	var data []byte
	err = conn.Raw(func(c any) (err error) {
		data, err = c.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	})
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// head makes the tables of every GeoPackage (OGC 12-128r18, annex C), with the systems of coordinates that it must
// have.
const head = `PRAGMA application_id = 0x47504B47; PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
	organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', NULL),
	('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', NULL),
	('WGS 84 geodetic', 4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",` +
	`SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]', NULL);
CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
	description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
	min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
	CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
	geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
	CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
	CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
	CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
`

// write makes the table of a layer.
func (f Features) write(tx *sql.Tx) error {
	if (len(f.Regions) == 0) == (len(f.Places) == 0) {
		return errors.New("give either Regions or Places, and at least one")
	}
	kind, shapes := "POINT", [][]byte(nil)
	box := land.Box{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	add := func(b land.Box, shape []byte, err error) error {
		box = land.Box{West: min(box.West, b.West), South: min(box.South, b.South), East: max(box.East, b.East),
			North: max(box.North, b.North)}
		shapes = append(shapes, shape)
		return err
	}
	for _, p := range f.Places {
		if _, err := land.NewPlace(p.Name, p.At, nil); err != nil {
			return errors.New(strings.TrimPrefix(err.Error(), "land: "))
		}
		shape, err := ofPoint(p.At)
		err = add(land.Box{West: p.At.Lon, South: p.At.Lat, East: p.At.Lon, North: p.At.Lat}, shape, err)
		if err != nil {
			return err
		}
	}
	for _, r := range f.Regions {
		kind = "MULTIPOLYGON"
		b := r.Box()
		if !(b.West >= -360 && b.West < b.East && b.East < 540 && b.South > -90.001 && b.North < 90.001) {
			return fmt.Errorf("region %q has no polygons in degrees of longitude and latitude; give it some", r.Name)
		}
		shape, err := ofRegion(r)
		if err := add(b, shape, err); err != nil {
			return err
		}
	}
	columns, err := f.columns()
	if err != nil {
		return err
	}
	key, geometry := free("fid", columns), free("geom", columns)
	marks := "?"
	terms := []string{quoted(key) + " INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL", quoted(geometry) + " " + kind}
	for _, c := range columns {
		terms, marks = append(terms, quoted(c.name)+" "+c.kind), marks+", ?"
	}
	if _, err := tx.Exec("CREATE TABLE " + quoted(f.Table) + " (" + strings.Join(terms, ", ") + ")"); err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, "+
		"max_y, srs_id) VALUES (?, 'features', ?, ?, ?, ?, ?, 4326)", f.Table, f.Table, box.West, box.South, box.East,
		box.North)
	if err == nil {
		_, err = tx.Exec("INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, 4326, 0, 0)", f.Table, geometry, kind)
	}
	if err != nil {
		return err
	}
	insert, err := tx.Prepare("INSERT INTO " + quoted(f.Table) + " VALUES (NULL, " + marks + ")")
	if err != nil {
		return err
	}
	defer insert.Close()
	for i, shape := range shapes {
		row := []any{shape}
		for _, c := range columns {
			row = append(row, c.values[i])
		}
		if _, err := insert.Exec(row...); err != nil {
			return err
		}
	}
	return nil
}

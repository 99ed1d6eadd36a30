package land

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/internal/safefile"
)

// Shapefile reads districts or other regions from a shapefile of polygons:
//
//	districts, err := land.Shapefile{Name: "NAME_1"}.Read("districts.shp")
//
// Two more files must be in the same folder: the table districts.dbf, and districts.prj, which says what the
// coordinates are. The index districts.shx says which shape belongs to which row. Without it the numbers of the shapes
// do. Rows that are marked as deleted, and their shapes, are left out, as in GDAL. A file with another shape that is
// not a polygon is refused. The format is that of ESRI's Shapefile Technical Description (1998).
type Shapefile struct {
	// Name is the column with the name of a region, and SameNames allows several regions of one name, as in [GeoJSON].
	Name      string
	SameNames bool
	// WGS84 says that coordinates are longitude and latitude of WGS 84 if there is no .prj file.
	WGS84 bool
	// Order is the order of the two numbers of a position, as in [GeoJSON]. Default: longitude first, as the format has
	// it, whatever the order of the axes in the .prj file. Numbers that cannot be in this order are refused.
	Order Order
	// From turns the coordinates of the file into longitude and latitude of WGS 84, such as geodesy.UTM(18, true) or
	// geodesy.NAD27. The datums of package geodesy are approximate. A From that differs from what the .prj file says is
	// refused. Default: what the .prj file says, if that is WGS 84, a datum within 2 m of it, or a map on one of them
	// that package geodesy has.
	From Coordinates
	// Repair keeps of regions whose outlines cross themselves what [Repair] does. Default: they are refused.
	Repair bool
}

// Read reads the regions in a file. It is an error if there are none.
func (o Shapefile) Read(path string) ([]Region, error) {
	return read(path, o.SameNames, o.open, layer.regions)
}

// ReadPlaces reads the places in a file of points, such as clinics or cases. Several may have one name.
func (o Shapefile) ReadPlaces(path string) ([]Place, error) {
	return read(path, true, o.open, layer.places)
}

// open reads the records of a shapefile and its table.
func (o Shapefile) open(path string, sameNames bool) (l layer, err error) {
	l = layer{naming: naming{o.Name, sameNames, "shape"}, order: o.Order, repair: o.Repair, from: o.From}
	if !strings.EqualFold(filepath.Ext(path), ".shp") {
		return l, fmt.Errorf("a shapefile's shapes are in its file .shp; give that, unpacked")
	}
	data, err := safefile.Read(path, math.MaxInt64)
	if err == nil {
		l.says, err = o.coordinates(path)
	}
	if err != nil {
		return l, err
	}
	table, err := beside(path, ".dbf")
	if err != nil {
		return l, err
	}
	if table == nil {
		return l, fmt.Errorf("the file %s with the names is missing beside it; copy all files of the shapefile",
			filepath.Base(besidePath(path, ".dbf")))
	}
	page, err := beside(path, ".cpg")
	if err == nil && page == nil {
		page, err = beside(path, ".cst") // GeoServer's name of it
	}
	if err != nil {
		return l, err
	}
	rows, err := decodeDBF(table, string(page))
	if err != nil {
		return l, fmt.Errorf("its .dbf: %w", err)
	}
	index, err := beside(path, ".shx")
	if err != nil {
		return l, err
	}
	all, err := records(data, index, len(rows))
	if err != nil {
		return l, err
	}
	if len(all) != len(rows) {
		return l, fmt.Errorf("there are %d shapes and %d rows in its .dbf; copy both files from the same "+
			"shapefile", len(all), len(rows))
	}
	var shapes [][]byte
	for i, row := range rows {
		if row != nil { // it is not deleted
			l.rows, shapes = append(l.rows, row), append(shapes, all[i])
		}
	}
	if len(shapes) == 0 {
		return l, fmt.Errorf("there are no shapes; a file of districts or places has one for each")
	}
	l.names, err = l.naming.names(l.rows, make([]string, len(l.rows)))
	l.polygons = func(i int) ([][][]Position, error) { return decodeShape(shapes[i]) }
	l.point = func(i int) (Position, error) { return decodePoint(shapes[i]) }
	return l, err
}

// besidePath returns the path of the file with extension ext of the same shapefile.
func besidePath(path, ext string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ext }

// beside reads the file with extension ext, in lower or upper case, of the same shapefile. It returns nil if there is
// none.
func beside(path, ext string) ([]byte, error) {
	for _, e := range []string{ext, strings.ToUpper(ext)} {
		text, err := safefile.Read(besidePath(path, e), math.MaxInt64)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, nil
}

// coordinates reads what the .prj file says, nil if there is none and the caller knows the coordinates. A position is x
// and y in the format, so the order of the axes in a .prj file, which GeoPandas writes for EPSG:4326 as the register
// has it, with latitude first, changes nothing. GDAL reads it so too.
func (o Shapefile) coordinates(path string) (*geodesy.Reference, error) {
	text, err := beside(path, ".prj")
	if err != nil {
		return nil, err
	}
	if text == nil {
		if o.WGS84 || o.From != nil {
			return nil, nil
		}
		return nil, fmt.Errorf("the file %s that names the coordinates is missing beside it; copy it, or set WGS84 "+
			"if they are longitude and latitude of WGS 84", filepath.Base(besidePath(path, ".prj")))
	}
	r, err := geodesy.ParseReference(string(text))
	switch {
	case err != nil && o.From != nil:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("its .prj: %w; if coordinates are longitude and latitude of WGS 84, remove that file "+
			"and set WGS84, else convert the shapefile, as by ogr2ogr -t_srs EPSG:4326", err)
	case o.WGS84 && !r.Degrees:
		return nil, fmt.Errorf("WGS84 is set, and its .prj says that coordinates are %.60q; leave WGS84 out", r.Name)
	}
	return &r, nil
}

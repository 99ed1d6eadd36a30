package land

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Shapefile reads districts or other regions from a shapefile of polygons:
//
//	districts, err := land.Shapefile{Name: "NAME_1"}.Read("districts.shp")
//
// Two more files must be in the same folder: the table districts.dbf, and districts.prj, which must say that
// coordinates are longitude and latitude of WGS 84. Other coordinates are refused. A file with a shape that
// is not a polygon is refused, so no shape is left out. The format is that of ESRI's Shapefile Technical
// Description (1998).
type Shapefile struct {
	// Name is the column with the name of a region, and SameNames allows several regions of one name, as in [GeoJSON].
	Name      string
	SameNames bool
	// WGS84 says that coordinates are longitude and latitude of WGS 84 if there is no .prj
	// file.
	WGS84 bool
	// Order is the order of the two numbers of a position, as in [GeoJSON]. Default: longitude first, as the format has
	// it, whatever the order of the axes in the .prj file. Numbers that cannot be in this order are refused.
	Order Order
	// From turns the coordinates of the file into longitude and latitude of WGS 84, such as geodesy.UTM(18, true) or
	// geodesy.NAD27, whatever the .prj file says. The datums of package geodesy are approximate. Default: coordinates
	// must be longitude and latitude of WGS 84.
	From interface {
		LonLat(x, y float64) (lon, lat float64)
	}
}

// Read reads the regions in a file. It is an error if there are none.
func (o Shapefile) Read(path string) ([]Region, error) {
	regions, err := o.read(path)
	if err != nil {
		return nil, fmt.Errorf("land: %s: %w", path, err)
	}
	return regions, nil
}

func (o Shapefile) read(path string) ([]Region, error) {
	if !strings.EqualFold(filepath.Ext(path), ".shp") {
		return nil, fmt.Errorf("a shapefile's shapes are in its file .shp; give that, unpacked")
	}
	shapes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if o.From == nil {
		if err := o.coordinates(path); err != nil {
			return nil, err
		}
	}
	table, err := beside(path, ".dbf")
	if err != nil {
		return nil, err
	}
	if table == nil {
		return nil, fmt.Errorf("the file %s with the names is missing beside it; copy all files of the shapefile",
			filepath.Base(besidePath(path, ".dbf")))
	}
	page, err := beside(path, ".cpg")
	if err == nil && page == nil {
		page, err = beside(path, ".cst") // GeoServer's name of it
	}
	if err != nil {
		return nil, err
	}
	rows, err := decodeDBF(table, string(page))
	if err != nil {
		return nil, fmt.Errorf("its .dbf: %w", err)
	}
	polygons, err := decodeSHP(shapes)
	if err != nil {
		return nil, err
	}
	if len(polygons) == 0 {
		return nil, fmt.Errorf("there are no shapes; a file of districts has one for each")
	}
	if len(polygons) != len(rows) {
		return nil, fmt.Errorf("there are %d shapes and %d rows in its .dbf; copy both files from the same shapefile",
			len(polygons), len(rows))
	}
	names, err := naming{o.Name, o.SameNames, "Shapefile", "row"}.names(rows, make([]string, len(rows)))
	if err != nil {
		return nil, err
	}
	if o.From != nil {
		convert(polygons, o.From.LonLat)
	}
	if err := arrange(polygons, longitudeDeclared, o.Order, "Shapefile"); err != nil {
		return nil, err
	}
	regions := make([]Region, len(polygons))
	for i, p := range polygons {
		if regions[i], err = newRegion(names[i], p); err != nil {
			return nil, fmt.Errorf("shape %d: %w", i, err)
		}
		if err := regions[i].degrees(); err != nil {
			return nil, fmt.Errorf("shape %d: %w", i, err)
		}
		regions[i].Properties = rows[i]
	}
	return regions, nil
}

// convert turns all positions into longitude and latitude.
func convert(all [][][][]Position, lonLat func(x, y float64) (lon, lat float64)) {
	for _, polygons := range all {
		for _, polygon := range polygons {
			for _, ring := range polygon {
				for i, p := range ring {
					ring[i].Lon, ring[i].Lat = lonLat(p.Lon, p.Lat)
				}
			}
		}
	}
}

// besidePath returns the path of the file with extension ext of the same shapefile.
func besidePath(path, ext string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ext }

// beside reads the file with extension ext, in lower or upper case, of the same shapefile. It returns nil if there is
// none.
func beside(path, ext string) ([]byte, error) {
	for _, e := range []string{ext, strings.ToUpper(ext)} {
		text, err := os.ReadFile(besidePath(path, e))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, nil
}

// coordinates checks that the coordinates are longitude and latitude of WGS 84, by the .prj file. A position is x and y
// in the format, so the order of the axes in a .prj file, which GeoPandas writes for EPSG:4326 as the register has it,
// with latitude first, changes nothing. GDAL reads it so too.
func (o Shapefile) coordinates(path string) error {
	text, err := beside(path, ".prj")
	if err != nil {
		return err
	}
	if text == nil {
		if o.WGS84 {
			return nil
		}
		return fmt.Errorf("the file %s that names the coordinates is missing beside it; copy it, or set WGS84 "+
			"if they are longitude and latitude of WGS 84", filepath.Base(besidePath(path, ".prj")))
	}
	return checkWGS84(string(text))
}

// zeroMeridian is a prime meridian at Greenwich, such as PRIMEM["Greenwich",0.0].
var zeroMeridian = regexp.MustCompile(`(?i)PRIMEM\s*\[\s*"[^"]*"\s*,\s*[-+]?0*\.?0*\s*[],]`)

// checkWGS84 refuses well-known text of other coordinates than longitude and latitude of WGS 84.
func checkWGS84(text string) error {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	kind, rest, some := strings.Cut(text, "[")
	if !some || strings.HasPrefix(text, "{") {
		return fmt.Errorf("its .prj is %.40q, which is no well-known text; if coordinates are longitude and "+
			"latitude of WGS "+
			"84, remove that file and set WGS84, else convert the shapefile, as by ogr2ogr -t_srs EPSG:4326", text)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(rest), `"`), `"`)
	kind = strings.ToUpper(strings.TrimSpace(kind))
	flat := strings.NewReplacer("_", "", " ", "", "-", "").Replace(strings.ToUpper(text))
	flat = strings.ReplaceAll(flat, "TOWGS84", "") // the shift of another datum to WGS 84
	wgs := strings.Contains(flat, "DWGS1984") || strings.Contains(flat, "WGS84") ||
		strings.Contains(flat, "WORLDGEODETICSYSTEM1984")
	if (kind == "GEOGCS" || kind == "GEOGCRS" || kind == "GEODCRS") && wgs && strings.Contains(flat, `"DEGREE"`) &&
		(!strings.Contains(flat, "PRIMEM") || zeroMeridian.MatchString(text)) {
		return nil
	}
	return fmt.Errorf("its coordinates are %.60q; they must be longitude and latitude of WGS 84: name them by From, "+
		"such as geodesy.UTM(18, true) or geodesy.NAD27, or convert the file, as by ogr2ogr -t_srs EPSG:4326 new.shp "+
		"old.shp", name)
}

// The types of shapes: an empty shape, and polygons without and with heights or measures.
const (
	shapeNull     = 0
	shapePolygon  = 5
	shapePolygonZ = 15
	shapePolygonM = 25
)

// decodeSHP returns the polygons of every record.
func decodeSHP(data []byte) ([][][][]Position, error) {
	if len(data) < 100 || binary.BigEndian.Uint32(data) != 9994 {
		return nil, fmt.Errorf("this is not a shapefile, whose .shp begins with the number 9994; give another file")
	}
	if length := 2 * int64(binary.BigEndian.Uint32(data[24:])); length != int64(len(data)) {
		return nil, fmt.Errorf("the file has %d bytes and says %d; it is cut or damaged: copy it again", len(data),
			length)
	}
	var out [][][][]Position
	for at := 100; at < len(data); {
		i := len(out)
		if len(data)-at < 12 {
			return nil, fmt.Errorf("shape %d: the file ends within it", i)
		}
		size := 2 * int64(binary.BigEndian.Uint32(data[at+4:]))
		if size < 4 || size > int64(len(data)-at-8) {
			return nil, fmt.Errorf("shape %d has %d bytes and the file %d more", i, size, len(data)-at-8)
		}
		polygons, err := decodeShape(data[at+8 : at+8+int(size)])
		if err != nil {
			return nil, fmt.Errorf("shape %d: %w", i, err)
		}
		out = append(out, polygons)
		at += 8 + int(size)
	}
	return out, nil
}

func decodeShape(b []byte) ([][][]Position, error) {
	switch kind := binary.LittleEndian.Uint32(b); kind {
	case shapePolygon, shapePolygonZ, shapePolygonM:
	case shapeNull:
		return nil, fmt.Errorf("it is empty; leave it out of the file")
	default:
		return nil, fmt.Errorf("it is of type %d, points or lines; regions are polygons, of type 5, 15 or 25", kind)
	}
	if len(b) < 44 {
		return nil, fmt.Errorf("%d bytes are no polygon", len(b))
	}
	parts, points := int64(binary.LittleEndian.Uint32(b[36:])), int64(binary.LittleEndian.Uint32(b[40:]))
	if parts < 1 || 44+4*parts+16*points > int64(len(b)) {
		return nil, fmt.Errorf("%d rings of %d positions do not fit into %d bytes", parts, points, len(b))
	}
	starts := make([]int64, parts+1)
	for k := range parts {
		starts[k] = int64(binary.LittleEndian.Uint32(b[44+4*k:]))
	}
	starts[parts] = points
	rings := make([][]Position, parts)
	for k := range rings {
		from, to := starts[k], starts[k+1]
		if from > to || to > points {
			return nil, fmt.Errorf("ring %d goes from position %d to %d of %d", k, from, to, points)
		}
		rings[k] = make([]Position, 0, to-from)
		for n := from; n < to; n++ {
			at := 44 + 4*parts + 16*n
			rings[k] = append(rings[k], Position{number(b[at:]), number(b[at+8:])})
		}
	}
	return nest(rings), nil
}

func number(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

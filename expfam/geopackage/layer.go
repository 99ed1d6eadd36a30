package geopackage

import (
	"fmt"
	"os"
	"slices"
	"strconv"

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
	// Repair keeps of regions whose outlines cross themselves what [land.Repair] does. Default: they are refused.
	Repair bool
}

// most is the largest size of a file, and exact is 2⁵³. Float64 holds all whole numbers up to it.
const (
	most  = 1 << 31
	exact = 1 << 53
)

// Read reads the regions in a file, with the columns of the table as properties. Numbers are float64, but a whole
// number beyond 2⁵³ is a json.Number.
func (o Layer) Read(path string) ([]land.Region, error) {
	var regions []land.Region
	f, err := o.read(path, true)
	if err == nil {
		regions, err = f.regions(o.Repair)
	}
	if err != nil {
		return nil, fmt.Errorf("geopackage: %s: %w", path, err)
	}
	return regions, nil
}

// ReadPlaces reads the places in a file of points, such as clinics or cases, like [Layer.Read]. Several may have one
// name. Without Name, and if no column of text differs in all rows, their names are their numbers.
func (o Layer) ReadPlaces(path string) ([]land.Place, error) {
	var places []land.Place
	f, err := o.read(path, false)
	if err == nil {
		places, err = f.places()
	}
	if err != nil {
		return nil, fmt.Errorf("geopackage: %s: %w", path, err)
	}
	return places, nil
}

func (o Layer) read(path string, distinct bool) (*features, error) {
	if err := settled(path); err != nil {
		return nil, err
	}
	data, err := safefile.Read(path, most)
	if err != nil {
		return nil, err
	}
	return o.decode(data, distinct)
}

// settled refuses a database that another program is writing: what it wrote last is in a log beside it, or what it
// overwrote is in a journal, which begins with zeros if it counts no more.
func settled(path string) error {
	busy := ""
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		busy = path + "-wal"
	}
	if journal, err := safefile.Read(path+"-journal", most); err == nil && len(journal) > 0 && journal[0] != 0 {
		busy = path + "-journal"
	}
	if busy != "" {
		return fmt.Errorf("another program has not finished writing it, because %s is there; close that program", busy)
	}
	return nil
}

func (o Layer) decode(data []byte, distinct bool) (*features, error) {
	d, err := open(data)
	if err != nil {
		return nil, err
	}
	defer d.close()
	of, err := o.layer(d)
	if err != nil {
		return nil, err
	}
	f := &features{geometry: of.geometry, from: o.From}
	if f.from == nil {
		if f.from, err = of.system(d); err != nil {
			return nil, err
		}
	}
	t, err := d.table(of.table)
	if err != nil {
		return nil, err
	}
	if f.rows, err = t.rows(); err != nil {
		return nil, err
	}
	if len(f.rows) == 0 {
		return nil, fmt.Errorf("the layer %q has no rows; give one that has some", of.table)
	}
	f.names, err = o.names(t, f.rows, distinct)
	return f, err
}

// names returns the names of the rows, which may be asked to be distinct.
func (o Layer) names(t *table, rows []map[string]any, distinct bool) ([]string, error) {
	column, err := o.column(t, rows)
	if err != nil && (distinct || o.Name != "") {
		return nil, err
	}
	names, seen := make([]string, len(rows)), map[string]int{}
	for i, row := range rows {
		switch v := row[column].(type) {
		case string:
			names[i] = v
		case int64:
			names[i] = strconv.FormatInt(v, 10)
		default:
			if distinct || o.Name != "" {
				return nil, fmt.Errorf("row %d has the %s %v; a name is a text or a whole number", i, column, v)
			}
			names[i] = strconv.Itoa(i)
		}
		if at, twice := seen[names[i]]; twice && distinct {
			return nil,
				fmt.Errorf("rows %d and %d both have the %s %q; name a column by Name in which all differ, such as a "+
					"code", at, i, column, names[i])
		}
		seen[names[i]] = i
	}
	return names, nil
}

// column returns the column of the names.
func (o Layer) column(t *table, rows []map[string]any) (string, error) {
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

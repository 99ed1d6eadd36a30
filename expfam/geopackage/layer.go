package geopackage

import (
	"fmt"
	"os"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/safefile"
)

// Layer says which layer of a GeoPackage is read, and how.
type Layer struct {
	// Table is the name of the layer. It may be empty if there is one.
	Table string
	// Name, SameNames, Order and Repair are as in [land.Table].
	Name              string
	SameNames, Repair bool
	Order             land.Order
	// From turns the coordinates into longitude and latitude of WGS 84. It must agree with the file. Default: the
	// system that the file names, if that is WGS 84, a datum within 2 m of it, or a map on one of them that package
	// geodesy has. Others are refused, such as NAD27 (geodesy.NAD27), whose shift is approximate.
	From land.Coordinates
}

// most is the largest size of a file.
const most = 1 << 31

// Read reads the regions in a file, with the columns of the table as properties. Numbers are float64, but a whole
// number beyond 2⁵³ is a json.Number.
func (o Layer) Read(path string) ([]land.Region, error) { return read(path, o, land.Table.Regions) }

// ReadPlaces reads the places in a file of points, such as clinics or cases, like [Layer.Read]. Several may have one
// name.
func (o Layer) ReadPlaces(path string) ([]land.Place, error) { return read(path, o, land.Table.Places) }

func read[A any](path string, o Layer, as func(land.Table) ([]A, error)) (all []A, err error) {
	if err = settled(path); err == nil {
		var data []byte
		if data, err = safefile.Read(path, most); err == nil {
			all, err = decode(data, o, as)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("geopackage: %s: %w", path, err)
	}
	return all, nil
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

func decode[A any](data []byte, o Layer, as func(land.Table) ([]A, error)) ([]A, error) {
	d, err := open(data)
	if err != nil {
		return nil, err
	}
	defer d.close()
	of, err := o.layer(d)
	if err != nil {
		return nil, err
	}
	t := land.Table{Name: o.Name, SameNames: o.SameNames, Order: o.Order, Repair: o.Repair, From: o.From}
	if t.Reference, err = of.system(d); err != nil {
		return nil, err
	}
	table, err := d.table(of.table)
	if err != nil {
		return nil, err
	}
	if t.Rows, err = table.rows(); err != nil {
		return nil, err
	}
	for i, row := range t.Rows {
		blob, _ := row[of.geometry].([]byte)
		shape, err := geometry(blob)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		t.Shapes = append(t.Shapes, shape)
		delete(row, of.geometry)
		for key, v := range row {
			if n, whole := v.(int64); whole {
				row[key] = land.Number(n)
			} else if v == nil {
				delete(row, key)
			}
		}
	}
	return as(t)
}

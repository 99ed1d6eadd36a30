package geoparquet

import (
	"fmt"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/safefile"
)

// File says how a GeoParquet file is read.
type File struct {
	// Name, SameNames, Order and Repair are as in [land.Table].
	Name              string
	SameNames, Repair bool
	Order             land.Order
	// From turns the coordinates into longitude and latitude of WGS 84. It must agree with the file. Default: the
	// system that the file names, if that is WGS 84, a datum within 2 m of it, or a map on one of them that package
	// geodesy has. Others are refused, such as NAD27 (geodesy.NAD27), whose shift is approximate.
	From land.Coordinates
}

// Read reads the regions in a file, with its other columns as properties: numbers as of [land.Table], dates as text,
// true and false. A column of a record has the name of the record before its own, such as "names.primary" of Overture.
// Columns of lists, of bytes, and "bbox" are left out. Edges that the file declares
// spherical are read as straight lines in longitude and latitude, which is less than 3 m off along 10 km at 60° of
// latitude. Values and boxes of shapes that are not those of the file's statistics are refused as damaged.
func (o File) Read(path string) ([]land.Region, error) { return read(path, o, land.Table.Regions) }

// ReadPlaces reads the places in a file of points, such as clinics or cases, like [File.Read]. Several may have one
// name.
func (o File) ReadPlaces(path string) ([]land.Place, error) { return read(path, o, land.Table.Places) }

// mostBytes is the largest size of a file.
const mostBytes = 1 << 31

func read[A any](path string, o File, as func(land.Table) ([]A, error)) (all []A, err error) {
	data, err := safefile.Read(path, mostBytes)
	if err == nil {
		all, err = decode(data, o, as)
	}
	if err != nil {
		return nil, fmt.Errorf("geoparquet: %s: %w", path, err)
	}
	return all, nil
}

func decode[A any](data []byte, o File, as func(land.Table) ([]A, error)) ([]A, error) {
	t, err := o.rows(data)
	if err != nil {
		return nil, err
	}
	t.Name, t.SameNames, t.Order, t.Repair, t.From = o.Name, o.SameNames, o.Order, o.Repair, o.From
	return as(t)
}

package geopackage

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/expfam/lab/expfam/land"
)

// geometry returns what follows the header of GeoPackage: well-known binary.
func geometry(data []byte) ([]byte, error) {
	if len(data) < 8 || data[0] != 'G' || data[1] != 'P' {
		return nil, errors.New("it has no geometry of a GeoPackage; leave it out of the file")
	}
	flags := data[3]
	envelope := map[byte]int{0: 0, 1: 32, 2: 48, 3: 48, 4: 64}
	size, known := envelope[flags>>1&7]
	if !known || len(data) < 8+size {
		return nil, errCut
	}
	if flags&0x10 != 0 {
		return nil, errors.New("its geometry is empty; leave it out")
	}
	return data[8+size:], nil
}

// extent is a box that grows.
type extent land.Box

var empty = extent{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

func (b extent) with(p land.Position) extent {
	return extent{min(b.West, p.Lon), min(b.South, p.Lat), max(b.East, p.Lon), max(b.North, p.Lat)}
}

func (b extent) degrees() bool {
	return b.West > -180.001 && b.West <= b.East && b.East < 540 && b.South > -90.001 && b.North < 90.001
}

// srs is the code of WGS 84.
const srs = 4326

// ofPoint returns the geometry of a place, with the header of GeoPackage and without an envelope.
func ofPoint(at land.Position) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{'G', 'P', 0, 1}, srs)
	return appendPosition(appendNumbers(append(b, 1), 1), at)
}

// ofPolygons returns the geometry of a region and its envelope.
func ofPolygons(polygons [][][]land.Position) ([]byte, extent) {
	box := empty
	shape := appendNumbers([]byte{1}, 6, len(polygons))
	for _, polygon := range polygons {
		shape = appendNumbers(append(shape, 1), 3, len(polygon))
		for _, ring := range polygon {
			shape = appendNumbers(shape, len(ring))
			for _, p := range ring {
				box = box.with(p)
				shape = appendPosition(shape, p)
			}
		}
	}
	b := binary.LittleEndian.AppendUint32([]byte{'G', 'P', 0, 3}, srs)
	for _, v := range []float64{box.West, box.East, box.South, box.North} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return append(b, shape...), box
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

func appendPosition(b []byte, p land.Position) []byte {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Lon))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Lat))
}

package geopackage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/land"
)

// polygons returns the polygons of a geometry.
func polygons(data []byte) (all [][][]land.Position, err error) {
	err = decode(data, func(r *wkb) { all = r.polygons(0) })
	return all, err
}

// point returns the point of a geometry.
func point(data []byte) (at land.Position, err error) {
	err = decode(data, func(r *wkb) { at = r.point(0) })
	return at, err
}

// decode reads a geometry: the header of GeoPackage and well-known binary after it.
func decode(data []byte, read func(r *wkb)) error {
	if len(data) < 8 || data[0] != 'G' || data[1] != 'P' {
		return errors.New("its geometry has no header of a GeoPackage")
	}
	flags := data[3]
	envelope := map[byte]int{0: 0, 1: 32, 2: 48, 3: 48, 4: 64}
	size, known := envelope[flags>>1&7]
	if !known || len(data) < 8+size {
		return errCut
	}
	if flags&0x10 != 0 {
		return errors.New("its geometry is empty; leave it out")
	}
	r := &wkb{data: data[8+size:]}
	read(r)
	if r.err == nil && len(r.data) > 0 {
		r.err = errCut
	}
	return r.err
}

// wkb reads well-known binary (OGC 06-103r4, section 8.2).
type wkb struct {
	data  []byte
	order binary.ByteOrder
	err   error
}

func (r *wkb) number() uint32 {
	if len(r.data) < 4 {
		r.data, r.err = nil, errCut
		return 0
	}
	v := r.order.Uint32(r.data)
	r.data = r.data[4:]
	return v
}

func (r *wkb) float() float64 {
	if len(r.data) < 8 {
		r.data, r.err = nil, errCut
		return 0
	}
	v := math.Float64frombits(r.order.Uint64(r.data))
	r.data = r.data[8:]
	return v
}

// header returns the kind of a geometry and how many numbers a position has.
func (r *wkb) header(depth int) (kind uint32, dims int) {
	if len(r.data) < 5 || depth > 4 {
		r.err = errCut
		return 0, 0
	}
	r.order = binary.BigEndian
	if r.data[0] == 1 {
		r.order = binary.LittleEndian
	}
	r.data = r.data[1:]
	kind, dims = r.number(), 2
	if kind&0x20000000 != 0 {
		r.err = errors.New("its geometry has a system of coordinates of its own; write it as GDAL does")
		return 0, 0
	}
	if kind&0x80000000 != 0 || kind/1000 == 1 || kind/1000 == 3 {
		dims++
	}
	if kind&0x40000000 != 0 || kind/1000 == 2 || kind/1000 == 3 {
		dims++
	}
	return kind & 0x0fffffff % 1000, dims
}

// position returns the first two numbers of a position: heights and measures are left out.
func (r *wkb) position(dims int) land.Position {
	p := land.Position{Lon: r.float(), Lat: r.float()}
	for range dims - 2 {
		r.float()
	}
	return p
}

// point returns a point, also if it is the only one of several.
func (r *wkb) point(depth int) (at land.Position) {
	kind, dims := r.header(depth)
	switch {
	case r.err != nil:
	case kind == 1:
		at = r.position(dims)
	case kind == 4:
		if n := r.number(); r.err == nil && n != 1 {
			r.err = fmt.Errorf("it has %d points; a place is one: part them, as by explode of GeoPandas", n)
			return at
		}
		at = r.point(depth + 1)
	default:
		r.err = fmt.Errorf("its geometry is of the kind %d; a layer of places has points alone: read others by Read",
			kind)
	}
	return at
}

// polygons returns the polygons of a polygon or of several ones.
func (r *wkb) polygons(depth int) (all [][][]land.Position) {
	kind, dims := r.header(depth)
	if r.err != nil {
		return nil
	}
	switch kind {
	case 3:
		var polygon [][]land.Position
		for k := r.number(); k > 0 && r.err == nil; k-- {
			var ring []land.Position
			for n := r.number(); n > 0 && r.err == nil; n-- {
				ring = append(ring, r.position(dims))
			}
			polygon = append(polygon, ring)
		}
		return append(all, polygon)
	case 6:
		for k := r.number(); k > 0 && r.err == nil; k-- {
			all = append(all, r.polygons(depth+1)...)
		}
		return all
	}
	r.err = fmt.Errorf("its geometry is of the kind %d; a layer of districts has polygons alone: read points by "+
		"ReadPlaces", kind)
	return nil
}

// extent is a box that grows.
type extent land.Box

var empty = extent{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

func (b extent) with(p land.Position) extent {
	return extent{min(b.West, p.Lon), min(b.South, p.Lat), max(b.East, p.Lon), max(b.North, p.Lat)}
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

package land

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

var errShape = errors.New("its geometry ends early or goes on too long; the file is cut or damaged: copy it again")

// decodeWKB reads a geometry, of which nothing may be left over.
func decodeWKB(data []byte, read func(r *wkb)) error {
	if data == nil {
		return errors.New("it has no geometry; leave it out of the file")
	}
	r := &wkb{data: data}
	read(r)
	if r.err == nil && len(r.data) > 0 {
		r.err = errShape
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
		r.data, r.err = nil, errShape
		return 0
	}
	v := r.order.Uint32(r.data)
	r.data = r.data[4:]
	return v
}

func (r *wkb) float() float64 {
	if len(r.data) < 8 {
		r.data, r.err = nil, errShape
		return 0
	}
	v := math.Float64frombits(r.order.Uint64(r.data))
	r.data = r.data[8:]
	return v
}

// header returns the kind of a geometry and how many numbers a position has.
func (r *wkb) header(depth int) (kind uint32, dims int) {
	if len(r.data) < 5 || depth > 4 {
		r.err = errShape
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
func (r *wkb) position(dims int) Position {
	p := Position{Lon: r.float(), Lat: r.float()}
	for range dims - 2 {
		r.float()
	}
	return p
}

// point returns a point, also if it is the only one of several.
func (r *wkb) point(depth int) (at Position) {
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
func (r *wkb) polygons(depth int) (all [][][]Position) {
	kind, dims := r.header(depth)
	if r.err != nil {
		return nil
	}
	switch kind {
	case 3:
		var polygon [][]Position
		for k := r.number(); k > 0 && r.err == nil; k-- {
			var ring []Position
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

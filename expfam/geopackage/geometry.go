package geopackage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/land"
)

// polygons returns the polygons of a geometry: the header of GeoPackage and well-known binary after it.
func polygons(data []byte) ([][][]land.Position, error) {
	if len(data) < 8 || data[0] != 'G' || data[1] != 'P' {
		return nil, errors.New("its geometry has no header of a GeoPackage")
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
	r := &wkb{data: data[8+size:]}
	all := r.geometry(0)
	if r.err == nil && len(r.data) > 0 {
		r.err = errCut
	}
	return all, r.err
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

// geometry returns the polygons of a polygon or of several ones. Heights and measures are left out.
func (r *wkb) geometry(depth int) (all [][][]land.Position) {
	if len(r.data) < 5 || depth > 4 {
		r.err = errCut
		return nil
	}
	r.order = binary.BigEndian
	if r.data[0] == 1 {
		r.order = binary.LittleEndian
	}
	r.data = r.data[1:]
	kind := r.number()
	if kind&0x20000000 != 0 {
		r.err = errors.New("its geometry has a system of coordinates of its own; write it as GDAL does")
		return nil
	}
	dims := 2
	if kind&0x80000000 != 0 || kind/1000 == 1 || kind/1000 == 3 {
		dims++
	}
	if kind&0x40000000 != 0 || kind/1000 == 2 || kind/1000 == 3 {
		dims++
	}
	kind = kind & 0x0fffffff % 1000
	count := int(r.number())
	switch kind {
	case 3:
		var polygon [][]land.Position
		for k := 0; k < count && r.err == nil; k++ {
			var ring []land.Position
			for n := r.number(); n > 0 && r.err == nil; n-- {
				p := land.Position{Lon: r.float(), Lat: r.float()}
				for range dims - 2 {
					r.float()
				}
				ring = append(ring, p)
			}
			polygon = append(polygon, ring)
		}
		return append(all, polygon)
	case 6:
		for k := 0; k < count && r.err == nil; k++ {
			all = append(all, r.geometry(depth+1)...)
		}
		return all
	}
	r.err = fmt.Errorf("its geometry is of the kind %d; a layer of districts has polygons alone", kind)
	return nil
}

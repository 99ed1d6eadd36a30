package geopackage

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/expfam/lab/expfam/land"
)

// geometry returns the well-known binary of a blob of GeoPackage, which follows a header.
func geometry(data []byte) ([]byte, error) {
	if len(data) < 8 || data[0] != 'G' || data[1] != 'P' {
		return nil, errors.New("it has no geometry of a GeoPackage; leave it out of the file")
	}
	flags := data[3]
	envelope := map[byte]int{0: 0, 1: 32, 2: 48, 3: 48, 4: 64}
	size, known := envelope[flags>>1&7]
	if !known {
		return nil, fmt.Errorf("its geometry has an envelope of the unknown kind %d; write the file again", flags>>1&7)
	}
	if len(data) < 8+size {
		return nil, errCut
	}
	if flags&0x10 != 0 {
		return nil, errors.New("its geometry is empty; leave it out")
	}
	return data[8+size:], nil
}

// srs is the code of WGS 84.
const srs = 4326

// ofPoint returns the geometry of a place, with the header of GeoPackage and without an envelope.
func ofPoint(at land.Position) ([]byte, error) {
	return packed([]byte{'G', 'P', 0, 1}, uint32(srs), byte(1), uint32(1), at)
}

// ofRegion returns the geometry of a region, with the header of GeoPackage and an envelope.
func ofRegion(r land.Region) ([]byte, error) {
	b := r.Box()
	parts := []any{[]byte{'G', 'P', 0, 3}, uint32(srs), []float64{b.West, b.East, b.South, b.North}, byte(1),
		uint32(6), uint32(len(r.Polygons))}
	for _, polygon := range r.Polygons {
		parts = append(parts, byte(1), uint32(3), uint32(len(polygon)))
		for _, ring := range polygon {
			parts = append(parts, uint32(len(ring)), ring)
		}
	}
	return packed(parts...)
}

// packed returns the bytes of values, little-endian.
func packed(parts ...any) (b []byte, err error) {
	for _, part := range parts {
		if b, err = binary.Append(b, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	return b, nil
}

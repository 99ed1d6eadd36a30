package land

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The types of shapes: an empty shape, and points and polygons without and with heights or measures.
const (
	shapeNull     = 0
	shapePoint    = 1
	shapePointZ   = 11
	shapePointM   = 21
	shapePolygon  = 5
	shapePolygonZ = 15
	shapePolygonM = 25
)

var errEmptyShape = errors.New("it is empty; leave it out of the file")

// decodePoint returns the position of a point.
func decodePoint(b []byte) (Position, error) {
	if b == nil {
		return Position{}, errEmptyShape
	}
	switch kind := binary.LittleEndian.Uint32(b); kind {
	case shapePoint, shapePointZ, shapePointM:
	case shapeNull:
		return Position{}, errEmptyShape
	default:
		return Position{}, fmt.Errorf("it is of type %d, polygons, lines or several points; a place is one point, of "+
			"type 1, 11 or 21: read regions by Read", kind)
	}
	if len(b) < 20 {
		return Position{}, fmt.Errorf("%d bytes are no point", len(b))
	}
	return Position{number(b[4:]), number(b[12:])}, nil
}

// decodeShape returns the polygons of a polygon.
func decodeShape(b []byte) ([][][]Position, error) {
	if b == nil {
		return nil, errEmptyShape
	}
	switch kind := binary.LittleEndian.Uint32(b); kind {
	case shapePolygon, shapePolygonZ, shapePolygonM:
	case shapeNull:
		return nil, errEmptyShape
	default:
		return nil, fmt.Errorf("it is of type %d, points or lines; regions are polygons, of type 5, 15 or 25: "+
			"read points by ReadPlaces", kind)
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

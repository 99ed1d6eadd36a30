package land

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// record is a record of a .shp file.
type record struct {
	at, number int
	content    []byte // nil for an entry of the index without a record
}

// checkHeader refuses a file of another kind, and one that was cut.
func checkHeader(data []byte, ending string) error {
	if len(data) < 100 || binary.BigEndian.Uint32(data) != 9994 {
		return fmt.Errorf("this is not a shapefile, whose %s begins with the number 9994; give another file", ending)
	}
	if length := 2 * int64(binary.BigEndian.Uint32(data[24:])); length != int64(len(data)) {
		return fmt.Errorf("the %s has %d bytes and says %d; it is cut or damaged: copy it again", ending, len(data),
			length)
	}
	return nil
}

// recordAt returns the record at a place.
func recordAt(data []byte, at, i int) (record, error) {
	if at < 100 || len(data)-at < 12 {
		return record{}, fmt.Errorf("shape %d: the file ends within it", i)
	}
	size := 2 * int64(binary.BigEndian.Uint32(data[at+4:]))
	if size < 4 || size > int64(len(data)-at-8) {
		return record{}, fmt.Errorf("shape %d has %d bytes and the file %d more", i, size, len(data)-at-8)
	}
	return record{at, int(binary.BigEndian.Uint32(data[at:])), data[at+8:][:size]}, nil
}

// records returns the shapes of a .shp file in the order of the rows of its .dbf, of which there are n. The order is
// that of the index (.shx), as in GDAL. The file may then have records that no entry names, as programs leave them
// where they move a record. Without an index the numbers of the records decide, if they are 1 to n, and else the order
// of the file does. A shape is nil if the index has no record for it.
func records(data, index []byte, n int) (shapes [][]byte, err error) {
	if err := checkHeader(data, ".shp"); err != nil {
		return nil, err
	}
	if index != nil {
		return indexed(data, index, n)
	}
	var all []record
	for at := 100; at < len(data); {
		r, err := recordAt(data, at, len(all))
		if err != nil {
			return nil, err
		}
		all, at = append(all, r), at+8+len(r.content)
	}
	numbered := slices.Clone(all)
	slices.SortStableFunc(numbered, func(a, b record) int { return a.number - b.number })
	counts := true // from 1 to n
	for i, r := range numbered {
		counts = counts && r.number == i+1
	}
	moved := slices.ContainsFunc(all, func(r record) bool { return r.number != all[0].number }) &&
		!slices.IsSortedFunc(all, func(a, b record) int { return a.number - b.number })
	switch {
	case counts:
		all = numbered
	case moved, len(all) != n && len(numbered) > 0 && numbered[len(all)-1].number == n:
		return nil, fmt.Errorf("the numbers of its shapes are not 1 to %d, so that some were moved or deleted, and "+
			"the .shx that says where they are is missing beside it; copy all files of the shapefile", n)
	}
	for _, r := range all {
		shapes = append(shapes, r.content)
	}
	return shapes, nil
}

// indexed returns the shapes in the order of the index.
func indexed(data, index []byte, n int) (shapes [][]byte, err error) {
	if err := checkHeader(index, ".shx"); err != nil {
		return nil, err
	}
	if (len(index)-100)/8 != n {
		return nil, fmt.Errorf("its .shx has %d shapes and its .dbf %d rows; copy all files from the same shapefile",
			(len(index)-100)/8, n)
	}
	var all []record
	numbers := true // every number of a record is that of its entry, or all are another kind of number
	for i, entry := 0, index[100:]; len(entry) >= 8; i, entry = i+1, entry[8:] {
		at, size := 2*int64(binary.BigEndian.Uint32(entry)), 2*int64(binary.BigEndian.Uint32(entry[4:]))
		if at == 0 && size == 0 {
			shapes = append(shapes, nil)
			continue
		}
		if at > int64(len(data)) {
			return nil, fmt.Errorf("shape %d is at byte %d of %d by its .shx; copy all files of the shapefile", i, at,
				len(data))
		}
		r, err := recordAt(data, int(at), i)
		if err != nil {
			return nil, fmt.Errorf("%w; its .shx may be of another file: copy all files of the shapefile", err)
		}
		if size != int64(len(r.content)) {
			return nil, fmt.Errorf("shape %d has %d bytes, and %d by its .shx, which is of another file or damaged: "+
				"copy all files of the shapefile", i, len(r.content), size)
		}
		shapes, all = append(shapes, r.content), append(all, r)
		numbers = numbers && r.number == i+1
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b record) int { return a.at - b.at })
	for i := 1; i < len(sorted); i++ {
		if a, b := sorted[i-1], sorted[i]; a.at+8+len(a.content) > b.at {
			return nil, fmt.Errorf("its .shx has two shapes at the bytes %d to %d, so that one would stand for two "+
				"rows; copy all files of the shapefile", b.at, a.at+8+len(a.content))
		}
	}
	if !numbers { // writers that number from 0, or not at all, are none of the index's business
		slices.SortFunc(sorted, func(a, b record) int { return a.number - b.number })
		for i, r := range sorted {
			if r.number != i+1 || len(sorted) != n {
				return shapes, nil
			}
		}
		return nil, fmt.Errorf("its shapes have the numbers 1 to %d in another order than its .shx, so that one of "+
			"them is wrong; copy all files of the shapefile, or write them again, as by ogr2ogr new.shp old.shp", n)
	}
	return shapes, nil
}

package geopackage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// database is a SQLite file in memory.
type database struct {
	data         []byte
	page, usable int // bytes of a page, and of its part before the reserved one
	read         int // bytes of all rows that were read
}

// deepest is the largest depth of a tree. SQLite makes none above 20.
const deepest = 32

var errCut = errors.New("the file is cut or damaged; copy it again")

// open checks the header.
func open(data []byte) (*database, error) {
	if len(data) < 100 || string(data[:16]) != "SQLite format 3\x00" {
		return nil, errors.New("this is no SQLite database, as a GeoPackage is; give another file")
	}
	page := int(binary.BigEndian.Uint16(data[16:]))
	if page == 1 {
		page = 65536
	}
	if page < 512 || page&(page-1) != 0 || len(data)%page != 0 || int(data[20]) > page-480 {
		return nil, errCut
	}
	if encoding := binary.BigEndian.Uint32(data[56:]); encoding > 1 {
		return nil, errors.New("its text is UTF-16; write it as UTF-8, as GDAL does")
	}
	return &database{data: data, page: page, usable: page - int(data[20])}, nil
}

// value is NULL, an integer, a real number, text or bytes: nil, int64, float64, string or []byte.
type value any

// rows calls visit with every row of the table whose tree begins at a page, in the order of their numbers.
func (d *database) rows(root int, visit func(id int64, row []value) error) error {
	seen := map[int]bool{}
	d.read = 0
	var walk func(page, depth int) error
	walk = func(page, depth int) error {
		if page < 1 || page > len(d.data)/d.page || seen[page] || depth > deepest {
			return errCut
		}
		seen[page] = true
		at := d.data[(page-1)*d.page : page*d.page]
		head := 0
		if page == 1 {
			head = 100
		}
		kind, cells := at[head], int(binary.BigEndian.Uint16(at[head+3:]))
		first := head + 8
		if kind == 5 {
			first = head + 12
		}
		if kind != 5 && kind != 13 || first+2*cells > d.usable {
			return errCut
		}
		for k := range cells {
			cell := int(binary.BigEndian.Uint16(at[first+2*k:]))
			if cell+4 > d.usable {
				return errCut
			}
			if kind == 5 {
				if err := walk(int(binary.BigEndian.Uint32(at[cell:])), depth+1); err != nil {
					return err
				}
				continue
			}
			id, payload, err := d.payload(at[cell:d.usable])
			if err != nil {
				return err
			}
			row, err := record(payload)
			if err != nil {
				return err
			}
			if err := visit(id, row); err != nil {
				return err
			}
		}
		if kind == 5 {
			return walk(int(binary.BigEndian.Uint32(at[head+8:])), depth+1)
		}
		return nil
	}
	return walk(root, 0)
}

// payload returns the number of a row and its record, which may go on in pages of its own.
func (d *database) payload(cell []byte) (id int64, payload []byte, err error) {
	size, n := varint(cell)
	number, m := varint(cell[n:])
	// Rows that overlap would have more bytes than the file.
	if n == 0 || m == 0 || size > uint64(len(d.data)-d.read) {
		return 0, nil, errCut
	}
	d.read += int(size)
	cell = cell[n+m:]
	local := int(size)
	if most := d.usable - 35; local > most {
		least := (d.usable-12)*32/255 - 23
		if local = least + (int(size)-least)%(d.usable-4); local > most {
			local = least
		}
	}
	if local > len(cell) {
		return 0, nil, errCut
	}
	payload = append(payload, cell[:local]...)
	if local == int(size) {
		return int64(number), payload, nil
	}
	if len(cell) < local+4 {
		return 0, nil, errCut
	}
	next := int(binary.BigEndian.Uint32(cell[local:]))
	for len(payload) < int(size) {
		if next < 1 || next > len(d.data)/d.page {
			return 0, nil, errCut
		}
		at := d.data[(next-1)*d.page : next*d.page]
		next = int(binary.BigEndian.Uint32(at))
		payload = append(payload, at[4:min(d.usable, 4+int(size)-len(payload))]...)
	}
	return int64(number), payload, nil
}

// varint returns a number of up to nine bytes, and how many they are: 0 if there are too few.
func varint(b []byte) (v uint64, n int) {
	for n < 8 && n < len(b) {
		v = v<<7 | uint64(b[n]&0x7f)
		n++
		if b[n-1] < 0x80 {
			return v, n
		}
	}
	if n < len(b) && n == 8 {
		return v<<8 | uint64(b[8]), 9
	}
	return 0, 0
}

// record returns the values of a row.
func record(payload []byte) (row []value, err error) {
	size, n := varint(payload)
	if n == 0 || size > uint64(len(payload)) || int(size) < n {
		return nil, errCut
	}
	header, body := payload[n:size], payload[size:]
	for len(header) > 0 {
		kind, n := varint(header)
		if n == 0 {
			return nil, errCut
		}
		header = header[n:]
		width := int64(0)
		switch {
		case kind <= 4:
			width = int64(kind)
		case kind == 5:
			width = 6
		case kind == 6 || kind == 7:
			width = 8
		case kind >= 12:
			width = int64(kind-12) / 2
		}
		if width < 0 || width > int64(len(body)) {
			return nil, errCut
		}
		cell := body[:width]
		body = body[width:]
		switch {
		case kind == 0:
			row = append(row, nil)
		case kind == 7:
			row = append(row, math.Float64frombits(binary.BigEndian.Uint64(cell)))
		case kind <= 6:
			v := int64(int8(cell[0]))
			for _, b := range cell[1:] {
				v = v<<8 | int64(b)
			}
			row = append(row, v)
		case kind == 8 || kind == 9:
			row = append(row, int64(kind-8))
		case kind >= 12 && kind%2 == 1:
			if !utf8.Valid(cell) {
				return nil, fmt.Errorf("the text %.20q is no UTF-8; write it as UTF-8", cell)
			}
			row = append(row, string(cell))
		case kind >= 12:
			row = append(row, append([]byte(nil), cell...))
		default:
			return nil, errCut
		}
	}
	return row, nil
}

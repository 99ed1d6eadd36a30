package land

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decodeDBF reads the rows of a dBASE table. Numbers are float64, logical values are bool, and all other values are
// strings. A blank cell is missing from its row. A row that is marked as deleted is an error. page is the text of the .cpg file, which names the code page.
// Without one the table is read as UTF-8 if it is valid UTF-8, and as Windows-1252 otherwise.
func decodeDBF(data []byte, page string) ([]map[string]any, error) {
	if len(data) < 33 {
		return nil, fmt.Errorf("%d bytes are no table", len(data))
	}
	rows := int64(binary.LittleEndian.Uint32(data[4:]))
	head, width := int64(binary.LittleEndian.Uint16(data[8:])), int64(binary.LittleEndian.Uint16(data[10:]))
	if head < 33 || width < 1 || head+rows*width > int64(len(data)) {
		return nil, fmt.Errorf("%d rows of %d bytes do not fit into %d; it is cut or damaged: copy it again", rows, width, len(data))
	}
	type column struct {
		name     string
		kind     byte
		from, to int64
	}
	var columns []column
	at := int64(1) // byte 0 of a row marks a deleted row
	for f := data[32:head]; len(f) >= 32 && f[0] != '\r'; f = f[32:] {
		name, _, _ := bytes.Cut(f[:11], []byte{0})
		c := column{strings.TrimSpace(string(name)), f[11], at, at + int64(f[16])}
		if at = c.to; at > width {
			return nil, fmt.Errorf("column %q ends at byte %d of a row of %d", c.name, at, width)
		}
		columns = append(columns, c)
	}
	text, err := codePage(page, data[head:])
	if err != nil {
		return nil, err
	}
	out := make([]map[string]any, rows)
	for i := range out {
		out[i] = map[string]any{}
		row := data[head+int64(i)*width:][:width]
		if row[0] == '*' {
			return nil, fmt.Errorf("row %d is marked as deleted, but it is still in the file; write the file again without it, as by ogr2ogr new.shp old.shp", i)
		}
		for _, c := range columns {
			cell, err := text(bytes.Trim(row[c.from:c.to], " \x00"))
			if err != nil {
				return nil, fmt.Errorf("row %d, column %q: %w", i, c.name, err)
			}
			if cell == "" || strings.Trim(cell, "*") == "" && c.kind != 'C' {
				continue
			}
			out[i][c.name] = cell
			switch c.kind {
			case 'N', 'F':
				if v, err := strconv.ParseFloat(cell, 64); err == nil {
					out[i][c.name] = v
				}
			case 'L':
				out[i][c.name] = strings.ContainsAny(cell, "YyTt")
			}
		}
	}
	return out, nil
}

// codePage returns the function that turns bytes into text by the named code page; all has all bytes of the table.
func codePage(name string, all []byte) (func([]byte) (string, error), error) {
	number := digits(name)
	if strings.TrimSpace(name) == "" {
		number = "1252"
		if utf8.Valid(all) {
			number = "8"
		}
	}
	if number == "8" || number == "65001" { // UTF-8
		return func(b []byte) (string, error) {
			if !utf8.Valid(b) {
				return "", fmt.Errorf("%.40q is no UTF-8, which the .cpg says it is; write 1252 there if that is its code page", b)
			}
			return string(b), nil
		}, nil
	}
	for _, c := range charmap.All { // their names are "Windows 1252", "ISO 8859-1", "IBM Code Page 437", …
		if known, ok := c.(fmt.Stringer); ok && number != "" && digits(known.String()) == number {
			return func(b []byte) (string, error) {
				out, err := c.NewDecoder().Bytes(b)
				return strings.TrimSpace(string(out)), err
			}, nil
		}
	}
	return nil, fmt.Errorf("the code page %.40q of its .cpg is not known; write UTF-8 there if the table is", strings.TrimSpace(name))
}

// digits returns the decimal digits of s.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

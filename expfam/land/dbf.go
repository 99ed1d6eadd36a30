package land

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// decodeDBF reads the rows of a dBASE table. Numbers are as [propertyOf] says, logical values are bool, and texts and
// dates are strings. Columns of other kinds, such as memos, whose text is in another file, and binary numbers, are left
// out. A blank cell, and a logical value that is not known, are missing from their row. A row that is marked as deleted
// is nil. cpg is the text of the .cpg file, which names the code page; see [codePageOf].
func decodeDBF(data []byte, cpg string) ([]map[string]any, error) {
	if len(data) < 33 {
		return nil, fmt.Errorf("%d bytes are no table", len(data))
	}
	rows := int64(binary.LittleEndian.Uint32(data[4:]))
	head, width := int64(binary.LittleEndian.Uint16(data[8:])), int64(binary.LittleEndian.Uint16(data[10:]))
	if head < 33 || width < 1 || head+rows*width > int64(len(data)) {
		return nil, fmt.Errorf("%d rows of %d bytes do not fit into %d; it is cut or damaged: copy it again", rows,
			width, len(data))
	}
	columns, page, err := dbfColumns(data, head, rows, width, cpg)
	if err != nil {
		return nil, err
	}
	out := make([]map[string]any, rows)
	for i := range out {
		row := data[head+int64(i)*width:][:width]
		if row[0] == '*' {
			continue
		}
		out[i] = map[string]any{}
		for _, c := range columns {
			if !strings.ContainsRune("CNFLD", rune(c.kind)) {
				continue
			}
			raw := row[c.from:c.to]
			cell, err := page.text(bytes.Trim(raw, " \x00"), raw[len(raw)-1] != ' ' && raw[len(raw)-1] != 0)
			if err != nil {
				return nil, fmt.Errorf("row %d, column %q: %w", i, c.name, err)
			}
			if cell == "" || strings.Trim(cell, "*") == "" && c.kind != 'C' {
				continue
			}
			out[i][c.name] = cell
			switch c.kind {
			case 'N', 'F':
				if v, ok := propertyOf(cell); ok {
					out[i][c.name] = v
				}
			case 'L':
				if out[i][c.name] = strings.ContainsAny(cell, "YyTt1"); strings.Trim(cell, "?") == "" {
					delete(out[i], c.name)
				}
			}
		}
	}
	return out, nil
}

// dbfColumn is a column of a dBASE table: the bytes of its cells in every row.
type dbfColumn struct {
	name     string
	kind     byte // 'C' for text, 'N' and 'F' for numbers, 'L' for logical values, …
	from, to int64
}

// dbfColumns reads the columns of a table, and finds its code page. It refuses columns of the same name, because a row
// has one property of a name.
func dbfColumns(data []byte, head, rows, width int64, cpg string) (columns []dbfColumn, page codePage, err error) {
	var text []byte // the names of the columns and all cells with text
	cut := false    // some cell ends within a character of UTF-8, if it is UTF-8
	at := int64(1)  // byte 0 of a row marks a deleted row
	for f := data[32:head]; len(f) >= 32 && f[0] != '\r'; f = f[32:] {
		name, _, _ := bytes.Cut(f[:11], []byte{0})
		c := dbfColumn{string(name), f[11], at, at + int64(f[16])}
		if f[16] == 0 {
			return nil, page, fmt.Errorf("column %q has no bytes; leave it out of the table", c.name)
		}
		if at = c.to; at > width {
			return nil, page, fmt.Errorf("column %q ends at byte %d of a row of %d", c.name, at, width)
		}
		columns, text = append(columns, c), append(append(text, name...), '\n')
		for i := int64(0); c.kind == 'C' && i < rows; i++ {
			cell := bytes.Trim(data[head+i*width+c.from:head+i*width+c.to], " \x00")
			if whole := uncut(cell); len(cell) == int(f[16]) && len(whole) < len(cell) {
				cell, cut = whole, true
			}
			text = append(append(text, cell...), '\n')
		}
	}
	if cut && ascii(text) { // no other character shows that these bytes are UTF-8
		text = append(text, 0xff)
	}
	if page, err = codePageOf(cpg, data[29], text); err != nil {
		return nil, page, err
	}
	numbers := map[string]int{}
	for k := range columns {
		name, err := page.text([]byte(columns[k].name), len(columns[k].name) > 9)
		if err != nil {
			return nil, page, fmt.Errorf("the name of column %d: %w", k, err)
		}
		if first, twice := numbers[name]; twice {
			return nil, page, fmt.Errorf("columns %d and %d are both named %q; rename one of them", first, k, name)
		}
		columns[k].name, numbers[name] = name, k
	}
	return columns, page, nil
}

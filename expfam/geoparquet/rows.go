package geoparquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/expfam/lab/expfam/land"
)

var errCut = errors.New("the file is cut or damaged, or it is no Parquet file; copy it again")

// rows reads the properties and shapes of all rows, the boxes of the shapes, if it has them, and what their coordinates
// are.
func (o File) rows(data []byte) (t land.Table, err error) {
	defer func() { // parquet-go panics on some damaged files
		if p := recover(); p != nil {
			err = fmt.Errorf("%w (parquet: %v)", errCut, p)
		}
	}()
	// parquet-go makes room for a footer of any size.
	n := len(data)
	if n < 12 || string(data[n-4:]) != "PAR1" || int64(binary.LittleEndian.Uint32(data[n-8:])) > int64(n-12) {
		return t, errCut
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true),
		parquet.SkipPageIndex(true))
	if err != nil {
		return t, fmt.Errorf("%w (parquet: %w)", errCut, err)
	}
	if err := checkPages(data, f.Metadata()); err != nil {
		return t, err
	}
	g, err := geometryOf(f)
	if err != nil {
		return t, err
	}
	if t.Reference, err = g.system(); err != nil && o.From == nil {
		return t, err
	}
	columns, shape := map[int]column{}, -1
	var all []*parquet.Column
	sides := map[int]int{} // of boxes, by the column
	leaves(f.Root(), "", func(name string, c *parquet.Column) {
		all = append(all, c)
		if side := slices.Index(g.box[:], name); side >= 0 && (c.Type().Kind() == parquet.Float ||
			c.Type().Kind() == parquet.Double) {
			sides[c.Index()] = side
		}
		if strings.HasPrefix(name, "bbox.") {
			return // the box of a shape is no property
		}
		if name == g.column && c.Type().Kind() == parquet.ByteArray {
			shape = c.Index()
		} else if read := readerOf(c.Type()); read != nil {
			columns[c.Index()] = column{name, read}
		}
	})
	if shape < 0 {
		return t, fmt.Errorf("it has no column %q of shapes, which its metadata name; write it again",
			g.column)
	}
	size := 0 // of texts and shapes, of which a small file may promise very many
	for k, group := range f.RowGroups() {
		seen := map[int]*statistics{}
		for _, c := range all {
			seen[c.Index()] = &statistics{of: c}
		}
		err := each(group, func(values parquet.Row) error {
			row, at := map[string]any{}, []byte(nil)
			var box [4]float64
			for _, v := range values {
				if side, is := sides[v.Column()]; is && !v.IsNull() {
					if box[side] = v.Double(); v.Kind() == parquet.Float {
						box[side] = float64(v.Float())
					}
				}
				if s := seen[v.Column()]; s != nil {
					s.add(v)
				}
				c, found := columns[v.Column()]
				switch {
				case v.IsNull():
				case v.Column() == shape:
					at = bytes.Clone(v.ByteArray())
					size += len(at)
				case found:
					v := c.read(v)
					if s, text := v.(string); text {
						if size += len(s); !utf8.ValidString(s) {
							return fmt.Errorf("the text %.20q is no UTF-8; write it as UTF-8", s)
						}
					}
					row[c.name] = v
				}
			}
			t.Rows, t.Shapes = append(t.Rows, row), append(t.Shapes, at)
			if len(sides) == 4 {
				t.Boxes = append(t.Boxes, land.Box{West: box[0], South: box[1], East: box[2], North: box[3]})
			}
			switch {
			case at == nil:
				return fmt.Errorf("row %d has no geometry; leave it out of the file", len(t.Rows)-1)
			case size > 64<<20+100*len(data) || len(t.Rows) > 1e5+len(data):
				return fmt.Errorf("it promises more than %d rows or %d MB in a file of %.3g MB, as damaged files do; "+
					"copy it again, or write it with less compression", len(t.Rows), size>>20, float64(len(data))/1e6)
			}
			return nil
		})
		for at := 0; at < len(all) && err == nil; at++ {
			err = seen[all[at].Index()].check(&f.Metadata().RowGroups[k].Columns[all[at].Index()].MetaData)
		}
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// leaves visits the columns in a record that have a value a row. Those of a record in it, such as names.primary of
// Overture, have the name of the record before their own.
func leaves(of *parquet.Column, before string, visit func(name string, c *parquet.Column)) {
	for _, c := range of.Columns() {
		switch {
		case c.Repeated():
		case c.Leaf():
			visit(before+c.Name(), c)
		default:
			leaves(c, before+c.Name()+".", visit)
		}
	}
}

// each calls visit with the values of each row.
func each(group parquet.RowGroup, visit func(parquet.Row) error) error {
	rows := group.Rows()
	defer rows.Close()
	for buffer := make([]parquet.Row, 64); ; {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := visit(row); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w (parquet: %w)", errCut, err)
		case n == 0:
			return errCut
		}
	}
}

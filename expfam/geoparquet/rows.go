package geoparquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expfam/lab/expfam/land"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
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

// column is a column of properties.
type column struct {
	name string
	read func(parquet.Value) any
}

// readerOf returns how values of a type become properties, nil if they are left out.
func readerOf(t parquet.Type) func(parquet.Value) any {
	kind := t.Kind()
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		switch of := logical.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return func(v parquet.Value) any { return string(v.ByteArray()) }
		case *format.DateType:
			return func(v parquet.Value) any { return time.Unix(86400*int64(v.Int32()), 0).UTC().Format(time.DateOnly) }
		case *format.TimestampType:
			return moment(of)
		case *format.DecimalType:
			return decimal(kind, of.Scale)
		case *format.IntType:
			if !of.IsSigned {
				return unsigned(kind)
			}
		default:
			return nil
		}
	}
	switch kind {
	case parquet.Boolean:
		return func(v parquet.Value) any { return v.Boolean() }
	case parquet.Int32:
		return func(v parquet.Value) any { return land.Number(int64(v.Int32())) }
	case parquet.Int64:
		return func(v parquet.Value) any { return land.Number(v.Int64()) }
	case parquet.Float:
		return func(v parquet.Value) any { return float64(v.Float()) }
	case parquet.Double:
		return func(v parquet.Value) any { return v.Double() }
	}
	return nil
}

// unsigned reads numbers that have no sign.
func unsigned(kind parquet.Kind) func(parquet.Value) any {
	if kind == parquet.Int32 {
		return func(v parquet.Value) any { return float64(v.Uint32()) }
	}
	return func(v parquet.Value) any {
		if n := v.Int64(); n < 0 {
			return json.Number(strconv.FormatUint(uint64(n), 10))
		}
		return land.Number(v.Int64())
	}
}

// moment reads a date and a time as text of ISO 8601, with Z if it is one of UTC.
func moment(of *format.TimestampType) func(parquet.Value) any {
	layout, unit := "2006-01-02T15:04:05.999999999", int64(of.Unit.Value.Duration())
	if of.IsAdjustedToUTC {
		layout += "Z"
	}
	return func(v parquet.Value) any {
		second := int64(time.Second) / unit
		whole, part := v.Int64()/second, v.Int64()%second
		return time.Unix(whole, part*unit).UTC().Format(layout)
	}
}

// decimal reads a whole number of 10^−scale.
func decimal(kind parquet.Kind, scale int32) func(parquet.Value) any {
	if scale < 0 || scale > 76 {
		return nil
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return func(v parquet.Value) any {
		n := new(big.Int)
		switch kind {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		default: // big-endian two's complement
			b := v.ByteArray()
			if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		x, _ := new(big.Rat).SetFrac(n, unit).Float64()
		return x
	}
}

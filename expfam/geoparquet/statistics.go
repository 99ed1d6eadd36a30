package geoparquet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// statistics has the least and the greatest value of a column in a group of rows, and how many values are missing. Most
// programs write no checksums, but these numbers of each column, by which most damages to numbers are found. A damage
// that leaves a value between them cannot be found.
type statistics struct {
	of        *parquet.Column
	low, high parquet.Value
	missing   int64
}

func (s *statistics) add(v parquet.Value) {
	switch {
	case v.IsNull():
		s.missing++
		return
	case v.Kind() == parquet.Double && v.Double() != v.Double(), v.Kind() == parquet.Float && v.Float() != v.Float():
		return // not a number
	}
	if s.low.IsNull() || s.of.Type().Compare(v, s.low) < 0 {
		s.low = v.Clone()
	}
	if s.high.IsNull() || s.of.Type().Compare(v, s.high) > 0 {
		s.high = v.Clone()
	}
}

// check compares the values with what the file says of them. A long text may be cut there, and the greatest one be
// followed by a greater letter.
func (s *statistics) check(says *format.ColumnMetaData) error {
	same := true
	low, high := says.Statistics.MinValue, says.Statistics.MaxValue
	if kind := s.of.Type().Kind(); len(low) > 0 && len(high) > 0 && !s.low.IsNull() {
		switch logical := s.of.Type().LogicalType(); kind {
		case parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
			same = s.of.Type().Compare(s.low, kind.Value(low)) == 0 &&
				s.of.Type().Compare(s.high, kind.Value(high)) == 0
		case parquet.ByteArray:
			if logical != nil && logical.String() == new(format.StringType).String() {
				least, most := s.low.ByteArray(), s.high.ByteArray()
				same = bytes.Compare(least, low) >= 0 && bytes.Compare(most[:min(len(most), len(high))], high) <= 0
			}
		}
	}
	name := strings.Join(s.of.Path(), ".")
	switch n := says.Statistics.NullCount; {
	case !slices.Equal(says.PathInSchema, s.of.Path()):
		return fmt.Errorf("its column %q is also called %q; %w", name, strings.Join(says.PathInSchema, "."), errCut)
	case says.Type.String() != format.Type(s.of.Type().Kind()).String():
		return fmt.Errorf("its column %q has values of %v, and of %v by what the file says of it; %w", name,
			format.Type(s.of.Type().Kind()), says.Type, errCut)
	case n > 0 && n != s.missing:
		return fmt.Errorf("its column %q lacks %d values, and %d by what the file says of it; "+
			"%w", name, s.missing, n, errCut)
	case !same:
		return fmt.Errorf("its column %q has values from %.40v to %.40v, and others by what the file says of it; "+
			"%w", name,
			s.low, s.high, errCut)
	}
	return nil
}

package land_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// laid is a shapefile of squares, that of row i from longitude 10·i on. The records lie in the order of at, in which −1
// is a gap of a record's size that no entry names. Each has the number that numbers gives to its row.
func laid(at, numbers []int) (data, index []byte) {
	const size = 128 // bytes of the content of a square
	var records bytes.Buffer
	place := map[int]int{}
	for _, row := range at {
		west := 10 * float64(row)
		one := shp(5, []ring{box(west, 0, west+1, 1, true)})[100:]
		if row < 0 {
			one = shp(5, []ring{box(-99, 0, -98, 1, true)})[100:] // as it was before it moved
			binary.BigEndian.PutUint32(one, 1)
		} else {
			place[row] = 100 + records.Len()
			binary.BigEndian.PutUint32(one, uint32(numbers[row]))
		}
		records.Write(one)
	}
	head := func(n int) []byte {
		h := shp(5)[:100]
		binary.BigEndian.PutUint32(h[24:], uint32(50+n/2))
		return h
	}
	for row := range numbers {
		entry := [2]uint32{uint32(place[row] / 2), size / 2}
		if place[row] == 0 {
			entry[1] = 0
		}
		index, _ = binary.Append(index, binary.BigEndian, entry)
	}
	return append(head(records.Len()), records.Bytes()...), append(head(len(index)), index...)
}

// TestIndex: row i has the shape that the index names, or without an index the shape of that number.
func TestIndex(t *testing.T) {
	table := dbf([]string{"A", "B", "C"}, []string{"0", "10", "20"})
	deleted := slices.Clone(table)
	deleted[32+2*32+1+29] = '*' // the row of B
	for name, c := range map[string]struct {
		at, numbers []int
		table       []byte
		noIndex     bool
		want        string // the names, or the error
	}{
		"in order":                  {[]int{0, 1, 2}, []int{1, 2, 3}, table, false, "[A B C]"},
		"in order, no index":        {[]int{0, 1, 2}, []int{1, 2, 3}, table, true, "[A B C]"},
		"shuffled":                  {[]int{2, 0, 1}, []int{1, 2, 3}, table, false, "[A B C]"},
		"shuffled, no index":        {[]int{2, 0, 1}, []int{1, 2, 3}, table, true, "[A B C]"},
		"shuffled, without numbers": {[]int{2, 0, 1}, []int{0, 0, 0}, table, false, "[A B C]"},
		"numbers from 0":            {[]int{0, 1, 2}, []int{0, 1, 2}, table, true, "[A B C]"},
		"moved to the end":          {[]int{-1, 1, 2, 0}, []int{1, 2, 3}, table, false, "[A B C]"},
		"moved to the end, no index": {[]int{-1, 1, 2, 0}, []int{1, 2, 3}, table, true, "the .shx that says where " +
			"they are"},
		"deleted":                   {[]int{0, 1, 2}, []int{1, 2, 3}, deleted, false, "[A C]"},
		"deleted without a record":  {[]int{0, 2}, []int{1, 2, 3}, deleted, false, "[A C]"},
		"no record":                 {[]int{0, 2}, []int{1, 2, 3}, table, false, `shape 1, "B": it is empty`},
		"a record less, no index":   {[]int{0, 2}, []int{1, 2, 3}, deleted, true, "are not 1 to 3"},
		"numbers against the index": {[]int{0, 1, 2}, []int{2, 1, 3}, table, false, "in another order than its .shx"},
	} {
		t.Run(name, func(t *testing.T) {
			data, index := laid(c.at, c.numbers)
			files := map[string][]byte{".shp": data, ".dbf": c.table, ".prj": []byte(wgs84), ".SHX": index}
			if c.noIndex {
				delete(files, ".SHX")
			}
			regions, err := land.Shapefile{}.Read(write(t, files))
			if c.want[0] != '[' {
				must.Refuse(regions, err)(t, c.want)
				return
			}
			must.Need(t, err == nil && fmt.Sprint(regions) == c.want, "%v, %v; want %s", regions, err, c.want)
			for _, r := range regions {
				must.Be(t, r.Box().West == r.Properties["POP"], "%s begins at %g", r, r.Box().West)
			}
		})
	}
	data, index := laid([]int{0, 1, 2}, []int{1, 2, 3})
	for want, change := range map[string]func() []byte{
		"its .shx has 2 shapes and its .dbf 3 rows": func() []byte { _, i := laid([]int{0, 1}, []int{1, 2}); return i },
		"cut or damaged":     func() []byte { return index[:len(index)-8] },
		"128 bytes, and 130": func() []byte { i := slices.Clone(index); i[107]++; return i },
		"stand for two " +
			"rows": func() []byte { i := slices.Clone(index); copy(i[108:116], i[100:108]); return i },
		"another file":                func() []byte { i := slices.Clone(index); i[102] = 0x7f; return i },
		"begins with the number 9994": func() []byte { return make([]byte, 124) },
	} {
		path := write(t, map[string][]byte{".shp": data, ".dbf": table, ".prj": []byte(wgs84), ".shx": change()})
		_, err := land.Shapefile{}.Read(path)
		if want == "another file" {
			want = "copy all files of the shapefile"
		}
		must.Refuse(0, err)(t, want)
	}
}

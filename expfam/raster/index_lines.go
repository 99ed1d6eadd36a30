package raster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// indexLines finds numbers of columns and rows around a raster, which pandas writes where nobody named them: 0, 1, 2, …
// in the first line, and in the first column below an empty cell.
type indexLines struct {
	rows, cols  int
	corner      bool // the first cell is empty
	above, left bool // the first line, and the first column, count
	whole       bool // some number below the first line is written as a whole one
}

// add looks at the next record of a raster.
func (n *indexLines) add(record []string) {
	is := func(cell string, number int) bool { return strings.TrimSpace(cell) == strconv.Itoa(number) }
	if n.rows == 0 {
		n.cols, n.corner, n.left, n.above = len(record), strings.TrimSpace(record[0]) == "", true, true
		for c, cell := range record {
			switch {
			case n.corner && c > 0:
				n.above = n.above && is(cell, c-1)
			case !n.corner:
				n.above = n.above && is(cell, c)
			}
		}
	} else {
		n.left = n.left && is(record[0], n.rows-1)
		n.whole = n.whole || slices.ContainsFunc(record, func(cell string) bool {
			_, err := strconv.ParseInt(strings.TrimSpace(cell), 10, 64)
			return err == nil
		})
	}
	n.rows++
}

// check refuses a raster with such numbers. Without an empty cell in the corner they are a line of whole numbers above
// fractions.
func (n *indexLines) check() error {
	switch {
	case n.rows < 2 || !n.above || n.rows+n.cols < 5:
		return nil
	case n.corner && n.left:
		return fmt.Errorf("csv: the first line and the first column seem to number the columns and the rows, as " +
			"pandas does; write the table without them, as by to_csv(path, header=False, index=False)")
	case !n.corner && !n.whole && n.cols > 1:
		return fmt.Errorf("csv: the first line, 0 to %d, seems to number the columns, as pandas does; write the table "+
			"without it, as by to_csv(path, header=False, index=False), or with decimals if it is a row", n.cols-1)
	}
	return nil
}

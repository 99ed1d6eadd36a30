package raster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/expfam/grid"
)

// CSV reads a raster as text: a line for each row, the top row first, without a header.
// Cells that are empty, NA, N/A, NaN, null or none are outside of the domain. Lines above the first row that begin with
// # are comments; below, a # begins no comment. Empty lines are left out, except between the cells of a single column.
// [Column] reads one column of a table.
type CSV struct {
	// Comma separates the columns; ' ' stands for any number of spaces. Default: the separator in a first line such as
	// sep=; or else the most frequent of , ; tab and | in the first row. If it is not a comma, numbers may have decimal
	// commas.
	Comma rune
	// Decimal is the decimal mark of numbers, '.' or ','. The other one, apostrophes and spaces may separate
	// thousands. Default: the numbers tell. If none of them does, a number such as 1.234 is an error, because it may
	// be a thousand or a fraction. In a table separated by commas it is a fraction.
	Decimal rune
}

// Read reads the raster in a file.
func (o CSV) Read(path string) (grid.Field, error) {
	f, err := open(path, o.decode)
	f.Counts = err == nil && isCounted(filepath.Base(path))
	return f, err
}

func (o CSV) decode(r io.Reader) (grid.Field, error) {
	var g grid.Grid
	var values []float64
	var n indexLines
	err := records(r, o.Comma, o.Decimal, func(line int, record []string, t *table) error {
		if g.Rows > 0 && len(record) != g.Cols {
			return fmt.Errorf("csv: line %d has %d columns, the lines before have %d; every row of a raster has "+
				"all columns, empty where there is no value", line, len(record), g.Cols)
		}
		g.Rows, g.Cols = g.Rows+1, len(record)
		n.add(record)
		for c, text := range record {
			v, ok := t.number(text, line, c+1)
			if !ok {
				hint := "take it out, or leave it empty where there is no value"
				if words := strings.Fields(text); len(record) == 1 && len(words) > 1 && t.plain(words) {
					hint = "if spaces part the columns, set Comma to ' '"
				} else if g.Rows == 1 {
					hint = "a raster has no header: remove it, or read one column of a table with raster.Column"
				}
				return fmt.Errorf("csv: line %d, column %d: %q is no finite number; %s", line, c+1, text, hint)
			}
			values = append(values, v)
		}
		return nil
	})
	if err == nil {
		err = n.check()
	}
	if err != nil {
		return grid.Field{}, err
	}
	if len(values) == 0 {
		return grid.Field{}, errors.New("csv: there are no rows")
	}
	f, err := g.Field(values)
	if err != nil {
		return grid.Field{}, fmt.Errorf("csv: %w", err)
	}
	return f, nil
}

// open reads a file with decode. Its errors begin with the name of the file.
func open[T any](path string, decode func(io.Reader) (T, error)) (T, error) {
	var none T
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		folder, _ := os.Getwd()
		return none, fmt.Errorf("raster: there is no file %s in %s: put it there, or give its whole path", path, folder)
	}
	if err != nil {
		return none, fmt.Errorf("raster: %w", err)
	}
	defer file.Close()
	out, err := decode(file)
	if err != nil {
		return none, fmt.Errorf("raster: %s: %w", path, err)
	}
	return out, nil
}

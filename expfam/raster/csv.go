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
	"github.com/expfam/lab/expfam/internal/tabular"
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
	err := records(r, o.Comma, o.Decimal, func(line int, record []string, t *tabular.Reader) error {
		if g.Rows > 0 && len(record) != g.Cols {
			return fmt.Errorf("csv: line %d has %d columns, the lines before have %d; every row of a raster has "+
				"all columns, empty where there is no value", line, len(record), g.Cols)
		}
		g.Rows, g.Cols = g.Rows+1, len(record)
		n.add(record)
		for c, text := range record {
			v, err := number(t, text, line, c+1)
			if err != nil {
				hint := "take it out, or " + err.Error()
				if words := strings.Fields(text); len(record) == 1 && len(words) > 1 && t.Plain(words) {
					hint = "if spaces part the columns, set Comma to ' '"
				} else if g.Rows == 1 && !tabular.Dash(text) {
					hint = "a raster has no header: remove it, or read one column of a table with raster.Column"
				}
				return fmt.Errorf("csv: line %d, column %d: %q is no finite number; %s", line, c+1, text, hint)
			}
			values = append(values, v)
		}
		return nil
	})
	if err == nil {
		err = errors.Join(n.check(), margins(g, values))
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

// margins refuses a raster whose first or last row has the sums of all other rows in every column, or whose first or
// last column has those of all other columns in every row, as tables of two ways have them.
func margins(g grid.Grid, values []float64) error {
	for name, at := range map[string]func(i, k int) float64{
		"row":    func(i, k int) float64 { return values[i*g.Cols+k] },
		"column": func(i, k int) float64 { return values[k*g.Cols+i] },
	} {
		n, wide := g.Rows, g.Cols
		if name == "column" {
			n, wide = g.Cols, g.Rows
		}
		for _, of := range []int{0, n - 1} {
			sums := n >= 4 && wide >= 2
			for k := 0; k < wide && sums; k++ {
				var s tabular.Sums
				for i := range n {
					if i != of {
						s.Add(at(i, k))
					}
				}
				sums = s.All(at(of, k))
			}
			if sums {
				return fmt.Errorf("csv: %s %d of %d has the sums of all other %ss; remove it, because a raster has a "+
					"value for each cell", name, of+1, n, name)
			}
		}
	}
	return nil
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

// records calls f with every record of a table and the number of its line, from 1. A record that cannot be read is an
// error of the file. At the end records refuses numbers that can be read in two ways.
func records(r io.Reader, comma, decimal rune, f func(line int, record []string, t *tabular.Reader) error) error {
	t, err := tabular.NewReader(r, tabular.Options{Comma: comma, Decimal: decimal})
	for err == nil {
		var record tabular.Record
		if record, err = t.Next(); err == io.EOF {
			err = t.Numbers.Check()
			break
		}
		if err != nil {
			break
		}
		if err := f(record.Line, record.Cells, t); err != nil {
			if t.IsRemark(record.Cells) {
				err = fmt.Errorf("%w; a line that begins with # is a comment only above the first row: remove it if "+
					"it is one", err)
			}
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return nil
}

// number returns the number in a cell, NaN if the cell says that it has no value.
func number(t *tabular.Reader, text string, line, column int) (v float64, err error) {
	v, ok := t.Numbers.Cell(text, line, column)
	switch {
	case ok:
		return v, nil
	case tabular.Dash(text):
		return 0, errors.New(tabular.DashHint)
	}
	return 0, errors.New("leave it empty where there is no value")
}

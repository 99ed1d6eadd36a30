package raster

import (
	"errors"
	"fmt"
	"io"

	"github.com/expfam/lab/expfam/internal/tabular"
)

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

package grid

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// CSV reads a raster as text: a line for each row, the top row first, without a header.
// Cells that are empty, NA or NaN are outside of the domain. Lines that begin with # are
// comments, and empty lines are left out, except between the cells of a single column.
// [Column] reads one column of a table.
type CSV struct {
	// Comma separates the columns. Default: the most frequent of , ; tab and | in the
	// first line. If it is not a comma, numbers may have decimal commas.
	Comma rune
}

// Read reads the raster in a file.
func (o CSV) Read(path string) (Field, error) {
	return open(path, o.decode)
}

func (o CSV) decode(r io.Reader) (Field, error) {
	var g Grid
	var values []float64
	err := records(r, o.Comma, func(line int, record []string, separator rune) error {
		if g.Rows > 0 && len(record) != g.Cols {
			return fmt.Errorf("csv: line %d has %d columns, the lines before have %d; every row of a raster has all columns, empty where there is no value", line, len(record), g.Cols)
		}
		g.Rows, g.Cols = g.Rows+1, len(record)
		for c, text := range record {
			v, ok := number(text, separator)
			if !ok {
				hint := "take it out, or leave it empty where there is no value"
				if line == 1 {
					hint = "a raster has no header: remove it, or read one column of a table with grid.Column"
				}
				return fmt.Errorf("csv: line %d, column %d: %q is no finite number; %s", line, c+1, text, hint)
			}
			values = append(values, v)
		}
		return nil
	})
	if err != nil {
		return Field{}, err
	}
	if len(values) == 0 {
		return Field{}, errors.New("csv: there are no rows")
	}
	f, err := fieldOf(g, values)
	if err != nil {
		return Field{}, fmt.Errorf("csv: %w", err)
	}
	return f, nil
}

// number returns the number in a cell of a table, NaN if the cell is empty or NA. Infinities
// are no numbers. If the separator of columns is not a comma, a comma in the cell may be a
// decimal comma.
func number(text string, separator rune) (v float64, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "NA") {
		return math.NaN(), true
	}
	if separator != ',' && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// records calls f with every record of a table, the number of its line, from 1, and the
// separator of columns. Lines that begin with # are comments, except those that begin with an
// error value of a spreadsheet. In a table of one column an empty line between two others is an
// empty cell.
func records(r io.Reader, comma rune, f func(line int, record []string, separator rune) error) error {
	text := bufio.NewReaderSize(r, 1<<16)
	head, err := text.Peek(1 << 16)
	if err != nil && err != io.EOF {
		return fmt.Errorf("csv: %w", err)
	}
	if err := tabular.Check(head); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		text.Discard(3) // a byte order mark is no part of the first cell
		head = head[3:]
	}
	source := &lines{from: text}
	in := csv.NewReader(source)
	in.FieldsPerRecord, in.Comment, in.ReuseRecord = -1, '#', true
	if in.Comma = comma; comma == 0 {
		in.Comma = tabular.Comma(head)
	}
	last, single := 0, false // the last line of the record before, and whether that has one cell
	for {
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("csv: %w", err)
		}
		line, _ := in.FieldPos(0)
		if empty := source.take(last, line); single {
			for _, k := range empty {
				if err := f(k, []string{""}, in.Comma); err != nil {
					return err
				}
			}
		}
		if err := f(line, record, in.Comma); err != nil {
			return err
		}
		last, single = line, len(record) == 1
		for _, cell := range record {
			last += strings.Count(cell, "\n")
		}
	}
}

// open reads a file with decode. Its errors begin with the name of the file.
func open[T any](path string, decode func(io.Reader) (T, error)) (T, error) {
	var none T
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		folder, _ := os.Getwd()
		return none, fmt.Errorf("grid: there is no file %s in %s: put it there, or give its whole path", path, folder)
	}
	if err != nil {
		return none, fmt.Errorf("grid: %w", err)
	}
	defer file.Close()
	out, err := decode(file)
	if err != nil {
		return none, fmt.Errorf("grid: %s: %w", path, err)
	}
	return out, nil
}

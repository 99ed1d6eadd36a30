package grid

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// CSV reads a raster as text: a line for each row, the top one first, without a
// header. Cells that are empty, NA or NaN are outside.
type CSV struct {
	// Comma separates the columns. Default ','.
	Comma rune
}

// Read reads a file.
func (o CSV) Read(path string) (Field, error) {
	return open(path, o.decode)
}

func (o CSV) decode(r io.Reader) (Field, error) {
	var g Grid
	var values []float64
	err := records(r, o.Comma, func(line int, record []string) error {
		if g.Rows > 0 && len(record) != g.Cols {
			return fmt.Errorf("csv: line %d has %d columns, the lines before have %d", line, len(record), g.Cols)
		}
		g.Rows, g.Cols = g.Rows+1, len(record)
		for c, text := range record {
			v := math.NaN()
			if text = strings.TrimSpace(text); text != "" && !strings.EqualFold(text, "NA") {
				var err error
				if v, err = strconv.ParseFloat(text, 64); err != nil {
					return fmt.Errorf("csv: line %d, column %d: %q is no number; a raster has no header, and Comma set to its separator", line, c+1, text)
				}
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

// records calls f with every record and its line, from 1. Lines that begin with
// # are comments.
func records(r io.Reader, comma rune, f func(line int, record []string) error) error {
	text := bufio.NewReader(r)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		text.Discard(3) // a byte order mark is no part of the first cell
	}
	in := csv.NewReader(text)
	in.FieldsPerRecord, in.Comment, in.ReuseRecord = -1, '#', true
	if comma != 0 {
		in.Comma = comma
	}
	for {
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("csv: %w", err)
		}
		line, _ := in.FieldPos(0)
		if err := f(line, record); err != nil {
			return err
		}
	}
}

// open reads a file, whose name its errors begin with.
func open[T any](path string, decode func(io.Reader) (T, error)) (T, error) {
	var none T
	file, err := os.Open(path)
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

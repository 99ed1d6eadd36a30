package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostScrolled is the largest number of regions that a table in a notebook lists in full.
const mostScrolled = 1000

// table returns a table with a row for each cell and a row for the average of the cells. On a grid it shows only the
// average and the cells with the lowest and the highest mean; its CSV has all cells.
func (v Summary) table(cells []summary) Table {
	rows, cols := gridShape(v.Of, v.On)
	columns := []Column{{Name: "cell"}}
	regions := v.Names != nil && isLocated(v.Of)
	if regions {
		columns[0].Name = "region"
	}
	if rows > 0 {
		columns = []Column{{Name: "row"}, {Name: "column"}}
	}
	place := func(j int) []any {
		if rows > 0 {
			return []any{j / cols, j % cols}
		}
		name := strconv.Itoa(j)
		switch {
		case regions:
			name = v.Names[j]
		case v.Names != nil:
			name += " " + v.Names[j]
		}
		return []any{name}
	}
	all := Table{Columns: append(columns, statistics...), Ends: 5, Note: v.tailNote(), scroll: regions &&
		len(cells) <= mostScrolled}
	parameters := v.parameters(len(columns))
	all.Rows = append(all.Rows, parameters...)
	low, high := -1, -1
	for j, s := range cells {
		all.Rows = append(all.Rows, append(place(j), s.row()...))
		if v.Blank != nil && v.Blank[j] {
			continue
		}
		if low < 0 || s.mean < cells[low].mean {
			low = j
		}
		if high < 0 || s.mean > cells[high].mean {
			high = j
		}
	}
	if rows == 0 {
		if len(cells) > 1 {
			all.Rows = append(all.Rows, append([]any{"average"}, averageOf(v.Of, v.Blank).row()...))
		}
		return all
	}
	shown := Table{Columns: append([]Column{{Name: "cell"}}, statistics...), whole: &all, Note: all.Note}
	shown.Rows = append(shown.Rows, v.parameters(1)...)
	for _, c := range []struct {
		name string
		at   int
	}{{"lowest mean", low}, {"highest mean", high}} {
		if c.at >= 0 {
			shown.Rows = append(shown.Rows, append(
				[]any{fmt.Sprintf("%s: row %d, column %d", c.name, c.at/cols, c.at%cols)}, cells[c.at].row()...))
		}
	}
	shown.Rows = append(shown.Rows, append([]any{"average of all cells"}, averageOf(v.Of, v.Blank).row()...))
	return shown
}

// parameters returns a row for each unknown parameter of a posterior, with its name in the first of columns.
func (v Summary) parameters(columns int) (rows [][]any) {
	m, ok := v.Of.(Marginal)
	if !ok {
		return nil
	}
	labels, draws, _ := m.Marginals()
	tails := v.tails()
	for k, label := range labels {
		s, err := cellQuantiles("summary", sequence(draws[k]))
		if err != nil {
			continue // Posterior.Check names it
		}
		row := append(make([]any, 0, columns+len(statistics)), label)
		for range columns - 1 {
			row = append(row, "")
		}
		values := s[0].row()
		if k < len(tails) && tails[k] != "" {
			values[0], values[1] = nil, nil
		}
		rows = append(rows, append(row, values...))
	}
	return rows
}

// tails returns the warnings about the tails of parameters: "" for those whose mean and standard deviation
// describe them.
func (v Summary) tails() []string {
	if t, ok := v.Of.(interface{ Tails() []string }); ok {
		return t.Tails()
	}
	return nil
}

// tailNote is the note of a table of parameters with heavy tails.
func (v Summary) tailNote() string {
	m, ok := v.Of.(Marginal)
	if !ok {
		return ""
	}
	labels, _, _ := m.Marginals()
	var parts []string
	for k, tail := range v.tails() {
		if tail != "" && k < len(labels) {
			parts = append(parts, labels[k]+": "+tail+".")
		}
	}
	return strings.Join(parts, " ")
}

// statistics are the columns of a summary's table.
var statistics = []Column{{Name: "mean"}, {Name: "sd"}, {Name: "2.5%"}, {Name: "median"}, {Name: "97.5%"}}

func (s summary) row() []any {
	if s.one {
		return []any{s.mean, nil, nil, s.q[2], nil}
	}
	return []any{s.mean, s.sd, s.q[0], s.q[2], s.q[4]}
}

// overall is a view of one quantity: the mean of every draw over the cells that are not blank.
type overall struct {
	Draws
	blank []bool
}

func (a overall) Dims() (draws, cells int) {
	draws, _ = a.Draws.Dims()
	return draws, 1
}

func (a overall) At(draw, _ int) float64 {
	_, cells := a.Draws.Dims()
	sum, n := 0.0, 0.0
	for j := range cells {
		if a.blank == nil || !a.blank[j] {
			sum, n = sum+a.Draws.At(draw, j), n+1
		}
	}
	return sum / n
}

// averageOf returns the summary of the average over the cells that are not blank. The draws of all cells are finite.
func averageOf(d Draws, blank []bool) summary {
	s, err := cellQuantiles("summary", overall{d, blank})
	if err != nil {
		return summary{mean: math.NaN(), sd: math.NaN()}
	}
	return s[0]
}

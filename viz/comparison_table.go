package viz

import (
	"fmt"
	"math"
	"strconv"
)

// table returns a table with a row for each cell and a row for the average of the cells. On a grid the table shows
// only the average and, for two posteriors, the cell with the largest difference; its CSV has all cells.
func (v Comparison) table(cells [][]summary) Table {
	rows, cols := gridShape(v.Methods[0].Draws, v.On)
	numbers := []Column{}
	for _, m := range v.Methods {
		numbers = append(numbers, Column{Name: "mean, " + m.Name}, Column{Name: "sd, " + m.Name})
	}
	two := len(cells) == 2
	if two {
		numbers = append(numbers, Column{Name: "difference"}, Column{Name: "in sd"})
	}
	all := Table{Columns: append([]Column{{Name: "cell"}}, numbers...), Ends: 5}
	if rows > 0 {
		all.Columns = append([]Column{{Name: "row"}, {Name: "column"}}, numbers...)
	}
	var names []string
	if n, ok := v.Methods[0].Draws.(interface{ CellNames() []string }); ok {
		names = n.CellNames()
	}
	furthest, most := -1, -1.0
	for j := range cells[0] {
		of := make([]summary, len(cells))
		for k := range cells {
			of[k] = cells[k][j]
		}
		name := []any{strconv.Itoa(j)}
		if names != nil {
			name = []any{fmt.Sprintf("%d %s", j, names[j])}
		}
		if rows > 0 {
			name = []any{j / cols, j % cols}
		}
		values := compared(name, of)
		all.Rows = append(all.Rows, values)
		if two && (v.Blank == nil || !v.Blank[j]) {
			if d, ok := values[len(values)-1].(float64); ok && math.Abs(d) > most {
				furthest, most = j, math.Abs(d)
			}
		}
	}
	var overall []summary
	for _, m := range v.Methods {
		overall = append(overall, averageOf(m.Draws, v.Blank))
	}
	if rows == 0 {
		if len(cells[0]) > 1 {
			all.Rows = append(all.Rows, compared([]any{"average"}, overall))
		}
		if two && furthest >= 0 {
			all.Note = fmt.Sprintf("Means differ most in cell %d, by %s standard deviations.", furthest, number(most))
		}
		return all
	}
	shown := Table{Columns: append([]Column{{Name: "cell"}}, numbers...), whole: &all}
	if furthest >= 0 {
		values := all.Rows[furthest]
		shown.Rows = append(shown.Rows, append([]any{fmt.Sprintf("largest difference: row %d, column %d", furthest/cols,
			furthest%cols)}, values[2:]...))
	}
	shown.Rows = append(shown.Rows, compared([]any{"average of all cells"}, overall))
	return shown
}

// compared returns a row of the table: the name, then mean and standard deviation of each posterior. For two
// posteriors it adds the second mean less the first, in the units of the draws and in standard deviations.
func compared(name []any, of []summary) []any {
	for _, s := range of {
		name = append(name, s.mean, s.row()[1])
	}
	if len(of) == 2 {
		d := of[1].mean - of[0].mean
		name = append(name, d, ratio(d, math.Hypot(of[0].sd, of[1].sd)/math.Sqrt2))
	}
	return name
}

// ratio returns a/b, or nil if b is 0. A table prints nil as a dash.
func ratio(a, b float64) any {
	if b == 0 {
		return nil
	}
	return a / b
}

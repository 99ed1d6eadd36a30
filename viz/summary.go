package viz

import "fmt"

// Summary lists the posterior of every cell: mean, standard deviation, median
// and the ends of the central 95% interval. Of more cells than Rows it lists
// the first and the last.
type Summary struct {
	Draws Draws
	Title string
	Rows  int // of the table, at most; 0 means 12
}

// Encode implements Figure: html, txt and csv.
func (v Summary) Encode(format Format) ([]byte, error) {
	t, err := v.Table()
	if err != nil {
		return nil, err
	}
	return t.Encode(format)
}

// Table is the summary as a table, for other notes or columns.
func (v Summary) Table() (Table, error) {
	if v.Draws == nil {
		return Table{}, fmt.Errorf("summary: no draws")
	}
	cells, err := cellQuantiles("summary", v.Draws)
	if err != nil {
		return Table{}, err
	}
	n, _ := v.Draws.Dims()
	t := Table{Title: v.Title, Note: fmt.Sprintf("%d draws of %d cells", n, len(cells)), Columns: []Column{
		{Name: "cell"}, {Name: "mean"}, {Name: "sd"}, {Name: "2.5%"}, {Name: "median"}, {Name: "97.5%"}}}
	rows := v.Rows
	if rows <= 0 {
		rows = 12
	}
	for j, c := range cells {
		if head := (rows + 1) / 2; len(cells) > rows && j >= head && j < len(cells)-rows/2 {
			if j == head {
				t.Rows = append(t.Rows, []any{"…", nil, nil, nil, nil, nil})
			}
			continue
		}
		t.Rows = append(t.Rows, []any{j, c.mean, c.sd, c.q[0], c.q[2], c.q[4]})
	}
	return t, nil
}

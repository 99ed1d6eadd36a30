package viz_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/expfam/lab/viz"
	"gonum.org/v1/gonum/mat"
)

func TestSummary(t *testing.T) {
	// Of 1, 2, 3, 4, 5: mean 3, sd √(10/4), quantiles 1 + 4p.
	m := mat.NewDense(5, 20, nil)
	for i := range 5 {
		for j := range 20 {
			m.Set(i, j, float64(100*j+5-i))
		}
	}
	table, err := viz.Summary{Draws: m, Rows: 5}.Table()
	if err != nil {
		t.Fatal(err)
	}
	if want := []any{1, 103., 1.5811388300841898, 101.1, 103., 104.9}; !reflect.DeepEqual(table.Rows[1], want) {
		t.Errorf("got %v, want %v", table.Rows[1], want)
	}
	var cells []any
	for _, row := range table.Rows {
		cells = append(cells, row[0])
	}
	if want := []any{0, 1, 2, "…", 18, 19}; !reflect.DeepEqual(cells, want) {
		t.Errorf("cells %v, want %v", cells, want)
	}
	if all, err := (viz.Summary{Draws: m, Rows: 20}).Table(); err != nil || len(all.Rows) != 20 {
		t.Errorf("%d rows, %v", len(all.Rows), err)
	}
	text, err := viz.Summary{Draws: m}.Encode(viz.Text)
	if err != nil || !strings.Contains(string(text), "5 draws of 20 cells") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := (viz.Summary{}).Encode(viz.Text); err == nil {
		t.Error("no draws, and no error")
	}
}

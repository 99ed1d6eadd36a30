package raster

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/safefile"
)

// CSV writes a table with a line for each cell inside. A line has longitude and latitude of the centre (x and y, if the
// grid has neither), the area, and the layers. Numbers have all digits that float64 needs. Missing values are empty. A
// name of a layer that a spreadsheet would take for a formula, such as =1+1, is written behind an apostrophe.
func (l Layers) CSV(path string) error {
	first, second := "longitude", "latitude"
	place := l.lonLat()
	if place == nil {
		first, second = "x", "y"
		place = func(x, y float64) (float64, float64) { return x, y }
	}
	header := []string{first, second, "area"}
	if err := l.check(header...); err != nil {
		return err
	}
	for _, layer := range l.Layers {
		header = append(header, safefile.Cell(layer.Name))
	}
	return store.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		if err := out.Write(header); err != nil {
			return err
		}
		record := make([]string, len(header))
		for j, area := range l.Grid.Areas() {
			if !l.Grid.Inside(j) {
				continue
			}
			x, y := place(l.Grid.Centre(j))
			record[0], record[1], record[2] = digits(x), digits(y), digits(area)
			for i, layer := range l.Layers {
				if record[3+i] = ""; !math.IsNaN(layer.Values[j]) {
					record[3+i] = digits(layer.Values[j])
				}
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// digits writes v with the fewest digits that read back as v.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

package dirtyfiles

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/expfam/tables"
	"github.com/expfam/lab/internal/must"
)

var regen = flag.Bool("regen", false, "rewrite testdata/frozen.txt")

// TestFrozen: each text of testdata/frozen.txt gives the answers that stand below it, from every reader of tables. A
// change of an answer is a change of the file, which a person reads.
func TestFrozen(t *testing.T) {
	const path = "testdata/frozen.txt"
	before := must.Get(os.ReadFile(path))(t)
	var after strings.Builder
	texts := 0
	for line := range strings.Lines(string(before)) {
		if !strings.HasPrefix(line, `"`) {
			if strings.HasPrefix(line, "//") {
				after.WriteString(line)
			}
			continue
		}
		text := must.Get(strconv.Unquote(strings.TrimSpace(line)))(t, line)
		texts++
		after.WriteString(line + answers(t, text))
	}
	must.Be(t, texts >= 40, "%d texts", texts)
	if *regen {
		must.Do(t, os.WriteFile(path, []byte(after.String()), 0o644))
		return
	}
	want := bytes.Split(before, []byte("\n"))
	for i, line := range strings.Split(after.String(), "\n") {
		must.Be(t, i < len(want) && line == string(want[i]), "line %d: %s", i+1, line)
	}
}

// answers returns a line for each reader with what it makes of a text.
func answers(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "table.csv")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	var out strings.Builder
	answer := func(reader string, got any, err error) {
		said := fmt.Sprint(got)
		if err != nil {
			said = "! " + strings.ReplaceAll(err.Error(), path, "FILE")
		}
		fmt.Fprintf(&out, "\t%s: %s\n", reader, strings.ReplaceAll(said, "\n", " / "))
	}
	column, err := raster.Column{}.Read(path)
	answer("column", rounded(column.Values), err)
	cases, err := raster.Column{Name: "cases"}.Read(path)
	answer("cases", rounded(cases.Values), err)
	field, err := raster.CSV{}.Read(path)
	answer("csv", fmt.Sprint(field.Grid.Rows, field.Grid.Cols, rounded(field.Values)), err)
	points, err := raster.PointsCSV{}.Read(path)
	answer("points", points, err)
	sites, err := survey.Table{Window: land.World}.Read(path)
	said := ""
	if err == nil {
		sites.Report.Source = ""
		for _, s := range sites.Sites {
			said += fmt.Sprintf("%g %g %d/%d %d; ", s.Lon, s.Lat, s.Positive, s.Examined, s.Year)
		}
		said += sites.Report.String()
	}
	answer("survey", said, err)
	cells, err := tables.Read(path)
	if err == nil {
		said = fmt.Sprintf("%q %q %q", cells.Columns, cells.Rows, cells.Cells)
	}
	answer("table", said, err)
	return out.String()
}

func rounded(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Round(v*1e9) / 1e9
	}
	return out
}

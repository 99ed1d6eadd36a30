package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// cellOf is a cell with tags that has printed a text.
func cellOf(source, tag, printed string) *ipynb.Cell {
	c := &ipynb.Cell{Type: ipynb.Code, Source: source, Metadata: map[string]any{"tags": []any{tag}}}
	if printed != "" {
		c.Outputs = []*ipynb.Output{{Type: ipynb.Stream, Name: "stdout", Text: printed}}
	}
	return c
}

// A notebook becomes a package whose examples pass, with the imports of its cells and those that they lack. They fail
// if the notebook had printed something else.
func TestExport(t *testing.T) {
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"language": "go"}},
		Cells: []*ipynb.Cell{
			cellOf("import m \"math\"\n\n// Norm is √(x²+y²).\nfunc Norm(x, y float64) float64 "+
				"{ return m.Sqrt(x*x + y*y) }", exportTag, ""),
			cellOf("draft := 1", "", ""),
			cellOf("// Shout says it loudly.\nfunc Shout(s string) string { return strings.ToUpper(s) }", exportTag,
				""),
			cellOf("%%\nfmt.Println(Norm(3, 4))\nfmt.Println(Shout(\"ah\"))", exampleTag, "5\nAH\n"),
		}}
	dir := t.TempDir()
	path, out := filepath.Join(dir, "my notes-2.ipynb"), filepath.Join(dir, "my notes-2")
	must.Do(t, nb.Write(path))
	must.Do(t, export(t.Context(), []string{path}))
	code := string(read(t, filepath.Join(out, "mynotes2.go")))
	must.Be(t, strings.Contains(code, "package mynotes2\n") && strings.Contains(code, `m "math"`) &&
		strings.Contains(code, `"strings"`) && !strings.Contains(code, "draft"), "%s", code)
	passes := func() (string, error) {
		cmd := exec.Command("go", "test", "-mod=mod", "-v", ".")
		cmd.Dir = out
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	said, err := passes()
	must.Be(t, err == nil && strings.Contains(said, "--- PASS: Example_cell4"), "%s", said)

	first := nb.Cells[0].Source
	nb.Cells[0].Source = "// Lengths.\n" + first
	nb.Cells[2].Source = "import m \"math\"\n" + nb.Cells[2].Source + "\n\nvar half = m.Pi/2"
	nb.Cells = append(nb.Cells,
		cellOf("fmt.Println(`a\nb`)\n// the end", exampleTag, "\x1b[38;5;244ma remark\x1b[0m\na\nb\n"),
		cellOf("fmt.Print(\"a \\nb\\n\")", exampleTag, "a \nb\n"),
		cellOf("fmt.Print(\"1 %\\r2 %\\n\")", exampleTag, "1 %\r2 %\n"),
		cellOf("fmt.Print(\"a\\n\\n\\nb\\n\")", exampleTag, "a\n\n\nb\n"))
	must.Do(t, nb.Write(path))
	must.Do(t, export(t.Context(), []string{path}))
	said, err = passes()
	must.Be(t, err == nil && strings.Contains(said, "--- PASS: Example_cell5"), "%s", said)
	code = string(read(t, filepath.Join(out, "mynotes2.go")))
	must.Be(t, strings.Contains(code, "// Lengths.\n"), "%s", code)

	nb.Cells = nb.Cells[:4]
	nb.Cells[3].Outputs[0].Text = "6\nAH\n"
	must.Do(t, nb.Write(path))
	must.Do(t, export(t.Context(), []string{path}))
	said, err = passes()
	must.Be(t, err != nil && strings.Contains(said, "--- FAIL: Example_cell4"), "%s", said)

	nb.Cells[0].Source = "x := 3"
	must.Do(t, nb.Write(path))
	must.Be(t, strings.Contains(export(t.Context(), []string{path}).Error(),
		"cell 1 is tagged \"export\" and must hold Go declarations alone"), "no error")
	must.Do(t, (&ipynb.Notebook{Metadata: nb.Metadata, Cells: nb.Cells[1:2]}).Write(path))
	must.Be(t, strings.Contains(export(t.Context(), []string{path}).Error(), "no cell is tagged"), "no error")
}

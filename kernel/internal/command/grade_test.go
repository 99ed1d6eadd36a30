package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// The last verdict on an exercise counts, and a notebook that lacks an exercise has an empty place.
func TestGradeTable(t *testing.T) {
	said := func(texts ...string) map[string]string {
		nb := &ipynb.Notebook{}
		for _, text := range texts {
			nb.Cells = append(nb.Cells, &ipynb.Cell{Outputs: []*ipynb.Output{{Type: ipynb.Stream, Text: text}}})
		}
		return graded(nb)
	}
	first := said("exercise 00.1: not yet: the draws are of another posterior; the link, \"exp\"\n",
		"12 draws\nexercise 00.1: right\nexercise 00.2: not yet: width 0.4\n")
	second := said("exercise 00.3: right\n", "no exercise 00.4: right")
	second["notebook"] = "cell 4 failed"
	table := must.Get(gradeTable(map[string]map[string]string{"class/b.ipynb": second, "class/a.ipynb": first}))(t)
	must.Equal(t, table, "notebook,00.1,00.2,00.3,right,remark\n"+
		"a.ipynb,right,not yet: width 0.4,,1,\n"+
		"b.ipynb,,,right,1,cell 4 failed\n")
}

// Behind a cell that fails nothing runs, so what stands there is no verdict. The folder has brackets in its name.
func testGrade(t *testing.T, g gonb) {
	dir := filepath.Join(g.home, "class [1]")
	must.Do(t, os.Mkdir(dir, 0o755))
	nb := must.Get(ipynb.Read(g.notebook(t, "graded", "fmt.Println(\"exercise 00.1: right\")", "panic(\"stop\")",
		"fmt.Println(1)")))(t)
	nb.Cells[2].Outputs = []*ipynb.Output{{Type: ipynb.Stream, Name: "stdout", Text: "exercise 00.2: right\n"}}
	must.Do(t, nb.Write(filepath.Join(dir, "a.ipynb")))
	out, err := g.kernel("grade", dir).CombinedOutput()
	must.Be(t, err == nil, "%v\n%s", err, out)
	table := string(read(t, filepath.Join(dir, "grades.csv")))
	must.Be(t, strings.HasPrefix(table, "notebook,00.1,right,remark\na.ipynb,right,1,"), "%s", table)
}

func TestGradeRefuses(t *testing.T) {
	must.Err(t, grade(t.Context(), nil), "the folder with the notebooks of a class")
	must.Err(t, grade(t.Context(), []string{t.TempDir()}), "has no notebooks")
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.ipynb"), []byte("half a note"), 0o644))
	must.Do(t, grade(t.Context(), []string{dir}))
	remarks := string(read(t, filepath.Join(dir, "grades.csv")))
	must.Be(t, strings.Count(remarks, "\n") == 2 && !strings.Contains(remarks, "done.ipynb"), "%s", remarks)
	must.Do(t, (&ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"language": "go"}}}).Write(
		filepath.Join(dir, "a.ipynb")))
	t.Setenv("GO111MODULE", "off")
	must.Err(t, grade(t.Context(), []string{dir}), "GO111MODULE is off")
	must.Be(t, strings.Contains(usage(), "expfam grade"), "the usage lacks the verb")
}

package command

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// gradeLine is what exercise.Check of the lessons prints.
var gradeLine = regexp.MustCompile(`(?m)^exercise (\S+): (right|not yet: .*)$`)

// grade executes the verb grade: it runs the notebooks of a class and writes one table of their exercises.
func grade(ctx context.Context, args []string) error {
	flags := newFlags("grade")
	out := flags.String("out", "", "write the table here, as CSV (default: FOLDER/grades.csv)")
	timeout := flags.Duration("timeout", 0, "stop a cell that takes longer (default: that of run)")
	args, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return errors.New("grade takes the folder with the notebooks of a class: " + call("grade FOLDER"))
	}
	paths, err := fs.Glob(os.DirFS(args[0]), "*.ipynb") // the folder's own name may have brackets
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("grade: %s has no notebooks: give the folder in which a class has put them", args[0])
	}
	if err := fit(); err != nil { // or the table would say it of each notebook
		return err
	}
	temp, remove, err := safefile.Folder("", "expfam-grade")
	if err != nil {
		return err
	}
	defer remove()
	table := map[string]map[string]string{}
	for _, name := range paths {
		path := filepath.Join(args[0], name)
		done := filepath.Join(temp, "done.ipynb")
		order := []string{"-html=false", "-out", done, path}
		if *timeout > 0 {
			order = append(order, "-timeout", timeout.String())
		}
		failed := afresh(ctx, order)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		nb, err := ipynb.Read(done)
		if err != nil { // it did not begin to run
			table[path] = map[string]string{"notebook": cmp.Or(failed, err).Error()}
			continue
		}
		if table[path] = graded(nb); failed != nil {
			table[path]["notebook"] = failed.Error()
		}
		if err := os.Remove(done); err != nil {
			return err
		}
	}
	if *out == "" {
		*out = filepath.Join(args[0], "grades.csv")
	}
	text, err := gradeTable(table)
	if err != nil {
		return err
	}
	fmt.Print(text)
	return safefile.WriteFile(*out, []byte(text))
}

// afresh executes an order of run without the outputs that the notebook has: those behind a cell that fails are of
// another run, or of nobody's.
func afresh(ctx context.Context, args []string) error {
	o, err := orderOf(args)
	if err != nil {
		return err
	}
	for _, cell := range o.notebooks[0].Cells {
		cell.Outputs = nil
	}
	return o.run(ctx)
}

// graded returns the last verdict on each exercise in the outputs of a notebook.
func graded(nb *ipynb.Notebook) map[string]string {
	verdicts := map[string]string{}
	for _, cell := range nb.Cells {
		for _, o := range cell.Outputs {
			for _, m := range gradeLine.FindAllStringSubmatch(o.Text, -1) {
				verdicts[m[1]] = m[2]
			}
		}
	}
	return verdicts
}

// gradeTable returns a table with a row for each notebook and a column for each exercise that any of them has.
func gradeTable(table map[string]map[string]string) (string, error) {
	exercises := map[string]bool{}
	for _, verdicts := range table {
		for name := range verdicts {
			exercises[name] = exercises[name] || name != "notebook"
		}
	}
	delete(exercises, "notebook")
	names := slices.Sorted(maps.Keys(exercises))
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{append(append([]string{"notebook"}, names...), "right", "remark")}
	for _, path := range slices.Sorted(maps.Keys(table)) {
		row, right := []string{filepath.Base(path)}, 0
		for _, name := range names {
			verdict := table[path][name]
			if row = append(row, verdict); verdict == "right" {
				right++
			}
		}
		rows = append(rows, append(row, fmt.Sprint(right), table[path]["notebook"]))
	}
	for _, row := range rows { // names of files and remarks are of students
		for k := range row {
			row[k] = safefile.Cell(row[k])
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return "", err
	}
	return b.String(), nil
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestCompare(t *testing.T) {
	notebook := func(texts ...string) string {
		var cells []string
		for _, text := range texts {
			bar := ""
			if strings.Contains(text, "1.02s") {
				bar = `{"output_type":"display_data","metadata":{},"data":{"text/html":"<div>half</div>"}},`
			}
			cells = append(cells, `{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":1,`+
				`"outputs":[`+bar+`{"output_type":"stream","name":"stdout","text":"`+text+`"}]}`)
		}
		path := filepath.Join(t.TempDir(), "x.ipynb")
		data := `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + strings.Join(cells, ",") + `]}`
		must.Do(t, os.WriteFile(path, []byte(data), 0o644))
		return path
	}
	if got, want := untimed("two\nmethod  sd  time (s)\na        1      0.20*\nb        2      3.16\n\nin 3 cells"),
		"two\nmethod  sd  time (s)\na        1     \nb        2     \n\nin 3 cells"; got != want {
		t.Errorf("a table of times is %q, want %q", got, want)
	}
	was := notebook("mean 0.044  sd 1.002, 500 draws", "p 3.9e-13, 1 2 3 4 5 6 in 950 ms, 1 cell",
		"Seconds for a step 0.20 0.31")
	for _, c := range []struct {
		name, want string
		texts      []string
	}{
		{"the same", "", []string{"mean 0.044  sd 1.002, 500 draws", "p 3.9e-13, 1 2 3 4 5 6 in 1.02s, 1 cell",
			"Seconds for a step 0.41 0.35"}},
		{"rounded otherwise", "", []string{"mean 0.045 sd 0.98, 501 draws",
			"p 4e-13, 1 2 3 4 5 6 in 1 min 20 s, 1 cell", "Seconds for a step 0.41 0.35"}},
		{"one number of eleven", "", []string{"mean 0.044  sd 1.002, 500 draws",
			"p 3.9e-13, 1 2 3 4 5 9 in 3 ms, 1 cell", "Seconds for a step 0.41 0.35"}},
		{"two numbers of eleven", "only 9 of 11",
			[]string{"mean 0.044  sd 1.002, 700 draws", "p 3.9e-13, 1 2 3 4 5 9 in 3 ms, 1 cell",
				"Seconds for a step 0.41 0.35"}},
		{"another sign", "only 9 of 11", []string{"mean -0.044  sd -1.002, 500 draws",
			"p 3.9e-13, 1 2 3 4 5 6 in 1.02s, 1 cell", "Seconds for a step 0.41 0.35"}},
		{"another word", "cell 1", []string{"median 0.044  sd 1.002, 500 draws",
			"p 3.9e-13, 1 2 3 4 5 6 in 1.02s, 1 cell", "Seconds for a step 0.41 0.35"}},
		{"a number less", "cell 2", []string{"mean 0.044  sd 1.002, 500 draws", "p 3.9e-13, 1 2 3 4 5 in 3 ms, 1 cell",
			"Seconds for a step 0.41 0.35"}},
		{"a cell less", "cells", []string{"mean 0.044  sd 1.002, 500 draws"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := compare(was, notebook(c.texts...))
			must.Be(t, (err == nil) == (c.want == "") && (err == nil || strings.Contains(err.Error(), c.want)),
				"got %v, want %q", err, c.want)
		})
	}
}

package ipynb

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata/jupyter.ipynb was written by testdata/jupyter.py with Jupyter's own library.
func TestRoundTripIsByteStable(t *testing.T) {
	want, err := os.ReadFile("testdata/jupyter.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	nb, err := Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := nb.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d: got %q, want %q", i+1, a[i], b[i])
			}
		}
		t.Fatalf("got %d lines, want %d", len(a), len(b))
	}
}

func TestParseReads(t *testing.T) {
	nb, err := Read("testdata/jupyter.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	c := nb.Cells[1]
	if c.Type != Code || c.ID != "a1" || *c.ExecutionCount != 3 || !c.HasTag("raises-exception") || c.HasTag("other") {
		t.Errorf("cell: %+v", c)
	}
	if c.FirstLine() != "x := 1" {
		t.Errorf("first line %q", c.FirstLine())
	}
	if s := c.Outputs[0].Text; !strings.HasPrefix(s, "1\n2\r\n3\r4") {
		t.Errorf("stream %q", s)
	}
	if s := c.Outputs[1].Content("image/svg+xml"); s != "<svg>\n</svg>" {
		t.Errorf("svg %q", s)
	}
	if s := nb.Cells[0].Attachments()["p.png"]["image/png"]; s != "iVBORw0KGgo=" {
		t.Errorf("attachment %q", s)
	}
	if nb.Language() != "go" {
		t.Errorf("language %q", nb.Language())
	}
}

func TestFirstLine(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"plain", "\n  x := 1\ny", "x := 1"},
		{"after the mark", "import \"fmt\"\n%%\nfmt.Println()\n", "fmt.Println()"},
		{"mark first", "%%\nfmt.Println()", "fmt.Println()"},
		{"nothing after the mark", "var x = 1\n%%\n", "var x = 1"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (&Cell{Source: c.source}).FirstLine(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"empty file", "", "not a notebook"},
		{"cut short", `{"cells": [`, "not a notebook"},
		{"a conflict of git", "{\n \"cells\": [],\n<<<<<<< HEAD\n \"nbformat\": 4\n}",
			"not a notebook: line 3: invalid character '<'"},
		{"text after the end", `{"nbformat": 4, "cells": []} x`, "after the document's end"},
		{"version 3", `{"nbformat": 3, "worksheets": []}`, "nbformat is not 4"},
		{"no version", `{"cells": []}`, "nbformat is not 4"},
		{"cells not a list", `{"nbformat": 4, "cells": {}}`, "cells: not a list"},
		{"cell not an object", `{"nbformat": 4, "cells": [1]}`, "cell 1: not an object"},
		{"unknown cell type", `{"nbformat": 4, "cells": [{"cell_type": "heading"}]}`, `cell_type "heading"`},
		{"source not text", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}`, "cell 1: source"},
		{"unknown output", `{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"output_type": "x"}]}]}`,
			`output 1: output_type "x"`},
		{"count not whole", `{"nbformat": 4, "cells": [{"cell_type": "code", "execution_count": 1.5}]}`,
			"not a whole number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.doc))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// Format 4.4 has no ids. Those that are made must be the same each time, or every run would change the file.
func TestMissingIDs(t *testing.T) {
	doc := []byte(`{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
		{"cell_type": "markdown", "source": "same"}, {"cell_type": "markdown", "source": "same"},
		{"cell_type": "code", "id": "twice", "source": ""}, {"cell_type": "code", "id": "twice", "source": ""}]}`)
	first, err := Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i, c := range first.Cells {
		if c.ID != second.Cells[i].ID {
			t.Errorf("cell %d: id %q, then %q", i+1, c.ID, second.Cells[i].ID)
		}
		if c.ID == "" || slices.Contains(ids, c.ID) {
			t.Errorf("cell %d: id %q", i+1, c.ID)
		}
		ids = append(ids, c.ID)
	}
	if ids[2] != "twice" {
		t.Errorf("the first of two equal ids became %q", ids[2])
	}
	data, err := first.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if again.Cells[0].ID != ids[0] {
		t.Errorf("id %q became %q by writing", ids[0], again.Cells[0].ID)
	}
	if !strings.Contains(string(data), `"nbformat_minor": 5`) {
		t.Error("ids were added, but the version stayed below 4.5")
	}
}

package ipynb

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// testdata/jupyter.ipynb was written by testdata/jupyter.py with Jupyter's own library.
func TestRoundTripIsByteStable(t *testing.T) {
	want := must.Get(os.ReadFile("testdata/jupyter.ipynb"))(t)
	nb := must.Get(Parse(want))(t)
	got := must.Get(nb.Bytes())(t)
	if string(got) != string(want) {
		a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(a), len(b)) {
			must.Need(t, a[i] == b[i], "line %d: got %q, want %q", i+1, a[i], b[i])
		}
		t.Fatalf("got %d lines, want %d", len(a), len(b))
	}
}

func TestParseReads(t *testing.T) {
	nb := must.Get(Read("testdata/jupyter.ipynb"))(t)
	c := nb.Cells[1]
	if c.Type != Code || c.ID != "a1" || *c.ExecutionCount != 3 || !c.HasTag("raises-exception") || c.HasTag("other") {
		t.Errorf("cell: %+v", c)
	}
	must.Equal(t, c.FirstLine(), "x := 1", "first line")
	must.Be(t, strings.HasPrefix(c.Outputs[0].Text, "1\n2\r\n3\r4"), "stream %q", c.Outputs[0].Text)
	must.Equal(t, c.Outputs[1].Content("image/svg+xml"), "<svg>\n</svg>", "svg")
	must.Equal(t, nb.Cells[0].Attachments()["p.png"]["image/png"], "iVBORw0KGgo=", "attachment")
	must.Equal(t, nb.Language(), "go", "language")
}

func TestFirstLine(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"plain", "\n  x := 1\ny", "x := 1"},
		{"after the mark", "import \"fmt\"\n%%\nfmt.Println()\n", "fmt.Println()"},
		{"mark first", "%%\nfmt.Println()", "fmt.Println()"},
		{"nothing after the mark", "var x = 1\n%%\n", "var x = 1"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, (&Cell{Source: c.source}).FirstLine(), c.want) })
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
		t.Run(c.name, func(t *testing.T) { must.Refuse(Parse([]byte(c.doc)))(t, c.want) })
	}
}

// Format 4.4 has no ids. Those that are made must be the same each time, or every run would change the file.
func TestMissingIDs(t *testing.T) {
	doc := []byte(`{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
		{"cell_type": "markdown", "source": "same"}, {"cell_type": "markdown", "source": "same"},
		{"cell_type": "code", "id": "twice", "source": ""}, {"cell_type": "code", "id": "twice", "source": ""}]}`)
	first := must.Get(Parse(doc))(t)
	second := must.Get(Parse(doc))(t)
	var ids []string
	for i, c := range first.Cells {
		must.Equal(t, c.ID, second.Cells[i].ID, "cell", i+1, "id", "then")
		must.Be(t, c.ID != "" && !slices.Contains(ids, c.ID), "cell %d: id %q", i+1, c.ID)
		ids = append(ids, c.ID)
	}
	must.Equal(t, ids[2], "twice", "the first of two equal ids became")
	data := must.Get(first.Bytes())(t)
	again := must.Get(Parse(data))(t)
	must.Equal(t, again.Cells[0].ID, ids[0], "id", "became", "by writing")
	must.Be(t, strings.Contains(string(data), `"nbformat_minor": 5`),
		"ids were added, but the version stayed below 4.5")
}

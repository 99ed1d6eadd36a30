package cell

import (
	"strings"
	"testing"
)

// A comment that Go obeys is never dropped without a word.
func TestDirectives(t *testing.T) {
	for _, c := range []struct{ source, wrong, note string }{
		{"import _ \"embed\"\n\n//go:embed note.txt\nvar note string",
			"line 3: a cell cannot have the directive go:embed: read the file where it is needed", ""},
		{"//go:embed note.txt\nvar note string", "line 1: a cell cannot have the directive go:embed", ""},
		{"//go:embed a b\nvar files embed.FS", "a cell cannot have the directive go:embed", ""},
		{"//go:build linux\n\nx := 1", "go:build: leave it out, or ask for runtime.GOOS", ""},
		{"// +build linux\n\nx := 1", "+build: leave it out", ""},
		{"//go:linkname now time.now\nfunc now() int", "go:linkname: put the code that needs it into a package", ""},
		{"//go:debug madvdontneed=1", "go:debug: set it by %env GODEBUG", ""},
		{"//go:wasmexport f\nfunc f() {}", "go:wasmexport: put the code", ""},
		{"//go:cgo_ldflag \"-lm\"", "go:cgo_ldflag: put", ""},
		{"//go:somethingnew", "go:somethingnew: put", ""},
		{"//export f\nfunc f() {}", "directive export: leave it out", ""},
		{"x := 1\n//line a.go:10\nx++", "line 2: a cell cannot have the directive line", ""},
		{"x := /*line a.go:10*/ 1", "line 1: a cell cannot have the directive line", ""},
		{"// #include <math.h>\n// #cgo LDFLAGS: -lm\nimport \"C\"\nfloat64(C.sqrt(2))",
			"line 3: a cell cannot use cgo", ""},
		{"import c \"C\"", "a cell cannot use cgo", ""},
		{"import (\n\t\"fmt\"\n\t\"C\"\n)", "line 3: a cell cannot use cgo", ""},
		{"%test\n//go:embed a\nvar a string", "a cell cannot have the directive go:embed", ""},
		{"//go:generate stringer\ntype t int", "", "the directive go:generate has no effect in a cell"},
		{"//go:noinline\nfunc f() {}", "", "the directive go:noinline has no effect in a cell"},
		{"// go:embed in prose, with a blank\nx := 1", "", ""},
		{"//line plot of y\nx := 1", "", ""},
		{"//line 3: the second one\nx := 1", "directive line", ""},
		{"//export the table\nx := 1", "", ""},
		{"//export\nx := 1", "", ""},
		{"x := /*line 3*/ 1", "", ""},
		{"/*go:embed a*/\nx := 1", "", ""},
		{"x := 3 //go:embed a", "a cell cannot have the directive go:embed", ""},
		{"func f() {\n\t//go:embed a\n}", "line 2: a cell cannot have the directive go:embed", ""},
		{"// exports and lines\nx := \"//go:embed a\"", "", ""},
		{"x := `\n//go:build a\n`", "", ""},
		{"%%writefile a.go\n//go:build linux", "", ""},
		{"!go get example.org/a@v1", "", "!go get is for a module in the notebook's folder; for packages that cells " +
			"import, type !*go get example.org/a@v1"},
		{"!go mod tidy\nx := 1", "", "type !*go mod tidy"},
		{"!*go get example.org/a@v1", "", ""},
		{"!go version", "", ""},
		{"x := 1\n%pip install numpy", "line 2: there is no command %pip: a cell runs Go", ""},
		{"%%time\n1 + 1", "there is no command %%time: the kernel says how long", ""},
		{"%timeit 1 + 1", "there is no command %timeit: the kernel says", ""},
		{"%matplotlib inline", "there is no command %matplotlib: a figure", ""},
		{"%load_ext autoreload", "there is no command %load_ext: %help lists all", ""},
		{"%env A b\n%cd /\n%goflags -x\n%autoget\n%with_inputs", "", ""},
		{"%exec f 3\nfunc f() {}", "", ""},
		{"%% -n 3\nfmt.Println(1)", "", ""},
		{"x := `\n%get a\n`", "", ""},
		{"!echo go get", "", ""},
	} {
		s := newSession()
		p, err := s.Translate(Cell{Number: 1, Source: c.source})
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q: error %v, want %q in it", c.source, err, c.wrong)
		}
		if err != nil {
			continue
		}
		if all := strings.Join(p.Notes, "|"); (c.note == "") != (all == "") || !strings.Contains(all, c.note) {
			t.Errorf("%q: notes %q, want %q", c.source, all, c.note)
		}
		if get := "!*go get example.org/a@v1"; c.source == get &&
			p.Commands[0] != "!*env -u GOPROXY go get example.org/a@v1" {
			t.Errorf("%s becomes %q", get, p.Commands)
		}
		s.Commit(p)
		if p, err := s.Translate(Cell{Number: 2, Source: c.source}); err != nil || c.note != "" &&
			strings.Contains(strings.Join(p.Notes, "|"), c.note) {
			t.Errorf("%q again: notes %q, error %v", c.source, p.Notes, err)
		}
	}
}

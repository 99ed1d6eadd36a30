package cell

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"x := 1", "variable x := 1"},
		{"a; b;", "statement a; | statement b;"},
		{"var x = 1\nconst c = 2\ntype t int\nimport \"fmt\"",
			"variable var x = 1 | constant const c = 2 | typed type t int | imports import \"fmt\""},
		{"func f() {\n\tx := 1\n}\nf()", "function func f() {\n\tx := 1\n} | statement f()"},
		{"func (t *T[K]) f() {}", "function func (t *T[K]) f() {}"},
		{"func() {}()", "statement func() {}()"},
		{"func(x int) T { return T{} }(1)", "statement func(x int) T { return T{} }(1)"},
		{"for i := 0; i < 3; i++ {\n\tf()\n}; g()", "statement for i := 0; i < 3; i++ {\n\tf()\n}; | statement g()"},
		{"if f := func() bool { return true }; f() {\n}", "statement if f := func() bool { return true }; f() {\n}"},
		{"if x := 1; x > 0 {\n} else if y := 2; y > 0 {\n}\nz := 1",
			"statement if x := 1; x > 0 {\n} else if y := 2; y > 0 {\n} | variable z := 1"},
		{"L:\nfor i := range 3 {\n\tbreak L\n}", "statement L:\nfor i := range 3 {\n\tbreak L\n}"},
		{"x :=\n\t1 +\n\t2 // three\ny", "variable x :=\n\t1 +\n\t2 | statement y"},
		{"f(\n\t1,\n)\n\n// end", "statement f(\n\t1,\n)"},
		{"`raw\n;\n`", "statement `raw\n;\n`"},
		{"go func() { x := 1 }()", "statement go func() { x := 1 }()"},
		{"", ""},
	} {
		spans, wrong := split(c.text)
		must.Be(t, wrong == nil, "%q: %v", c.text, wrong)
		var got []string
		for _, s := range spans {
			text := []string{"statement", "variable", "constant", "typed", "function", "imports"}[s.kind] + " " +
				c.text[s.from:s.to]
			if s.hidden {
				text += ";"
			}
			got = append(got, text)
		}
		must.Equal(t, strings.Join(got, " | "), c.want, c.text)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		text, code, commands string
		main                 int
		raw                  bool
	}{
		{"x := 1", "x := 1", "", -1, false},
		{"%%\nx", "  \nx", "", 3, false},
		{"%% -n 3\nx", "       \nx", "%args -n 3", 8, false},
		{"f()\n!ls \\\n  -l\ng()", "f()\n     \n    \ng()", "!ls    -l", -1, false},
		{"x := `\n!no\n%no`\n%cd /", "x := `\n!no\n%no`\n     ", "%cd /", -1, false},
		{"/*\n!no */ x\n'`'\n!yes", "/*\n!no */ x\n'`'\n    ", "!yes", -1, false},
		{"//gonb:%%\nx", "         \nx", "", 10, false},
		{"%%bash\nx := `", "", "", -1, true},
		{"%test\nfunc TestX(t *testing.T) {}", "     \nfunc TestX(t *testing.T) {}", "%test", -1, true},
		{"a % b", "a % b", "", -1, false},
		{"x\r\ny", "x\ny", "", -1, false},
	} {
		s := read(c.text)
		if got := strings.Join(s.commands, "|"); s.code != c.code || got != c.commands || s.main != c.main ||
			s.raw != c.raw {
			t.Errorf("%q: code %q, commands %q, main %d, raw %v", c.text, s.code, got, s.main, s.raw)
		}
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]string{
		"x := 1": "complete", "f(": "incomplete", "func f() {\n": "incomplete", "`raw": "incomplete", "f)": "invalid",
		"x := :=": "invalid",
		"!ls (":   "complete", "%%bash\n((": "complete", "": "complete", "if x {\n}": "complete", "\"a": "invalid",
	} {
		if got, _ := Complete(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if _, indent := Complete("func f() {\n\tif x {"); indent != "\t\t" {
		t.Errorf("indent %q", indent)
	}
}

package cell

import (
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A name of a package or of Go is taken with a remark, and whoever misses it later is told which cell took it.
func TestTakenNames(t *testing.T) {
	const hides = " in every cell from now on: give it another name, or forget it with %rm "
	const stays = " is a name that Go itself uses: your "
	there := func(name, what string) string {
		return name + " is defined in cell 1, line 1, and hides " + what +
			": give it another name there, or forget it with %rm " + name
	}
	for _, c := range []struct {
		take, note string // "" if there is none
		use        string // the next cell
		wrong      string // its error; "" if it is right
	}{
		{`fmt := "x"`, "fmt hides the package fmt" + hides + "fmt", "fmt.Println(1)", there("fmt", "the package")},
		{`fmt := "x"`, "fmt hides the package fmt" + hides + "fmt", "fmt + fmt", ""},
		{"strings := []string{}", "strings hides the package strings", "strings.ToUpper(\"a\")", there("strings",
			"the package")},
		{"type math struct{ Pie int }", "math hides the package math", "math.Pi", there("math", "the package")},
		{"type math struct{ Pie int }\nm := math{}", "math hides the package math", "m.Pi", "did you mean Pie?"},
		{"import fmt \"strings\"", "fmt means the package strings in every cell from now on, and hides fmt",
			"fmt.Println(1)",
			"fmt is the package strings since cell 1, and hides fmt: import it by another name there, or forget it " +
				"with %rm fmt"},
		{"import fmt \"strings\"", "fmt means the package strings", "fmt.ToUpper(\"a\")", ""},
		{"import m \"math\"", "", "m.Pi", ""},
		{"import \"fmt\"", "", "fmt.Println(1)", ""},
		{"f := func(len, fmt int) int { return len + fmt }", "", "f(1, 2)", ""},
		{"func f[string any](math string) (error string) { return math }", "", "f(1)", ""},
		{"type t struct{ len, fmt, string int }", "", "t{1, 2, 3}", ""},
		{"for max := range 2 {\n\tsort := max\n\t_ = sort\n}", "", "max(1, 2)", ""},
		{"if min := 3; min > 2 {\n}", "", "min(1, 2)", ""},
		{"len:\nfor {\n\tbreak len\n}", "", "len(\"a\")", ""},
		// no package
		{"func sort(x []int) int { return 1 }", "sort hides the package sort", "sort.Ints([]int{1})", there("sort",
			"the package")},
		{"const rand = 4", "rand hides the package rand", "rand.IntN(3)", there("rand", "the package")},
		{"a, fmt := 1, 2", "fmt hides the package fmt", "fmt.Println(a)",
			"fmt is defined in cell 1, line 1, and hides the package"},
		{"fmt := \"x\"\nfmt.Println(fmt)", "", "",
			"fmt is defined in line 1 and hides the package: give it another name"},

		{"len := 3", "len" + stays + "len is for this cell alone, and other cells mean Go's", "len([]int{1, 2})", ""},
		{"string := \"x\"", "string" + stays, "func shout(s string) string { return s }\nshout(\"a\")", ""},
		{"nil := 3", "nil" + stays, "var e error\ne == nil", ""},
		{"error := 3", "error" + stays, "func f() error { return nil }\nf()", ""},
		{"true := 0", "true" + stays, "if true {\n}", ""},
		{"append, cap := 1, 2", "append" + stays, "append([]int{}, cap([]int{}))", ""},
		{"min := 2", "min" + stays, "min(1, 2)", ""},
		{"max := 2", "max" + stays, "max + 1",
			"max has a name that Go itself uses (cell 1), and means Go's own here: " + "give it another name there"},
		{"float64 := 2", "float64" + stays, "float64 + 1", "float64 has a name that Go itself uses (cell 1)"},
		{"max := 2\nif 3 > max {\n\tmax = 3\n}", "max" + stays, "max(1, 2)", ""},
		{"max := 2\nfunc f(a, b int) int { return max(a, b) }\nf(1, max)", "max" + stays, "f(1, 2)", ""},
		{"max := 2\nbig := max + 1", "max" + stays, "big", ""},
		{"len := 3\nlen([]int{})", "", "", "len is defined in line 1 and hides Go's own len: give it another name"},
		{"func max(a, b float64) float64 { return a }", "max hides Go's own max" + hides + "max", "max(1, 2, 3)",
			there("max", "Go's own max")},
		{"func max(a, b float64) float64 { return a }", "max hides Go's own max", "max(1, 2)", ""},
		{"type string struct{}", "", "", "string is a name of Go itself, and every program needs it: give it " +
			"another name"},
		{"func len(x any) int { return 1 }", "", "", "len is a name of Go itself"},
		{"const nil = 1", "", "", "nil is a name of Go itself"},
		{"type error int", "", "", "error is a name of Go itself"},
		{"import any \"fmt\"", "", "", "any is a name of Go itself"},
		{"var int = 3\nfunc main() {}", "", "", "int is a name of Go itself"},
		{"type t int\nfunc (t) len() int { return 1 }\nfunc (t) fmt() int { return 1 }", "", "t(1).len()", ""},
		// methods take nothing
	} {
		t.Run(c.take, func(t *testing.T) {
			s := newSession()
			s.Values = t.TempDir()
			p, err := s.Translate(Cell{Number: 1, Source: c.take})
			if c.use == "" {
				must.Err(t, err, c.wrong)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Commit(p)
			ran(t, s, p)
			if c.note == "" && len(p.Notes) > 0 || c.note != "" && !slices.ContainsFunc(p.Notes,
				func(n string) bool { return strings.Contains(n, c.note) }) {
				t.Errorf("notes %q, want %q in one", p.Notes, c.note)
			}
			_, err = s.Translate(Cell{Number: 2, Source: c.use})
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("%s: error %v, want %q in it", c.use, err, c.wrong)
			}
			if again := run(t, s, Cell{Number: 3, Source: c.take}); slices.ContainsFunc(again.Notes,
				func(n string) bool { return strings.Contains(n, hides) || strings.Contains(n, stays) }) {
				t.Errorf("said twice: %q", again.Notes)
			}
			s.Remove([]string{"fmt", "strings", "math", "sort", "rand", "max", "m"})
			if strings.Contains(c.wrong, "forget it with") && !strings.Contains(c.use, ", 3") {
				if _, err := s.Translate(Cell{Number: 4, Source: strings.Replace(c.use, "(a)", "(1)", 1)}); err != nil {
					t.Errorf("after %%rm: %v", err)
				}
			}
		})
	}
}

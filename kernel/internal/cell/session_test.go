package cell

import (
	"encoding/json"
	"go/importer"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/keep"
)

// ran has the image of memory say that a program has kept its variables.
func ran(t *testing.T, s *Session, p *Program) {
	m := must.Get(keep.Read(s.Values))(t)
	for _, key := range p.Keys() {
		m.Roots[key] = keep.Root{Block: 1}
	}
	must.Do(t, os.WriteFile(filepath.Join(s.Values, "index"), must.Get(json.Marshal(m))(t), 0o600))
}

// std is Go's own library, whose packages code means by their last names.
type std struct{ types.Importer }

func (std) Find(name string, members []string) string {
	paths := map[string]string{"fmt": "fmt", "strings": "strings", "math": "math", "sort": "sort", "os": "os",
		"rand": "math/rand/v2", "regexp": "regexp", "errors": "errors", "sync": "sync", "exec": "os/exec",
		"http": "net/http", "io": "io", "bytes": "bytes", "bufio": "bufio", "big": "math/big", "log": "log",
		"sha256": "crypto/sha256", "csv": "encoding/csv", "url": "net/url", "time": "time",
		"context": "context", "net": "net", "runtime": "runtime"}
	return paths[name]
}

func (std) Names() []string { return []string{"fmt", "strings", "math", "sort", "rand"} }

func newSession() *Session { return &Session{Packages: std{importer.Default()}} }

// run translates a cell that has to be right, and keeps what it defines.
func run(t *testing.T, s *Session, c Cell) *Program {
	t.Helper()
	p, err := s.Translate(c)
	if err != nil {
		t.Fatalf("%v in\n%s", err, c.Source)
	}
	s.Commit(p)
	return p
}

// parts of a program: what stands before main, and in it, without the places.
func body(source string) (before, main string) {
	var b strings.Builder
	for line := range strings.Lines(source) {
		for strings.Contains(line, "/*line ") {
			from := strings.Index(line, "/*line ")
			line = line[:from] + line[from+strings.Index(line[from:], "*/")+2:]
		}
		b.WriteString(line)
	}
	_, rest, _ := strings.Cut(b.String(), ")\n\n")
	rest = strings.Replace(rest, strings.TrimRight(shower(""), "\n"), "", 1)
	before, main, _ = strings.Cut(rest, "func main() {\n\tmain_flag.Parse()\n")
	return strings.TrimSpace(before), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(main), "}"))
}

func TestTranslate(t *testing.T) {
	for _, c := range []struct {
		name         string
		before       []string // cells that ran
		source       string
		decls, stmts string // of the program of the last; both empty if it has nothing to run
	}{
		{"an expression", nil, "1 + 1", "", `main_show("%+v", 1 + 1)`},
		{"a definition that is written down", nil, "x := 3", "", ""},
		{"one that is computed", nil, "x := len(\"a\")", "", `x := len("a"); _ = x`},
		{"a declaration", nil, "type t int\nfunc (t) f() {}\nconst c = 1", "", ""},
		{"what is needed and nothing else", []string{"x := len(\"a\")", "y := len(\"b\")"}, "x", `var x  = len("a")`,
			`main_show("%+v", x)`},
		{"through a function", []string{"x := 2", "func f() int { return x }"}, "f()",
			"func f() int { return x }\nvar x  = 2", `main_show("%+v", f())`},
		{"one of two", []string{"a, b := len(\"\"), 2", "b := 3"}, "a", `var a, _  = len(""), 2`,
			`main_show("%+v", a)`},
		{"one of a group", []string{"const (\n\ta = iota\n\tb\n)", "const a = 7"}, "b", "const (\n\t_ = iota\n\tb\n)",
			`main_show("%+v", b)`},
		{"typed", []string{"var x, y float64 = 1, 2"}, "y", "var x, y  float64 = 1, 2", `main_show("%+v", y)`},
		{"for a function of the cell", nil, "a := len(\"a\")\nfunc f() int { return a }\nf()",
			"var a int\nfunc f() int { return a }", "a = len(\"a\")\n" + `main_show("%+v", f())`},
		{"in its order", nil, "n := 0\nn++\nm := n\nfunc f() int { return m }\nf()",
			"var n  = 0\nvar m int\nfunc f() int { return m }", "n++\nm = n\n" + `main_show("%+v", f())`},
		{"what is written down is there for a function before", nil, "a := f()\nfunc f() int { return c }\nc := 1",
			"func f() int { return c }\nvar c  = 1", "a := f(); _ = a"},
		{"not for a parameter of its name", nil, "a := len(\"a\")\nfunc f(a int) int { return a }\nf(a)",
			"func f(a int) int { return a }",
			"a := len(\"a\")\n" + `main_show("%+v", f(a))`},
		{"a field is no variable", []string{"x := len(\"a\")", "type p struct{ x int }"}, "p{x: 1}",
			"type p struct{ x int }", `main_show("%+v", p{x: 1})`},
		{"nor where it has the variable's name", []string{"type p struct{ x int }", "x := p{x: 1}"}, "x",
			"var x  = p{x: 1}\ntype p struct{ x int }", `main_show("%+v", x)`},
		{"nor in a function", []string{"type p struct{ x int }\nfunc f() p { return p{x: 1} }", "x := f()"}, "x",
			"var x  = f()\nfunc f() p { return p{x: 1} }\ntype p struct{ x int }", `main_show("%+v", x)`},
		{"a key is", []string{"x := len(\"a\")"}, "map[int]int{x: 1}", `var x  = len("a")`,
			`main_show("%+v", map[int]int{x: 1})`},
		{"shadowed", []string{"x := len(\"a\")"}, "for x := range 2 {\n\tfmt.Println(x)\n}", "",
			"for x := range 2 {\n\tfmt.Println(x)\n}"},
		{"methods come with their type", []string{"type t int", "func (t) f() int { return 1 }"}, "t(1).f()",
			"type t  int\nfunc (t) f() int { return 1 }",
			`main_show("%+v", t(1).f())`},
		{"unused in a head", nil, "if x := 1; true {\n}\nswitch y := 2; {\ncase true:\n}", "",
			"if x := 1; true { _ = x;\n}\nswitch y := 2; {\ncase true: _ = y;\n}"},
		{"two on a line", nil, "x := len(\"a\"); fmt.Print(x)", "", "x := len(\"a\")\nfmt.Print(x)"},
		{"the error is looked at", nil, "os.Remove(\"a\")", "", ""},
		{"two results", []string{"func f() (int, bool) { return 1, true }"}, "f()",
			"func f() (int, bool) { return 1, true }",
			`{ main_v0, main_v1 := f(); { main_show("%+v %+v", main_v0, main_v1) } }`},
		{"a result and an error", nil, "fmt.Sscan(\"\")", "func main_fail(err error) { panic(err) }",
			`{ main_v0, main_err := fmt.Sscan(""); if main_err != nil { main_fail(main_err) } else { main_show("%+v", main_v0) } }`},
		{"text that is made", nil, "fmt.Sprintf(\"%d\", 1)", "", `main_show("%+v", fmt.Sprintf("%d", 1))`},
		{"a literal's method", []string{"type t struct{}\nfunc (t) f() error { return nil }"}, "t{}.f()",
			"type t struct{}\nfunc (t) f() error { return nil }\nfunc main_fail(err error) { panic(err) }",
			`{ main_err := t{}.f(); if main_err != nil { main_fail(main_err) } else { } }`},
		{"GoNB's main", []string{"x := 1"}, "func f() int { return x }\n%%\nx := 5\nfmt.Print(f(), x)",
			"func f() int { return x }\nvar x  = 1", "x := 5\nfmt.Print(f(), x)"},
		{"%exec", []string{"func f() {}"}, "%exec f", "func f() {}", "f()"},
		{"its own main", []string{"x := 2"}, "y := len(\"a\")\nvar z = x\nfunc main() { fmt.Print(y, z) }",
			"var y  = len(\"a\")\nvar z  = x\nfunc main() { fmt.Print(y, z) }\nvar x  = 2", ""},
		{"an initialiser", []string{"func init_it() { fmt.Print(1) }"}, "2", "func init   () { fmt.Print(1) }",
			`main_show("%+v", 2)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession()
			for i, source := range c.before {
				run(t, s, Cell{Number: i + 1, Source: source})
			}
			p := run(t, s, Cell{Number: len(c.before) + 1, Source: c.source})
			decls, stmts := body(p.Source)
			if c.name == "the error is looked at" {
				c.decls, c.stmts = "func main_fail(err error) { panic(err) }",
					`{ main_err := os.Remove("a"); if main_err != nil { main_fail(main_err) } else { } }`
			}
			decls, want := strings.ReplaceAll(decls, "type t  int", "type t int"),
				strings.ReplaceAll(c.decls, "type t  int", "type t int")
			if decls != want || stmts != c.stmts {
				t.Errorf("before main\n%s\nwant\n%s\nin main\n%s\nwant\n%s", decls, want, stmts, c.stmts)
			}
		})
	}
}

// In a page, what a cell does to a variable decides whether others may have it.
func TestStays(t *testing.T) {
	const types = "type v struct{ n int }\nfunc (x *v) set() { x.n = 1 }\nfunc (x *v) peek() int { if x.n > 1 { " +
		"x.peek() }; return x.n }\nfunc (x *v) twice() { x.set(); x.set() }\nfunc (x v) get() int { return x.n }\n" +
		"func fill(x []int) int { for i := range x { x[i] = 2 }; return 1 }\nfunc deep(y, x []int) error { z := x; " +
		"fill(z); return nil }\n" +
		"func many(n int, x ...[]int) int { if n > 0 { many(n-1, x...) }; return fill(x[1]) }\n" +
		"func sum(x []int) int { x = x[:1]; show(x); return x[0] }\nfunc show(x []int) { fmt.Println(x) }\n" +
		"func (y *v) first(x []int) int { return x[0] }\nfunc (y v) into(x []int) int { return copy(x, x[1:]) }\n"
	for _, c := range []struct {
		source string
		keeps  string // names, in order
	}{
		{"x := 1", "x"},
		{"x, y := 1, 2\nx = 3", "y"},
		{"x := 1\nx++", ""},
		{"x := 1\nx += 1", ""},
		{"x := 1\np := &x\n_ = p", "p"}, // what p points to is x: it stays too
		{"x := []int{1}\nx[0] = 2", ""},
		{"x := []int{1}\nfor i := range x {\n\tx[i] = i\n}", ""},
		{"x := []int{1}\nsort.Ints(x)", ""},
		{"x := []int{1}\nfmt.Println(x)", "x"},
		{"x := []int{1}\nn := sum(x)", "x n"},
		{"x, y := []int{1}, &v{}\nn := y.first(x)", "x y n"},
		{"x := []int{1}\ny := append(x, 2)", "x y"},
		{"x := map[int]int{}\ndelete(x, 1)", ""},
		{"x := map[int]int{}\nx[1]++", ""},
		{"x := v{}\nx.set()", ""},
		{"x := v{}\nx.get()", "x"},
		{"x := v{}\nx.peek()", "x"},
		{"x := &v{}\nx.peek()\nx.get()", "x"},
		{"x := v{}\nx.twice()", ""},
		{"x := &v{}\nx.set()", ""},
		{"x := v{}\nx.n = 1", ""},
		{"x := 1\nfunc() { x = 2 }()", ""},
		{"x := 1\nfor x = range 3 {\n}", ""},
		{"x := 1\n{\n\tx := 2\n\tx++\n}", "x"},
		{"x := 1\nx++\ny := x", ""},
		{"x := 1\nx++\ny := func() int { return x }", ""},
		{"x, err := fmt.Sscan(\"\")\ny, err := fmt.Sscan(\"\")", "x y"},
		{"x := regexp.MustCompile(\"a\")\nx.MatchString(\"a\")", "x"},
		{"var x int\nfmt.Sscan(\"1\", &x)", ""},
		{"var mu sync.Mutex\nmu.Lock()", ""},
		{"x := []int{1}\ny := x\ny = nil", "x"},
		{"x := []int{1}\ny := x[0]\ny++", "x"},
		{"x := []int{1}\ny := append([]int{}, x...)\ny[0] = 2", "x"},
		{"x := 1\nfunc f() { x++ }", "x"}, // begins anew in every program
		{"%%\nx := 1", ""},
	} {
		t.Run(c.source, func(t *testing.T) {
			s := newSession()
			run(t, s, Cell{Number: 1, Source: types})
			want := c.keeps
			if want == "p" {
				want = ""
			}
			must.Equal(t, strings.Join(run(t, s, Cell{Number: 2, Source: c.source}).Defines(), " "), want, "keeps")
		})
	}
}

// A cell that runs again replaces what it defined before; its own earlier definitions are not there for it.
func TestAgain(t *testing.T) {
	s := newSession()
	run(t, s, Cell{ID: "a", Number: 1, Source: "x := 1\ngone := 2"})
	run(t, s, Cell{ID: "b", Number: 2, Source: "y := x + 1"})
	if p := run(t, s, Cell{ID: "a", Number: 3, Source: "x := 5"}); len(p.Notes) > 0 {
		t.Errorf("notes %q about a cell that was run again", p.Notes)
	}
	decls, _ := body(run(t, s, Cell{ID: "c", Number: 4, Source: "y"}).Source)
	must.Equal(t, decls, "var y  = x + 1\nvar x  = 5")
	must.Refuse(s.Translate(Cell{ID: "c", Number: 5, Source: "gone"}))(t)
	for range 2 { // x of the other cell each time, not its own
		run(t, s, Cell{ID: "d", Number: 6, Source: "x := x + 1"})
	}
}

func TestNotes(t *testing.T) {
	s := newSession()
	run(t, s, Cell{ID: "a", Number: 1, Source: "x := 1"})
	run(t, s, Cell{ID: "b", Number: 2, Source: "func f() int { return x }\ny := f()"})
	p := run(t, s, Cell{ID: "c", Number: 3, Source: "x := 2"})
	want := []string{"x was defined in cell 1 too: this one counts from now on; what was computed from the " +
		"former value stays as it is: y of cell 2"}
	must.Equal(t, p.Notes, want)
	if p := run(t, s, Cell{ID: "d", Number: 4, Source: "x := 3"}); len(p.Notes) > 0 {
		t.Errorf("said a second time: %q", p.Notes)
	}
	run(t, s, Cell{ID: "e", Number: 5, Source: "n, err := fmt.Print()"})
	must.Equal(t, run(t, s, Cell{ID: "f", Number: 6, Source: "m, err := fmt.Print()"}).Notes, nil)
	p = run(t, s, Cell{ID: "g", Number: 7, Source: "var err *os.PathError"})
	must.Equal(t, p.Notes, []string{"err was defined in cell 6 too: this one counts from now on"})
}

// What a cell sets in its program alone is said.
func TestSettings(t *testing.T) {
	s := newSession()
	const alone = " is for this cell alone, which is a program of its own: "
	const set, call = alone + "set it in each cell that needs it", alone + "call it in each cell that needs it"
	for source, want := range map[string]string{
		"os.Setenv(\"A\", \"1\")": "what os.Setenv sets" + alone + "%env NAME VALUE sets it for all",
		"func f() { http.DefaultClient.Timeout = 1 }": "" +
			"this value of http.DefaultClient" + set,
		"http.Handle(\"/\", nil)":                        "what http.Handle sets" + call,
		"log.SetFlags(0)":                                "what log.SetFlags sets" + call,
		"args := os.Args\nargs[0] = \"x\"":               "this value of os.Args" + set,
		"time.AfterFunc(1, func() {})":                   "what time.AfterFunc sets" + call,
		"log.Default().SetFlags(0)":                      "what you set in log.Default" + set,
		"import \"flag\"\nn := flag.Int(\"n\", 3, \"\")": "what flag.Int sets" + call,
		"t := http.DefaultTransport.(*http.Transport)\nt.MaxIdleConns = 7": "" +
			"this value of http.DefaultTransport" + set,
		"import \"unsafe\"\nb := []int{1}\nc := unsafe.Slice(&b[0], 1)": "" +
			"a pointer that is kept leads other cells to its own value, and not to the memory around it that " +
			"package unsafe finds in this cell",
		"c := http.DefaultClient\nc = nil\nargs := os.Args\nargs = nil": "", "os.Getenv(\"A\")": "",
		"c := http.Client{}\nc.Timeout = 1": "", "u := url.Values{}\nu.Set(\"a\", \"b\")": "",
		"b := new(big.Int).SetInt64(4)": "", "l := log.Default()\nl.SetFlags(0)": "", // kept with its variable
		"func init() { fmt.Print(1) }": "init runs at the beginning of every cell from now on: if it is to run once, " +
			"write its statements into a cell; %rm init forgets it",
	} {
		must.Equal(t, strings.Join(run(t, s, Cell{Number: 1, Source: source}).Notes, "|"), want, source)
	}
}

// A page cannot change a variable of another cell.
func TestElsewhere(t *testing.T) {
	s := newSession()
	run(t, s, Cell{Number: 1, Source: "data := strings.Fields(\"b a\")"})
	run(t, s, Cell{Number: 2, Source: "fmt.Println(data)"})
	for _, source := range []string{"data[0] = \"c\"", "data = nil",
		"func() { data[0] += \"x\" }()"} {
		_, err := s.Translate(Cell{Number: 3, Source: source})
		must.Err(t, err, "data is defined in another cell, and a page cannot change it here")
	}
}

func TestListAndRemove(t *testing.T) {
	s := newSession()
	run(t, s, Cell{ID: "a", Number: 1, Source: "x := 1\ntype t int\nfunc (t) f() {}"}) // with an id, as in JupyterLab
	run(t, s, Cell{ID: "b", Number: 2, Source: "x := 2"})
	must.Equal(t, s.List(), "cell 1: t\ncell 1: t.f\ncell 2: x\n")
	must.Equal(t, len(s.Remove([]string{"x", "t.f"})), 3, "removed")
	must.Refuse(s.Translate(Cell{Number: 3, Source: "x"}))(t)
	s.Reset()
	must.Equal(t, s.List(), "", "not empty: ")
}

// A name of which only the older of two definitions is needed for another name brings the newer one into the program.
func TestNewestOfTwo(t *testing.T) {
	for range 20 { // the order in which names are looked up differs
		s := newSession()
		run(t, s, Cell{Number: 1, Source: "a, b := 1, 2"})
		run(t, s, Cell{Number: 2, Source: "a, c := 3, 4"})
		decls, _ := body(run(t, s, Cell{Number: 3, Source: "a + b"}).Source)
		if !strings.Contains(decls, "var _, b  = 1, 2") || !strings.Contains(decls, "var a, c  = 3, 4") {
			t.Fatalf("got\n%s", decls)
		}
	}
}

// An error at the end of a statement speaks of what was typed.
func TestEndOfStatement(t *testing.T) {
	_, err := newSession().Translate(Cell{Number: 1, Source: "x := 1\ny :="})
	if want := "cell 1, line 2: expected operand, found the end of the statement"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A complete file, pasted into a cell, is its program. A cell cannot be another package.
func TestPackage(t *testing.T) {
	s := newSession()
	const program = "// A program.\npackage main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }"
	if p := run(t, s, Cell{Number: 1, Source: program}); !strings.Contains(p.Source, "func main() { fmt.Println(1) }") {
		t.Errorf("got\n%s", p.Source)
	}
	_, err := s.Translate(Cell{Number: 1, Source: "package other\n\nfunc f() {}"})
	want := "cell 1, line 1: a cell is part of a program, whose package is main: leave the line package other out"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A statement cannot use a variable above its definition, itself or through functions.
func TestDefinedFirst(t *testing.T) {
	for _, c := range [][2]string{
		{"fmt.Println(area())\nw := math.Sqrt(9)\nfunc area() float64 { return w }",
			"line 1: area uses w, which has no value before line 2: put that line above this one"},
		{"var a = f()\nvar c = math.Sqrt(4)\nfunc f() float64 { return c }",
			"line 1: f uses c, which has no value before line 2"},
		{"fmt.Println(n)\nn := len(\"ab\")\nfunc f() int { return n }", "line 1: n has no value before line 2"},
		{"fmt.Println(old)\nold := 2\nfunc f() int { return old }",
			"line 1: old is defined anew in line 2, and a function uses it"},
		{"x := math.Sqrt(4)\ny := g()\nz := x\nfunc g() float64 { return h() }\nfunc h() float64 { return z }",
			"line 2: g uses z, which has no value before line 3"},
		{"show := func() { fmt.Println(f()) }\nn := len(\"a\")\nshow()\nfunc f() int { return n }", ""},
		{"n := len(\"a\")\nfmt.Println(f())\nfunc f() int { return n }", ""},
		{"later := 3\nold, c := later, old\nfunc f() int { return c }",
			"line 2: old is computed from an earlier old, and a function uses it: give it another name"},
		{"old := old + 1\nfunc f() int { return old }", "line 1: old is computed from an earlier old"},
		{"n, c := 3, n\nfunc f() int { return c }", "line 1: undefined: n: declare it in a line above"},
	} {
		s := newSession()
		run(t, s, Cell{Number: 1, Source: "old := 1"})
		s.Values = t.TempDir()
		_, err := s.Translate(Cell{Number: 2, Source: c[0]})
		if c[1] == "" {
			must.Do(t, err)
		} else {
			must.Err(t, err, c[1])
		}
	}
}

// What stands outside of a cell's own main would not run.
func TestOutsideMain(t *testing.T) {
	for _, source := range []string{"func main() {}\nfmt.Println(1)", "func main() {}\n%%\nfmt.Println(1)"} {
		_, err := newSession().Translate(Cell{Number: 1, Source: source})
		if err == nil || !strings.Contains(err.Error(), "would not run: put it into main") {
			t.Errorf("%q: %v", source, err)
		}
	}
}

func TestKeepable(t *testing.T) {
	s := newSession()
	s.Values = "values"
	run(t, s, Cell{Number: 1, Source: "import \"time\"\ntype visit struct {\n\ttime.Time\n\tN int\n}\ntype plain " +
		"struct {\n\tAt time.Time\n\tN int\n}"})
	for source, want := range map[string]bool{
		"v := append([]visit{}, visit{})":        true,
		"v := append([]struct{time.Time}{})":     true,
		"v := append([]plain{}, plain{})":        true,
		"v := time.Now()":                        true,
		"v := append([]time.Time{}, time.Now())": true,
	} {
		if p := run(t, s, Cell{Number: 2, Source: source}); strings.Contains(p.Source, "main_kept.Define(\"") != want {
			t.Errorf("%s: kept is not %v", source, want)
		}
	}
}

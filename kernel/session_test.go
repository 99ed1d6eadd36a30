package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/kernel/ipynb"
	"github.com/expfam/lab/kernel/jupyter"
)

// typed is a cell that somebody types, and what has to come of it: outputs as they stand, and an error by a regular expression in which
// N is the number of the cell.
type typed struct {
	name, source string
	want         string
	fails        string
}

// session is a first hour with Go in a notebook, and everything that can go wrong in it.
var session = []typed{
	{name: "an expression", source: "1 + 1", want: "2\n"},
	{name: "a definition", source: "x := 3"},
	{name: "in another cell", source: "x * 2", want: "6\n"},
	{name: "text", source: `"text"`, want: "text\n"},
	{name: "a slice", source: "[]float64{1, 2.5}", want: "[1 2.5]\n"},
	{name: "a constant of a package", source: "math.Pi", want: "3.141592653589793\n"},
	{name: "hidden by a semicolon", source: "x;"},
	{name: "hidden by _", source: "_ = x"},
	{name: "what prints is not shown", source: `fmt.Println("printed")`, want: "printed\n"},
	{name: "nothing", source: "  \n\n"},
	{name: "a comment alone", source: "// only a comment"},
	{name: "a comment behind", source: "x + 1 // more", want: "4\n"},
	{name: "a type with a method", source: "type point struct{ X, Y float64 }\n\nfunc (p point) norm() float64 { return math.Hypot(p.X, p.Y) }"},
	{name: "a value of it", source: "p := point{3, 4}\np.norm()", want: "5\n"},
	{name: "shown with its fields", source: "p", want: "{X:3 Y:4}\n"},
	{name: "a generic function", source: "func largest[T cmp.Ordered](all ...T) T {\n\treturn slices.Max(all)\n}\nlargest(3, 1, 2)", want: "3\n"},
	{name: "with another type", source: `largest("a", "b")`, want: "b\n"},
	{name: "a variable that changes", source: "n := 0\nfor i := range 4 {\n\tn += i\n}\nn", want: "6\n"},
	{name: "stays in its cell", source: "n + 1", fails: "^cell N, line 1: n changes in cell 18, line 3, so it stays in that cell\n    n \\+ 1\n    \\^\ngive it its last value in one expression there"},
	{name: "in one expression", source: "total := func() (sum int) {\n\tfor i := range 4 {\n\t\tsum += i\n\t}\n\treturn sum\n}()"},
	{name: "does not", source: "total", want: "6\n"},
	{name: "computed from what changes", source: "m := 1\nm++\ntwiceM := 2 * m\ntwiceM", want: "4\n"},
	{name: "stays too", source: "twiceM", fails: "twiceM is computed from m, which changes in cell 22, line 2, so it stays"},
	{name: "defined again", source: "x := 10", want: "x was defined in cell 2 too: this one counts from now on\n"},
	{name: "the later one counts", source: "x", want: "10\n"},
	{name: "and says so once", source: "x := 20\nx", want: "20\n"},
	{name: "changed elsewhere", source: "x = 11", fails: "x is defined in cell 26 and can change there alone"},
	{name: "computed from an earlier one", source: "x := x + 1\nx", want: "21\n"},
	{name: "stays", source: "x", fails: "x of cell 28 is computed from an earlier x, so it stays"},
	{name: "shadowed", source: "q := 1\nif q := 5; q > 4 {\n\tfmt.Println(\"inner\", q)\n}\nq", want: "inner 5\n1\n"},
	{name: "two results", source: "a, err := strconv.Atoi(\"12\")\na", want: "12\n"},
	{name: "the second", source: "err == nil", want: "true\n"},
	{name: "shown without a nil error", source: `strconv.Atoi("13")`, want: "13\n"},
	{name: "an error that nobody takes", source: `strconv.Atoi("x")`, fails: "^strconv.Atoi: parsing \"x\": invalid syntax\ncell N, line 1$"},
	{name: "a random number", source: "r, err := rand.IntN(1000000), error(nil)\nfmt.Sprint(r) != \"\"", want: "true\n"},
	{name: "stays what it was", source: "first := r\nfirst == r", want: "true\n"},
	{name: "in every cell", source: "first == r", want: "true\n"},
	{name: "slow", source: "began := time.Now()\npoints := func() []point { return []point{{1, rand.Float64()}} }()"},
	{name: "and kept", source: "fmt.Println(time.Since(began) > 0, points[0].X)\nsecond := points[0].Y\n_ = second", want: "true 1\n"},
	{name: "as it was", source: "second == points[0].Y", want: "true\n"},
	{name: "a goroutine", source: "done := make(chan int)\ngo func() { done <- 42 }()\n<-done", want: "42\n"},
	{name: "sorted", source: "data := []float64{3, 1, 2}\nsort.Float64s(data)\ndata", want: "[1 2 3]\n"},
	{name: "stays sorted there", source: "data[0]", fails: "data changes in cell 42, line 2"},
	{name: "unused variables", source: "var unused int\nfor i, v := range []string{\"a\"} {\n\tfmt.Println(v)\n}", want: "a\n"},
	{name: "an import", source: "import \"encoding/json\"\n\nb, err := json.Marshal(map[string]int{\"k\": 1})\nstring(b)", want: "{\"k\":1}\n"},
	{name: "lasts", source: "json.Valid(b)", want: "true\n"},
	{name: "a pointer receiver", source: "type counter struct{ n int }\n\nfunc (c *counter) add() { c.n++ }\n\nc := counter{}\nc.add()\nc.n", want: "1\n"},
	{name: "changes", source: "c.n", fails: "c changes in cell 47, line 6"},
	{name: "a function of a variable", source: "rate := 2.0\nfunc scaled(v float64) float64 { return rate * v }\nscaled(4)", want: "8\n"},
	{name: "follows it", source: "rate := 3.0\nscaled(1)", want: "rate was defined in cell 49 too: this one counts from now on\n3\n"},
	{name: "also later", source: "scaled(2)", want: "6\n"},
	{name: "a cell of GoNB", source: "func twice(x int) int { return 2 * x }\n\n%%\nlocal := twice(4)\nfmt.Println(local)", want: "8\n"},
	{name: "declares", source: "twice(5)", want: "10\n"},
	{name: "and keeps its variables", source: "local", fails: "undefined: local"},
	{name: "the shell", source: "!echo shell", want: "shell\n"},
	{name: "the shell and Go", source: "!echo first\ntwice(1)", want: "first\n2\n"},
	{name: "a test", source: "%test\nfunc TestTwice(t *testing.T) {\n\tif twice(2) != 4 {\n\t\tt.Error()\n\t}\n\tfmt.Println(\"tested\")\n}",
		want: "=== RUN   TestTwice\ntested\n--- PASS: TestTwice (0.00s)\nPASS\n"},
	{name: "a main of its own", source: "func main() {\n\tfmt.Println(\"main\")\n}", want: "main\n"},
	{name: "a switch", source: "switch v := any(p).(type) {\ncase point:\n\tfmt.Println(\"a point\")\n}", want: "a point\n"},
	{name: "a raw string with a command's sign", source: "`\n%not a command\n`", want: "\n%not a command\n\n"},
	{name: "a figure", source: "viz.Lines{Title: \"Up\", Lines: []viz.Line{{Name: \"a\", Y: []float64{1, 2}}}}", want: "[lines: Up; a]\n"},

	{name: "a bracket too few", source: "y := largest(1, 2", fails: "^cell N, line 1: this \\( has no \\)\n    y := largest\\(1, 2\n                \\^$"},
	{name: "a bracket too many", source: "fmt.Println(1))", fails: "line 1: unexpected \\)"},
	{name: "the wrong bracket", source: "fmt.Println(1]", fails: "line 1: unexpected ], expected \\)"},
	{name: "an operator too many", source: "y := 1\ny := := 2", fails: "line 2: expected operand"},
	{name: "a comma too few", source: "fmt.Println(1 2)", fails: "line 1: missing ',' in argument list"},
	{name: "a quote too few", source: "fmt.Println(\"a)", fails: "line 1: string literal not terminated"},
	{name: "a function without a body", source: "x1 := 1\nfunc bad( {\n}", fails: "line 2: "},
	{name: "a type that is no type", source: "type bad struct {\n\ta int,\n}", fails: "line 2: "},
	{name: "what fails defines nothing", source: "x1", fails: "undefined: x1"},

	{name: "a wrong type", source: "y := 1\nvar s string = y", fails: "^cell N, line 2: cannot use y \\(variable of type int\\) as string value"},
	{name: "an unknown name", source: "fmt.Println(totl)", fails: "undefined: totl\n.*\n.*\\^\ndid you mean total\\?"},
	{name: "of a package", source: "math.Sqr(2)", fails: "did you mean math.Sqrt\\?"},
	{name: "of a method", source: "p.nrm()", fails: "did you mean norm\\?"},
	{name: "of a field", source: "viz.Lines{Titel: \"a\"}", fails: "unknown field Titel .*\n.*\n.*\ndid you mean Title\\?"},
	{name: "an unknown package", source: "nopackage.Do()", fails: "if it is a package, import it"},
	{name: "a package that is not there", source: "import \"example.org/none\"", fails: "^cell N, line 1: package example.org/none: "},
	{name: "used before it is defined", source: "fmt.Println(later)\nlater := 1", fails: "it is defined further down, in line 2"},

	{name: "an error for people", source: "expfam.Must(os.ReadFile(\"nope\"))", fails: "^open nope: no such file or directory\ncell N, line 1$"},
	{name: "a fault in a function", source: "func third(s []int) int {\n\treturn s[3]\n}\n\nthird(nil)", fails: "^panic: runtime error: index out of range \\[3\\] with length 0\ncell N, line 2, in third\ncalled from cell N, line 5$"},
	{name: "a definition that fails", source: "broken := expfam.Must(os.ReadFile(\"nope\"))", fails: "open nope"},
	{name: "fails where it is used", source: "len(broken)", fails: "^open nope: no such file or directory\ncell 81, line 1$"},
	{name: "and can be mended", source: "broken := []byte(\"abc\")", want: "broken was defined in cell 81 too: this one counts from now on\n"},
	{name: "then it is there", source: "len(broken)", want: "3\n"},
}

// afterRestart are cells of the same session, run when the kernel was started anew.
var afterRestart = []typed{
	{name: "lost", source: "total + 1", fails: "undefined: total\n.*\n.*\\^\nthe cell that begins with \"total := func\\(\\) \\(sum int\\) {\" defines it and has not run since the kernel started: run the cells above first$"},
	{name: "never there", source: "nobody", fails: "undefined: nobody\n.*\n.*\\^\nno cell that ran defines it"},
	{name: "run again", source: "total := 7\ntotal", want: "7\n"},
	{name: "there", source: "total + 1", want: "8\n"},
}

// testSession types cells into the kernel as Jupyter would.
func testSession(t *testing.T, g gonb) {
	var sources []string
	for _, c := range session {
		sources = append(sources, c.source)
	}
	notebook := g.notebook(t, "typed", sources...)
	for _, part := range []struct {
		name  string
		cells []typed
	}{{"first", session}, {"restarted", afterRestart}} {
		k := g.start(t, g.home, map[string]string{"JPY_SESSION_NAME": notebook})
		if part.name == "first" {
			t.Run("Tab at once", func(t *testing.T) { completes(t, k) })
		}
		for i, c := range part.cells {
			t.Run(part.name+"/"+c.name, func(t *testing.T) {
				run := runCell(t, k, c.source, "")
				var shown strings.Builder
				for _, out := range run.outputs {
					if out.Type == ipynb.Stream {
						shown.WriteString(ansi.ReplaceAllString(out.Text, ""))
					}
					shown.WriteString(out.Content("text/plain"))
					if out.Type == ipynb.ExecuteResult {
						shown.WriteString("\n")
					}
				}
				if shown.String() != c.want {
					t.Errorf("cell %d shows %q, want %q", i+1, shown.String(), c.want)
				}
				fails := strings.ReplaceAll(c.fails, "N", fmt.Sprint(i+1))
				if text := run.text("error"); (c.fails == "") != (text == "") || !regexp.MustCompile(fails).MatchString(text) {
					t.Errorf("cell %d fails with\n%s\nwant\n%s", i+1, text, fails)
				}
				if (run.reply.Status == "ok") != (c.fails == "") {
					t.Errorf("status %s", run.reply.Status)
				}
			})
		}
		k.Stop()
	}
}

// TestSession types a session into the installed kernel.
func TestSession(t *testing.T) { testSession(t, installed(t)) }

// completes asks the installed kernel, which has just started, to complete a name of the library, and for the documentation of another.
func completes(t *testing.T, kernel *jupyter.Kernel) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i, code := range []string{"viz.Interv", "import \"github.com/expfam/lab/viz\"\n\n%%\nviz.Interv", "viz.Show(viz.Intervals{Dra"} {
		start := time.Now()
		got, err := kernel.Complete(ctx, code, len(code))
		want := []string{"Intervals", "Intervals", "Draws"}[i]
		if err != nil || len(got.Matches) == 0 || got.Matches[0] != want || got.Start != strings.LastIndexAny(code, ".{")+1 {
			t.Errorf("%q: %+v, %v", code, got, err)
		}
		t.Logf("completion after %.2f s", time.Since(start).Seconds())
	}
	const hover = "import \"github.com/expfam/lab/viz\"\n\n%%\nviz.Show()"
	start := time.Now()
	found, err := kernel.Inspect(ctx, hover, len(hover)-3)
	if all := fmt.Sprint(found); err != nil || !strings.Contains(all, "Show displays figures") {
		t.Errorf("inspect: %v %s", err, all)
	}
	t.Logf("documentation after %.2f s", time.Since(start).Seconds())
}

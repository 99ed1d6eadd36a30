// Package typed is a session in a notebook for tests: what somebody types, and what has to come of it.
package typed

import (
	"fmt"
	"regexp"
	"strings"
)

// Cell is a cell with the outcome that it must have. Want is its output as it stands. Fails is a regular expression for
// its error, in which N is the cell's number.
type Cell struct{ Name, Source, Want, Fails string }

// Compare returns an error that says how the output and the error of the cell, which has the number, differ from those
// wanted.
func (c Cell) Compare(number int, shown, failed string) error {
	if shown != c.Want {
		return fmt.Errorf("cell %d shows %q, want %q", number, shown, c.Want)
	}
	pattern := strings.ReplaceAll(c.Fails, "N", fmt.Sprint(number))
	if (pattern == "") != (failed == "") || !regexp.MustCompile(pattern).MatchString(failed) {
		return fmt.Errorf("cell %d fails with\n%s\nwant\n%s", number, failed, pattern)
	}
	return nil
}

// Session is a first hour with Go in a notebook, and everything that can go wrong in it.
var Session = []Cell{
	{Name: "an expression", Source: "1 + 1", Want: "2\n"},
	{Name: "a definition", Source: "x := 3"},
	{Name: "in another cell", Source: "x * 2", Want: "6\n"},
	{Name: "text", Source: `"text"`, Want: "text\n"},
	{Name: "a slice", Source: "[]float64{1, 2.5}", Want: "[1 2.5]\n"},
	{Name: "a constant of a package", Source: "math.Pi", Want: "3.141592653589793\n"},
	{Name: "hidden by a semicolon", Source: "x;"},
	{Name: "hidden by _", Source: "_ = x"},
	{Name: "what prints is not shown", Source: `fmt.Println("printed")`, Want: "printed\n"},
	{Name: "a comment alone", Source: "// only a comment"},
	{Name: "a comment behind", Source: "x + 1 // more", Want: "4\n"},
	{Name: "a type with a method", Source: "type point struct{ X, Y float64 }\n\nfunc (p point) norm() float64 { " +
		"return math.Hypot(p.X, p.Y) }"},
	{Name: "a value of it", Source: "p := point{3, 4}\np.norm()", Want: "5\n"},
	{Name: "shown with its fields", Source: "p", Want: "{X:3 Y:4}\n"},
	{Name: "a generic function", Source: "func largest[T cmp.Ordered](all ...T) T {\n\treturn " +
		"slices.Max(all)\n}\nlargest(3, 1, 2)", Want: "3\n"},
	{Name: "with another type", Source: `largest("a", "b")`, Want: "b\n"},
	{Name: "a variable that changes", Source: "n := 0\nfor i := range 4 {\n\tn += i\n}\nn", Want: "6\n"},
	{Name: "has its last value in the next", Source: "n + 1", Want: "7\n"},
	{Name: "in one expression", Source: "total := func() (sum int) {\n\tfor i := range 4 {\n\t\tsum += " +
		"i\n\t}\n\treturn sum\n}()"},
	{Name: "does not", Source: "total", Want: "6\n"},
	{Name: "computed from what changes", Source: "m := 1\nm++\ntwiceM := 2 * m\ntwiceM", Want: "4\n"},
	{Name: "is kept too", Source: "twiceM", Want: "4\n"},
	{Name: "defined again", Source: "x := 10", Want: "x was defined in cell 2 too: this one counts from now on\n"},
	{Name: "the later one counts", Source: "x", Want: "10\n"},
	{Name: "and says so once", Source: "x := 20\nx", Want: "20\n"},
	{Name: "changed elsewhere", Source: "x = 11"},
	{Name: "computed from an earlier one", Source: "x := x + 1\nx", Want: "12\n"},
	{Name: "is kept", Source: "x", Want: "12\n"},
	{Name: "shadowed", Source: "q := 1\nif q := 5; q > 4 {\n\tfmt.Println(\"inner\", q)\n}\nq", Want: "inner 5\n1\n"},
	{Name: "two results", Source: "a, err := strconv.Atoi(\"12\")\na", Want: "12\n"},
	{Name: "the second", Source: "err == nil", Want: "true\n"},
	{Name: "shown without a nil error", Source: `strconv.Atoi("13")`, Want: "13\n"},
	{Name: "an error that nobody takes", Source: `strconv.Atoi("x")`,
		Fails: "^strconv.Atoi: parsing \"x\": invalid syntax\ncell N, line 1$"},
	{Name: "a random number", Source: "r, err := rand.IntN(1000000), error(nil)\nfmt.Sprint(r) != \"\"",
		Want: "true\n"},
	{Name: "stays what it was", Source: "first := r\nfirst == r", Want: "true\n"},
	{Name: "in every cell", Source: "first == r", Want: "true\n"},
	{Name: "slow", Source: "began := time.Now()\npoints := func() []point { return []point{{1, rand.Float64()}} }()"},
	{Name: "and kept", Source: "fmt.Println(time.Since(began) > 0, points[0].X)\nsecond := points[0].Y\n_ = second",
		Want: "true 1\n"},
	{Name: "as it was", Source: "second == points[0].Y", Want: "true\n"},
	{Name: "a goroutine", Source: "done := make(chan int)\ngo func() { done <- 42 }()\n<-done", Want: "42\n"},
	{Name: "sorted", Source: "data := []float64{3, 1, 2}\nsort.Float64s(data)\ndata", Want: "[1 2 3]\n"},
	{Name: "stays sorted", Source: "data[0]", Want: "1\n"},
	{Name: "unused variables", Source: "var unused int\nfor i, v := range []string{\"a\"} {\n\tfmt.Println(v)\n}",
		Want: "a\n"},
	{Name: "an import", Source: "import \"encoding/json\"\n\nb, err := json.Marshal(map[string]int{\"k\": " +
		"1})\nstring(b)", Want: "{\"k\":1}\n"},
	{Name: "lasts", Source: "json.Valid(b)", Want: "true\n"},
	{Name: "a pointer receiver", Source: "type counter struct{ n int }\n\nfunc (c *counter) add() { c.n++ }\n\nc " +
		":= counter{}\nc.add()\nc.n", Want: "1\n"},
	{Name: "changes", Source: "c.n", Want: "1\n"},
	{Name: "a function of a variable", Source: "rate := 2.0\nfunc scaled(v float64) float64 { return rate * v " +
		"}\nscaled(4)", Want: "8\n"},
	{Name: "follows it", Source: "rate := 3.0\nscaled(1)",
		Want: "rate was defined in cell 48 too: this one counts from now on\n3\n"},
	{Name: "also later", Source: "scaled(2)", Want: "6\n"},
	{Name: "a cell of GoNB", Source: "func twice(x int) int { return 2 * x }\n\n%%\nlocal := " +
		"twice(4)\nfmt.Println(local)", Want: "8\n"},
	{Name: "declares", Source: "twice(5)", Want: "10\n"},
	{Name: "and keeps its variables", Source: "local", Fails: "undefined: local"},
	{Name: "the shell", Source: "!echo shell", Want: "shell\n"},
	{Name: "the shell and Go", Source: "!echo first\ntwice(1)", Want: "first\n2\n"},
	{Name: "a test", Source: "%test\nfunc TestTwice(t *testing.T) {\n\tif twice(2) != 4 " +
		"{\n\t\tt.Error()\n\t}\n\tfmt.Println(\"tested\")\n}",
		Want: "=== RUN   TestTwice\ntested\n--- PASS: TestTwice (0.00s)\nPASS\n"},
	{Name: "a main of its own", Source: "func main() {\n\tfmt.Println(\"main\")\n}", Want: "main\n"},
	{Name: "a switch", Source: "switch v := any(p).(type) {\ncase point:\n\tfmt.Println(\"a point\")\n}",
		Want: "a point\n"},
	{Name: "a raw string with a command's sign", Source: "`\n%not a command\n`", Want: "\n%not a command\n\n"},
	{Name: "a figure", Source: "viz.Lines{Title: \"Up\", Lines: []viz.Line{{Name: \"a\", Y: []float64{1, 2}}}}",
		Want: "[lines: Up; a]\n"},

	{Name: "a posterior", Source: "&expfam.Posterior{X: mat.NewDense(3, 2, []float64{1, 4, 2, 5, 3, 6}), Likelihood: " +
		"expfam.Likelihood{Family: expfam.Normal{SD: 1}}}", Want: "3 draws of θ in 2 cells: normal(sd=1) with theta " +
		"= x\ndraws of somebody else's sampler\n     cell  mean  sd  2.5%  median  97.5%\n        0     2   1  " +
		"1.05       2   2.95\n        1     5   1  4.05       5   5.95\n  average   3.5   1  2.55     3.5   4.45\n"},
	{Name: "a bracket too few", Source: "y := largest(1, 2",
		Fails: "^cell N, line 1: this \\( has no \\)\n    y := largest\\(1, 2\n                \\^$"},
	{Name: "a bracket too many", Source: "fmt.Println(1))", Fails: "line 1: unexpected \\)"},
	{Name: "the wrong bracket", Source: "fmt.Println(1]", Fails: "line 1: unexpected ], expected \\)"},
	{Name: "an operator too many", Source: "y := 1\ny := := 2", Fails: "line 2: expected operand"},
	{Name: "a comma too few", Source: "fmt.Println(1 2)", Fails: "line 1: missing ',' in argument list"},
	{Name: "a quote too few", Source: "fmt.Println(\"a)", Fails: "line 1: string literal not terminated"},
	{Name: "a function without a body", Source: "x1 := 1\nfunc bad( {\n}", Fails: "line 2: "},
	{Name: "a type that is no type", Source: "type bad struct {\n\ta int,\n}", Fails: "line 2: "},
	{Name: "what fails defines nothing", Source: "x1", Fails: "undefined: x1"},

	{Name: "a wrong type", Source: "y := 1\nvar s string = y",
		Fails: "^cell N, line 2: cannot use y \\(variable of type int\\) as string value"},
	{Name: "an unknown name", Source: "fmt.Println(totl)", Fails: "undefined: totl\n.*\n.*\\^\ndid you mean total\\?"},
	{Name: "of a package", Source: "math.Sqr(2)", Fails: "did you mean math.Sqrt\\?"},
	{Name: "of a method", Source: "p.nrm()", Fails: "did you mean norm\\?"},
	{Name: "of a field", Source: "viz.Lines{Titel: \"a\"}",
		Fails: "unknown field Titel .*\n.*\n.*\ndid you mean Title\\?"},
	{Name: "of a field, not of a method that nobody sees", Source: "diffusion.Sampler{Drws: 3}",
		Fails: "unknown field Drws .*\n.*\n.*\ndid you mean Draws\\?"},
	{Name: "an unknown package", Source: "quartz.Do()", Fails: "if it is a package, import it"},
	{Name: "a package that is not there", Source: "import \"example.org/none\"",
		Fails: "^cell N, line 1: package example.org/none is not there: type %get example.org/none@latest in a cell"},
	{Name: "used before it is defined", Source: "fmt.Println(later)\nlater := 1",
		Fails: "it is defined further down, in line 2"},

	{Name: "an error for people", Source: "expfam.Must(os.ReadFile(\"nope\"))",
		Fails: "^open nope: no such file or directory\ncell N, line 1$"},
	{Name: "a fault in a function", Source: "func third(s []int) int {\n\treturn s[3]\n}\n\nthird(nil)",
		Fails: "^panic: runtime error: index out of range \\[3\\] with length 0\ncell N, line 2, in third\ncalled " +
			"from cell N, line 5$"},
	{Name: "a definition that fails", Source: "broken := expfam.Must(os.ReadFile(\"nope\"))", Fails: "open nope"},
	{Name: "fails where it is used", Source: "len(broken)",
		Fails: "^open nope: no such file or directory\ncell 82, line 1$"},
	{Name: "and can be mended", Source: "broken := []byte(\"abc\")",
		Want: "broken was defined in cell 82 too: this one counts from now on\n"},
	{Name: "then it is there", Source: "len(broken)", Want: "3\n"},
	{Name: "filled by the library", Source: "field := make([]float64, 6)\ngp.RBF{Cells: 6}.Draw(expfam.Stream(1, " +
		"\"a\"), field)\nfield[0] != 0", Want: "true\n"},
	{Name: "is filled", Source: "field[0] != 0", Want: "true\n"},
	// Jupyter does not run it, and gives it no number.
	{Name: "nothing", Source: "  \n\n"},
}

// AfterRestart are cells of the same session, run when the kernel was started anew.
var AfterRestart = []Cell{
	{Name: "lost", Source: "total + 1", Fails: "undefined: total\n.*\n.*\\^\nthe cell that begins with \"total := " +
		"func\\(\\) \\(sum int\\) {\" defines it and has not run since the kernel started: run the cells above first$"},
	{Name: "never there", Source: "nobody", Fails: "undefined: nobody\n.*\n.*\\^\nno cell that ran defines it"},
	{Name: "run again", Source: "total := 7\ntotal", Want: "7\n"},
	{Name: "there", Source: "total + 1", Want: "8\n"},
}

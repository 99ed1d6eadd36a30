package cell

import (
	"strings"
	"testing"
)

// What %exec cannot call is refused at the place where it is typed.
func TestExecRefuses(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a function that nothing defines", "x := 1\n%exec nope",
			"cell 2, line 2: undefined: nope: no cell that ran defines it"},
		{"one that is misspelt", "%exec runn", "cell 2, line 1: undefined: runn: did you mean run?"},
		{"one that takes arguments", "\n%exec scale 3",
			"cell 2, line 2: %exec calls functions without arguments, and scale takes 1: call it in Go; what " +
				"stands behind the name becomes os.Args[1:]"},
		{"a variable", "%exec n", "cell 2, line 1: invalid operation: cannot call n"},
		{"no name", "%exec", "cell 2, line 1: %exec needs the name of a function: write it behind, as in %exec f"},
		{"a call with arguments", "%exec scale(3)",
			"cell 2, line 1: %exec needs the name of a function, and scale(3) is none: call functions with " +
				"arguments in Go, without %exec"},
		{"beside the cell's own main", "func main() {}\n%exec run",
			"cell 2, line 2: the cell has its own function main, so %exec would not run: call run in main, or " +
				"leave func main out"},
		{"twice", "%exec run\n%exec run", "cell 2, line 2: a cell has one %exec, and this is another: call the " +
			"functions in Go, each on a line of its own"},
	} {
		s := newSession()
		run(t, s, Cell{Number: 1, Source: "n := 1\nfunc run() {}\nfunc scale(x int) {}"})
		if _, err := s.Translate(Cell{Number: 2, Source: c.source}); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// %exec finds the definition of a name as typed, and an error that the function returns ends the cell.
func TestExecCalls(t *testing.T) {
	const fails = "func main_fail(err error) { panic(err) }"
	for _, c := range []struct{ before, source, decls, stmts string }{
		{"func run() {}", "%exec run() a b", "func run() {}", "run()"},
		{"func run(x ...int) {}", "%exec run", "func run(x ...int) {}", "run()"},
		{"func run() int { return 1 }", "%exec run", "func run() int { return 1 }", "run()"},
		{"func run() error { return nil }", "%exec run", "func run() error { return nil }\n" + fails,
			"if main_err := run(); main_err != nil { main_fail(main_err) }"},
		{"func run() (int, error) { return 1, nil }", "fmt.Print(1)\n%exec run",
			"func run() (int, error) { return 1, nil }\n" + fails,
			"fmt.Print(1)\n\tif _, main_err := run(); main_err != nil { main_fail(main_err) }"},
		{"", "%exec fmt.Println", "", "fmt.Println()"},
	} {
		s := newSession()
		run(t, s, Cell{Number: 1, Source: c.before})
		source := run(t, s, Cell{Number: 2, Source: c.source}).Source
		if decls, stmts := body(source); decls != c.decls || stmts != c.stmts {
			t.Errorf("%s: before main\n%s\nwant\n%s\nin main\n%s\nwant\n%s", c.source, decls, c.decls, stmts, c.stmts)
		}
		if strings.Contains(c.source, "fmt.Println") && !strings.Contains(source, `fmt "fmt"`) {
			t.Errorf("%s: no import of fmt in\n%s", c.source, source)
		}
	}
}

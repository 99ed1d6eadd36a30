package cell

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"
)

// call is the function that %exec calls.
type call struct {
	name string // as typed, without brackets behind it; "" if there is none
	at   int    // offset in the cell's text
	more bool   // the cell has another %exec before this one
	// results is, if the last result of the function is an error, the number of its results; otherwise 0.
	results int
}

// readCall reads the line of a command %exec, which begins at an offset of the cell's text.
func (s *script) readCall(words []string, start int) {
	c := &call{at: start, more: s.exec != nil}
	if len(words) > 1 {
		c.name = strings.TrimSuffix(words[1], "()")
		behind := start + strings.Index(s.text[start:], "exec") + len("exec")
		c.at = behind + max(0, strings.Index(s.text[behind:], words[1]))
	}
	s.exec = c
}

// root returns the name with which the name of the function begins, and the members that are selected from it: fmt and
// Println for fmt.Println.
func (c *call) root() (name string, members []string) {
	name, member, selects := strings.Cut(c.name, ".")
	if selects {
		members = []string{member}
	}
	return name, members
}

var callable = regexp.MustCompile(`^[\pL_][\pL\d_]*(\.[\pL_][\pL\d_]*)*$`)

// callsByName refuses a command %exec that cannot call anything, whatever cells define.
func (p *program) callsByName() error {
	c := p.exec
	if c == nil {
		return nil
	}
	wrong := func(text, help string) error { return Problems{p.entry.problem(c.at, text).with(help)} }
	switch {
	case c.more:
		return wrong("a cell has one %exec, and this is another", "call the functions in Go, each on a line of its own")
	case c.name == "":
		return wrong("%exec needs the name of a function", "write it behind, as in %exec f")
	case !callable.MatchString(c.name):
		return wrong("%exec needs the name of a function, and "+c.name+" is none",
			"call functions with arguments in Go, without %exec")
	case p.hasMain():
		return wrong("the cell has its own function main, so %exec would not run", "call "+c.name+
			" in main, or leave func main out")
	}
	return nil
}

// callsWithout refuses a function that %exec cannot call because it has parameters, and notes whether its last result
// is an error.
func (k *checked) callsWithout() error {
	c := k.exec
	if c == nil {
		return nil
	}
	f, is := k.pkg.Scope().Lookup(c.name).(*types.Func)
	if !is {
		return nil
	}
	if n := f.Signature().Params().Len(); n > 1 || n == 1 && !f.Signature().Variadic() {
		return Problems{k.entry.problem(c.at, fmt.Sprintf("%%exec calls functions without arguments, and %s takes %d",
			c.name, n)).
			with("call it in Go; what stands behind the name becomes os.Args[1:]")}
	}
	results := f.Signature().Results()
	if n := results.Len(); n > 0 && isError(results.At(n-1).Type()) {
		c.results, k.fails = n, true
	}
	return nil
}

// source returns the statement of main that calls the function, with its place in the cell. An error that the function
// returns ends the cell.
func (c *call) source(p *program) string {
	line, column := position(p.entry.script.text, c.at)
	text := fmt.Sprintf("/*line cell %d:%d:%d*/%s()", p.entry.number, line, column, c.name)
	if c.results > 0 {
		text = "if " + strings.Repeat("_, ", c.results-1) + "main_err := " + text +
			"; main_err != nil { main_fail(main_err) }"
	}
	return "\t" + text + "\n"
}

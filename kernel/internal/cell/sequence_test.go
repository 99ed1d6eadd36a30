//go:build unix

package cell

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// preamble is the first cell of each sequence. Its function show prints values with all that they lead to. It gives
// each place in memory a number when it first comes there, so that two values which share a place show the same number.
//
//go:embed testdata/preamble.txt
var preamble string

// A cell defines the functions step and inc anew. In one program they are variables.
const (
	stepInCells = "func step(n int) int { return n + 1 }\n"
	stepInOne   = "var step = func(n int) int { return n + 1 }\n"
	incInCells  = "func (l *lay) inc() { l.a++ }\n"
	incInOne    = "var by = 1\n\nfunc (l *lay) inc() { l.a += by }\n"
)

var inOneProgram = strings.NewReplacer(stepInCells, stepInOne, incInCells, incInOne, "type lay struct {",
	"type lay struct {\n\tlate int").Replace(preamble)

// variable of a random program.
type randomVar struct{ name, of string }

// sequence is a random sequence of cells.
type sequence struct {
	cells   []randomCell
	restart int // the cell before which the kernel restarts and all cells run again; 0 for none
}

type randomCell struct {
	source string
	one    []string // the same as statements of one program
	lost   bool     // its program ends before the cell does: nothing of it is kept
	killed bool     // its program is killed when it ends: all of it or nothing is kept
	of     int      // the cell that runs again, from 1; 0 for another one
}

// body returns the cells as the body of a function, without one of them unless it is -1.
func (s sequence) body(without int) string {
	var b strings.Builder
	blocks := 0
	b.WriteString("step, by = func(n int) int { return n + 1 }, 1\n")
	for k, c := range s.cells {
		if k == without || c.lost {
			continue
		}
		fmt.Fprintf(&b, "fmt.Println(\"== %d\")\n%s\n", k, strings.Join(c.one, "\n"))
		for _, line := range c.one {
			if line == "{" {
				blocks++
			}
		}
	}
	return b.String() + strings.Repeat("}\n", blocks)
}

// ends are statements with which a program ends early.
var ends = []string{"os.Exit(0)", "log.Fatal(\"stop\")", "select {}",
	"go func() { panic(\"x\") }(); time.Sleep(time.Hour)",
	"syscall.Kill(syscall.Getpid(), syscall.SIGINT); time.Sleep(time.Hour)", // the stop button
	"n := 1 << 46; _ = string(make([]byte, n))",                             // out of memory
	"debug.SetMaxStack(1 << 16); var f func(int) int; f = func(n int) int { return 1 + f(n+1) }; f(0)",
	"var mu sync.Mutex; mu.Lock(); mu.Lock()"}

// writer makes random statements.
type writer struct {
	rng    *rand.Rand
	vars   []randomVar
	count  int
	used   map[string]bool // variables of the cell
	pinned map[string]bool // variables in functions, which use the newest variable of a name
	late   bool            // type lay has the field late
}

func (w *writer) n(n int) int { return w.rng.IntN(n) }

// some returns a variable of a type; "" if there is none.
func (w *writer) some(of string) string {
	var all []string
	for _, v := range w.vars {
		if v.of == of {
			all = append(all, v.name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	name := all[w.n(len(all))]
	w.used[name] = true
	return name
}

// define returns a definition, and notes the variable.
func (w *writer) define(of, value string) string {
	w.count++
	name := fmt.Sprintf("x%d", w.count)
	if len(w.vars) > 0 && w.n(8) == 0 { // one of another cell anew, perhaps of another type
		if old := w.vars[w.n(len(w.vars))].name; !w.used[old] && !w.pinned[old] {
			name = old
			w.vars = slices.DeleteFunc(w.vars, func(v randomVar) bool { return v.name == name })
		}
	}
	w.used[name] = true
	w.vars = append(w.vars, randomVar{name, of})
	if w.n(3) == 0 && !strings.HasPrefix(value, "func") {
		return fmt.Sprintf("var %s %s = %s", name, of, value)
	}
	if of == "time.Duration" || of == "any" || of == "grower" || of == "error" {
		return fmt.Sprintf("var %s %s = %s", name, of, value)
	}
	return name + " := " + value
}

// statements has a statement a line. %T of a variable stands for one of that type, %T2 for the same one again, D:T=
// defines one, and # is a small number.
//
//go:embed testdata/statements.txt
var statements string

var templates = strings.Split(strings.TrimSpace(statements), "\n")

// statement returns a random statement of variables that there are.
func (w *writer) statement() string {
	for {
		if text, ok := w.fill(templates[w.n(len(templates))]); ok {
			return text
		}
	}
}

func (w *writer) fill(t string) (string, bool) {
	of := ""
	if rest, is := strings.CutPrefix(t, "L:"); is {
		if t = rest; !w.late {
			return "", false
		}
	}
	if rest, is := strings.CutPrefix(t, "D:"); is {
		of, t, _ = strings.Cut(rest, "=")
	}
	types := []string{"func() int", "func(int) int", "[]func() int", "map[string]*nd", "map[string]int",
		"*map[string]int",
		"map[*nd]int", "strings.Builder", "time.Duration", "*list.List", "list.List", "box[int]", "[][]int", "[]any",
		"[]*nd", "[]int", "*[]int", "[3]int", "*[3]int", "[]nd", "**nd", "*nd", "*int", "*emb", "emb", "nd", "int",
		"any", "grower", "error", "lay", "*lay", "[]lay", "map[string]*lay",
		"float64", "string"}
	slices.SortStableFunc(types, func(a, b string) int { return len(b) - len(a) })
	last := map[string]string{}
	for {
		at := strings.IndexByte(t, '%')
		if at < 0 {
			break
		}
		rest, found := t[at+1:], false
		if rest[0] == 'w' || rest[0] == 'd' { // verbs of fmt
			t = t[:at] + "\x00" + rest
			continue
		}
		for _, name := range types {
			if !strings.HasPrefix(rest, name) {
				continue
			}
			v := w.some(name)
			end := len(name)
			if strings.HasPrefix(rest[end:], "2") { // the same as before
				v, end = last[name], end+1
			}
			if v == "" {
				return "", false
			}
			last[name] = v
			w.pinned[v] = w.pinned[v] || strings.Contains(t, "func()") || strings.Contains(t, "func(n")
			t, found = t[:at]+v+rest[end:], true
			break
		}
		if !found {
			panic("no type in " + t)
		}
	}
	t = strings.ReplaceAll(strings.ReplaceAll(t, "\x00d", ""), "\x00", "%")
	for strings.Contains(t, "#5") {
		t = strings.Replace(t, "#5", fmt.Sprint(w.n(3)), 1)
	}
	for strings.Contains(t, "#") {
		t = strings.Replace(t, "#", fmt.Sprint(3+w.n(6)), 1)
	}
	if of != "" {
		return w.define(of, t), true
	}
	return t, true
}

// shows prints some variables, or all.
func (w *writer) shows(all bool) string {
	var args []string
	for _, v := range w.vars {
		if all || w.n(4) == 0 {
			args = append(args, "&"+v.name)
		}
	}
	if len(args) == 0 {
		return ""
	}
	return "fmt.Println(show(" + strings.Join(args, ", ") + "))"
}

// randomSequence makes a sequence from a seed. A statement that may fail at run time is the body of a function that
// recovers.
func randomSequence(seed uint64) sequence {
	w := &writer{rng: rand.New(rand.NewPCG(seed, 7)), pinned: map[string]bool{}}
	var s sequence
	again := 0 // the first cell that can run again
	for k := range 2 + w.n(4) {
		before := slices.Clone(w.vars)
		w.used = map[string]bool{}
		var c randomCell
		if w.n(10) == 0 && k > again {
			c = s.cells[again+w.n(k-again)]
			if !c.lost && !c.killed && c.of == 0 && !strings.Contains(strings.Join(c.one, "\n"), "func()") {
				for i := range s.cells {
					if s.cells[i].source == c.source {
						c.of = i + 1
					}
				}
				c.one = append([]string{"{"}, c.one...)
				s.cells = append(s.cells, c)
				continue
			}
			c = randomCell{}
		}
		var lines []string
		for range 2 + w.n(7) {
			names := len(w.vars)
			line := w.statement()
			defines := strings.HasPrefix(line, "var x") || strings.HasPrefix(line, "x") && strings.Contains(line, ":=")
			if !defines {
				line = "func() { defer func() { recover() }(); " + line + " }()"
			} else if name := w.vars[len(w.vars)-1].name; len(w.vars) == names { // defined anew
				c.one, again = append(c.one, "{", line, "_ = "+name), k+1
				lines = append(lines, line)
				continue
			} else {
				lines, c.one = append(lines, line), append(c.one, line, "_ = "+name)
				continue
			}
			lines, c.one = append(lines, line), append(c.one, line)
		}
		shown := w.shows(false)
		lines, c.one = append(lines, shown), append(c.one, shown)
		switch w.n(14) {
		case 0, 1: // the program ends early
			at := w.n(len(lines))
			lines = slices.Insert(lines, at, ends[w.n(len(ends))])
			c.lost, w.vars, again = true, before, k+1
		case 2: // the cell fails
			lines = append(lines, "panic(\"stop\")")
		case 3:
			if seed%4 == 0 && !slices.ContainsFunc(s.cells, func(c randomCell) bool { return c.killed }) {
				lines = append(lines, "fmt.Println(\""+killed+"\")")
				// What the cell defines anew is of one type or of the other.
				before = slices.DeleteFunc(before, func(v randomVar) bool { return !slices.Contains(w.vars, v) })
				c.killed, w.vars, again = true, before, k+1
			}
		case 4: // a function is defined anew
			n := w.n(9)
			lines = append(lines, fmt.Sprintf("func step(n int) int { return n + %d }", n))
			c.one, again = append([]string{fmt.Sprintf("step = func(n int) int { return n + %d }", n)}, c.one...), k+1
		case 5: // and a method
			n := w.n(9)
			lines = append(lines, fmt.Sprintf("func (l *lay) inc() { l.a += %d }", n))
			c.one, again = append([]string{fmt.Sprintf("by = %d", n)}, c.one...), k+1
		case 6: // an import is added
			lines = append([]string{"import u8 \"unicode/utf8\""}, append(lines, "fmt.Println(u8.RuneLen('ä'))")...)
			c.one, again = append(c.one, "fmt.Println(utf8.RuneLen('ä'))"), k+1
		case 7: // a type with a field more, in another order; sometimes with one less
			if text := "type lay struct { late int; c []int; a int; b string }"; !w.late && w.n(2) == 0 {
				if w.n(4) == 0 {
					text = "type lay struct { late int; c []int; a int }"
				}
				lines, again = append(lines, text), k+1
				w.late = true
			}
		}
		c.source = strings.Join(lines, "\n")
		s.cells = append(s.cells, c)
	}
	last := w.shows(true)
	s.cells = append(s.cells, randomCell{source: last, one: []string{last}})
	plain := !slices.ContainsFunc(s.cells, func(c randomCell) bool { return c.killed || c.of > 0 })
	if w.n(10) == 0 && plain {
		s.restart = 1 + w.n(len(s.cells)-1)
	}
	return s
}

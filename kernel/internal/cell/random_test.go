//go:build unix

package cell

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
)

var sequences = flag.Int("sequences", 0, "how many random sequences TestSequences compares with one Go program")

// preamble is the first cell of each sequence. Its function show prints values with all that they lead to. It gives
// each place in memory a number when it first comes there, so that two values which share a place show the same number.
const preamble = `type nd struct {
	v    int
	next *nd
	kids []*nd
	by   map[string]*nd
	any  any
}

func (n *nd) bump() { n.v++ }

type box[T any] struct {
	val T
	ptr *T
}

type emb struct {
	nd
	tag string
	arr [3]int
}

type grower interface{ grow() int }
type sq struct{ side int }

func (s *sq) grow() int { s.side++; return s.side }

func part(s []int, a, b, c int) []int {
	c = min(c, cap(s))
	b = min(b, c)
	return s[min(a, b):b:c]
}

func at[T any](s []T, i int) *T {
	if i < len(s) {
		return &s[i]
	}
	return new(T)
}

func show(all ...any) string {
	places, seen, out := map[uintptr]int{}, map[string]bool{}, ""
	number := func(p uintptr) int {
		if _, is := places[p]; !is {
			places[p] = len(places)
		}
		return places[p]
	}
	var walk func(v reflect.Value, depth int)
	walk = func(v reflect.Value, depth int) {
		if depth > 60 {
			return
		}
		at := ""
		if v.CanAddr() && v.Type().Size() > 0 {
			at = fmt.Sprint("@", number(v.Addr().Pointer()))
		}
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() {
				out += "nil "
				return
			}
			out += fmt.Sprint("&", number(v.Pointer()), " ")
			if key := fmt.Sprint(v.Pointer(), v.Type()); !seen[key] {
				seen[key] = true
				walk(v.Elem(), depth+1)
			}
		case reflect.Slice:
			if v.IsNil() {
				out += "nil "
				return
			}
			out += fmt.Sprint("[", v.Len(), "/", v.Cap(), " ")
			if v.Cap() > 0 {
				out += fmt.Sprint(number(v.Slice(0, v.Cap()).Pointer()), " ")
				if key := fmt.Sprint(v.Pointer(), v.Type(), v.Cap()); !seen[key] {
					seen[key] = true
					for i := range v.Cap() {
						walk(v.Slice(0, v.Cap()).Index(i), depth+1)
					}
				}
			}
			out += "] "
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i), depth+1)
			}
		case reflect.Struct:
			out += at + "{"
			for i := range v.NumField() {
				walk(v.Field(i), depth+1)
			}
			out += "} "
		case reflect.Map:
			if v.IsNil() {
				out += "nil "
				return
			}
			out += fmt.Sprint("map", number(v.Pointer()), "[")
			if key := fmt.Sprint(v.Pointer()); !seen[key] {
				seen[key] = true
				keys := v.MapKeys()
				sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
				if v.Type().Key().Kind() != reflect.String {
					out += fmt.Sprint(len(keys), " keys")
					keys = nil
				}
				for _, k := range keys {
					out += fmt.Sprint(k, ":")
					walk(v.MapIndex(k), depth+1)
				}
			}
			out += "] "
		case reflect.Interface:
			if v.IsNil() {
				out += "nil "
				return
			}
			out += v.Elem().Type().String() + " "
			walk(v.Elem(), depth+1)
		case reflect.Func:
			out += fmt.Sprint("func ", v.IsNil(), " ")
		default:
			out += fmt.Sprint(at, "=", v, " ")
		}
	}
	for _, x := range all {
		walk(reflect.ValueOf(x).Elem(), 0)
		out += "; "
	}
	return out
}`

// variable of a random program. A function that has it cannot tell later which of two variables of one name it means:
// it uses the newest, as docs/cells.md has it, so that name is not taken for another.
type randomVar struct {
	name, of string
	captured bool
}

// sequence is a random sequence of cells, and the same as the body of one function.
type sequence struct {
	cells     []string
	lost      map[int]bool // cells that end before they return from main: nothing of them is kept
	restarted map[int]bool // cells before which the kernel starts anew
	one       string
}

// endings end a program before its cell returns from main: a person stops it, or it fails where nothing recovers.
var endings = []string{
	"os.Exit(0)",
	"if p, err := os.FindProcess(os.Getpid()); err == nil { p.Signal(os.Interrupt); time.Sleep(10 * time.Second) }",
	"if p, err := os.FindProcess(os.Getpid()); err == nil { p.Kill(); time.Sleep(10 * time.Second) }",
	"select {}",
	"go func() { panic(\"elsewhere\") }(); time.Sleep(10 * time.Second)",
	"fmt.Println(len(make([]byte, 1<<46)))",
	"func() { m := map[int]int{}; go func() { for { m[1]++ } }(); for { m[2]++ } }()",
}

// writer makes random statements.
type writer struct {
	rng   *rand.Rand
	vars  []randomVar
	count int
	names map[string]string // what cells call a variable that the one program calls by the key
	here  map[string]bool   // what the cell has named so far
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
	return all[w.n(len(all))]
}

// define returns a definition, and notes the variable.
func (w *writer) define(of, value string) string {
	w.count++
	name := fmt.Sprintf("x%d", w.count)
	w.names[name] = name
	if k := w.n(6 * max(1, len(w.vars))); k < len(w.vars) && !w.vars[k].captured && !w.here[w.names[w.vars[k].name]] {
		w.names[name] = w.names[w.vars[k].name] // the definition of a name anew, often with another type
		w.vars = slices.Delete(slices.Clone(w.vars), k, k+1)
	}
	w.here[w.names[name]] = true
	w.vars = append(w.vars, randomVar{name: name, of: of})
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

// capture notes that a function has a variable.
func (w *writer) capture(name string) {
	w.vars = slices.Clone(w.vars)
	for i := range w.vars {
		w.vars[i].captured = w.vars[i].captured || w.vars[i].name == name
	}
}

// cell returns statements of the one program with the names that variables have in cells.
func (w *writer) cell(lines []string) string {
	text := strings.Join(lines, "\n")
	return variableNames.ReplaceAllStringFunc(text, func(name string) string { return w.names[name] })
}

var variableNames = regexp.MustCompile(`\bx\d+\b`)

func (w *writer) fill(t string) (string, bool) {
	of := ""
	if rest, is := strings.CutPrefix(t, "D:"); is {
		of, t, _ = strings.Cut(rest, "=")
	}
	types := []string{"func() int", "func(int) int", "[]func() int", "map[string]*nd", "map[string]int",
		"*map[string]int",
		"map[*nd]int", "strings.Builder", "time.Duration", "*list.List", "list.List", "box[int]", "[][]int", "[]any",
		"[]*nd", "[]int", "*[]int", "[3]int", "*[3]int", "[]nd", "**nd", "*nd", "*int", "*emb", "emb", "nd", "int",
		"any", "grower", "error",
		"float64", "string"}
	slices.SortStableFunc(types, func(a, b string) int { return len(b) - len(a) })
	last, whole := map[string]string{}, t
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
			last[name], w.here[w.names[v]] = v, true
			if strings.Contains(whole, "func") {
				w.capture(v)
			}
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
	w := &writer{rng: rand.New(rand.NewPCG(seed, 7)), names: map[string]string{}}
	s := sequence{lost: map[int]bool{}, restarted: map[int]bool{}}
	var one strings.Builder
	for k := range 2 + w.n(4) {
		if k > 0 && w.n(20) == 0 {
			s.restarted[k], w.vars = true, nil
		}
		before, from := slices.Clone(w.vars), w.count
		w.here = map[string]bool{}
		var lines []string
		for range 2 + w.n(7) {
			line := w.statement()
			if !strings.HasPrefix(line, "var x") && !(strings.HasPrefix(line, "x") && strings.Contains(line, ":=")) {
				line = "func() { defer func() { recover() }(); " + line + " }()"
			}
			lines = append(lines, line)
		}
		lines = append(lines, w.shows(false))
		one.WriteString(fmt.Sprintf("fmt.Println(\"== %d\")\n", k))
		switch w.n(14) {
		case 0: // the program ends before the cell does
			s.cells = append(s.cells, w.cell(append(lines, endings[w.n(len(endings))])))
			s.lost[k], w.vars = true, before
			continue
		case 1: // the cell fails after some statements
			s.cells = append(s.cells, w.cell(append(lines, "panic(\"stop\")")))
		default:
			s.cells = append(s.cells, w.cell(lines))
		}
		one.WriteString(strings.Join(lines, "\n") + "\n")
		for i := from; i < w.count; i++ {
			fmt.Fprintf(&one, "_ = x%d\n", i+1)
		}
	}
	last := w.shows(true)
	s.cells = append(s.cells, w.cell([]string{last}))
	fmt.Fprintf(&one, "fmt.Println(\"== %d\")\n%s\n", len(s.cells)-1, last)
	s.one = one.String()
	return s
}

// TestSequences compares random sequences of cells with the same statements in one Go program: what each cell prints of
// some variables, and what the last one prints of all. A cell may be refused by a sentence, and then the sequence ends.
func TestSequences(t *testing.T) {
	n := *sequences
	switch {
	case testing.Short():
		t.Skip("compiles programs; not with -short")
	case n == 0 && *fulltest.Full:
		n = 5000
	case n == 0:
		n = 4
	}
	first := uint64(0)
	fmt.Sscan(os.Getenv("SEQUENCES_FROM"), &first)
	tools := newTools(t)
	const batch = 12
	for from := first; from < first+uint64(n); from += batch {
		t.Run(fmt.Sprint("from ", from), func(t *testing.T) {
			t.Parallel()
			var all []sequence
			for i := from; i < min(from+batch, first+uint64(n)); i++ {
				all = append(all, randomSequence(i))
			}
			want := together(t, tools, all)
			for i, s := range all {
				compareSequence(t, tools, from+uint64(i), s, want[i])
			}
			t.Logf("%d sequences are done", len(all))
		})
	}
}

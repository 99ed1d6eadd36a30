//go:build unix

package cell

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
)

var sequences = flag.Int("sequences", 0, "how many random sequences of cells TestSequences compares with one Go program")

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

// variable of a random program.
type randomVar struct{ name, of string }

// sequence is a random sequence of cells, and the same as the body of one function.
type sequence struct {
	cells []string
	lost  map[int]bool // cells that end by os.Exit: nothing of them is kept
	one   string
}

// writer makes random statements.
type writer struct {
	rng   *rand.Rand
	vars  []randomVar
	count int
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
	w.vars = append(w.vars, randomVar{name, of})
	if w.n(3) == 0 && !strings.HasPrefix(value, "func") {
		return fmt.Sprintf("var %s %s = %s", name, of, value)
	}
	if of == "time.Duration" || of == "any" || of == "grower" || of == "error" {
		return fmt.Sprintf("var %s %s = %s", name, of, value)
	}
	return name + " := " + value
}

// templates are statements. %T of a variable stands for one of that type, D:T= defines one, and # is a small number.
var templates = []string{
	"D:int=#", "D:string=\"a#\"", "D:[]int=[]int{#, #, #, #}", "D:[]int=make([]int, #, 9)", "D:[3]int=[3]int{#, #}",
	"D:map[string]int=map[string]int{\"a\": #, \"b\": #}", "D:*nd=&nd{v: #}", "D:[]nd=make([]nd, 5)",
	"D:[]*nd=[]*nd{{v: #}, nil, {v: #}}", "D:map[string]*nd=map[string]*nd{\"a\": {v: #}}", "D:nd=nd{v: #}",
	"D:emb=emb{tag: \"t\", arr: [3]int{#, #, #}}", "D:box[int]=box[int]{val: #}", "D:any=[]int{#, #}",
	"D:grower=&sq{#}", "D:error=fmt.Errorf(\"e#: %w\", io.EOF)", "D:[][]int=[][]int{{#, #}, {#}}", "D:float64=float64(#) / 3",
	"D:strings.Builder=strings.Builder{}", "D:*int=new(int)", "D:list.List=list.List{}", "D:time.Duration=#",
	"D:*int=&%int", "D:*int=at(%[]int, 0)", "D:*int=&%[3]int[1]", "D:[]int=part(%[]int, 1, 3, 9)", "D:[]int=part(%[]int, 0, 2, 3)",
	"D:[]int=%[3]int[:]", "D:[]int=append(%[]int, #)", "D:[]int=append(part(%[]int, 0, 1, 9), #)", "D:*nd=&%nd", "D:*nd=at(%[]nd, #5)",
	"D:*nd=&%emb.nd", "D:*int=&%emb.nd.v", "D:[]int=%emb.arr[:2]", "D:*emb=&%emb", "D:nd=*%*nd", "D:emb=%emb",
	"D:map[string]int=%map[string]int", "D:*map[string]int=&%map[string]int", "D:any=%*nd", "D:any=%map[string]int",
	"D:any=%emb", "D:*int=&%box[int].val", "D:box[int]=%box[int]", "D:[]*nd=append(%[]*nd, %*nd)", "D:[3]int=%[3]int",
	"D:[][]int=[][]int{%[]int, %[]int}", "D:[]nd=%[]nd[:len(%[]nd2)/2]", "D:**nd=&%*nd", "D:*[]int=&%[]int", "D:grower=%grower",
	"D:*[3]int=&%[3]int", "D:[]any=[]any{%*nd, %[]int, #, \"s\"}", "D:func() int=func() int { %int++; return %int }",
	"D:func() int=func() int { %[]int[0] += 2; return len(%[]int) }", "D:func() int=%grower.grow", "D:error=errors.Join(%error, io.EOF)",
	"D:func(int) int=func(n int) int { return 2 * n }", "D:[]func() int=[]func() int{%func() int, func() int { return #%d }}",
	"D:map[*nd]int=map[*nd]int{%*nd: #}", "D:map[any]string=map[any]string{%int: \"i\", %*nd: \"n\"}", "D:*list.List=&%list.List",
	"%int = #", "%int += 3", "*%*int = #", "*%*int += 1", "%*int = &%int", "%[]int[0] = #", "%[]int[0]++", "%[]int = append(%[]int, #)",
	"%[]int = %[]int[:1]", "%[3]int[2] = #", "%*[3]int[1] = #", "%map[string]int[\"c\"] = #", "delete(%map[string]int, \"a\")",
	"(*%*map[string]int)[\"d\"] = #", "%*nd.v = #", "%*nd.next = %*nd", "%*nd.next = &%[]nd[#5]", "%[]nd[#5].next = %*nd",
	"%[]nd[#5].v += #", "%nd.kids = append(%nd.kids, %*nd)", "%*nd.any = %[]int", "%*nd.by = map[string]*nd{\"x\": %*nd}",
	"%emb.v = #", "%emb.arr[1]++", "%*emb.tag += \"z\"", "%*emb.bump()", "%*nd.bump()", "%box[int].ptr = &%box[int].val",
	"%box[int].ptr = &%int", "if %box[int].ptr != nil { *%box[int].ptr = # }", "%[]*nd[0] = %*nd", "%[]*nd[1] = &%nd",
	"if q, is := %any.([]int); is { q[0] = # }", "if q, is := %any.(*nd); is { q.v = # }", "if q, is := %any.(map[string]int); is { q[\"z\"] = # }",
	"%any = %[]int", "%any = %*emb", "%grower.grow()", "%[][]int[0][0] = #", "%[][]int[0], %[][]int[1] = %[][]int[1], %[][]int[0]",
	"(**%**nd).v = #", "*%**nd = %*nd", "*%*[]int = append(*%*[]int, #)", "(*%*[]int)[0] = #", "sort.Ints(%[]int)", "slices.Reverse(%[]int)",
	"copy(%[]int, %[]int)", "_ = append(%[]int[:0], #)", "%strings.Builder.WriteString(\"b#\")", "fmt.Println(%func() int())",
	"fmt.Println(%func(int) int(#))", "for _, f := range %[]func() int { fmt.Print(f(), \" \") }", "for q := %*nd; q != nil && q.v < 50; q = q.next { q.v += 7 }",
	"%list.List.PushBack(%*nd)", "if e := %*list.List.Front(); e != nil { e.Value.(*nd).v++ }", "fmt.Println(errors.Is(%error, io.EOF))",
	"for _, p := range []*int{&%int, %*int} { *p += 5 }", "{ y := %[]int; y[0] = # }", "{ y := %map[string]int; y[\"y\"] = # }",
	"%map[string]*nd[\"b\"] = %*nd", "%map[string]*nd[\"a\"].v = #", "for k := range %map[*nd]int { k.v++ }", "%map[*nd]int[%*nd] = #",
	"var wg sync.WaitGroup; for i := range %[]nd { wg.Go(func() { %[]nd2[i].v += i }) }; wg.Wait()", "%*nd, %*nd = %*nd, %*nd",
	"%func() int = func() int { return %int + # }", "%nd = *%*nd", "%[]any[0].(*nd).v++", "%float64 *= 1.5", "%time.Duration += time.Second",
	"func() { %int = # }()", "%*int = &%[]int[0]", "clear(%map[string]int)", "%[]nd = append(%[]nd, nd{v: #})",
}

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
	if rest, is := strings.CutPrefix(t, "D:"); is {
		of, t, _ = strings.Cut(rest, "=")
	}
	types := []string{"func() int", "func(int) int", "[]func() int", "map[string]*nd", "map[string]int", "*map[string]int",
		"map[*nd]int", "strings.Builder", "time.Duration", "*list.List", "list.List", "box[int]", "[][]int", "[]any", "[]*nd",
		"[]int", "*[]int", "[3]int", "*[3]int", "[]nd", "**nd", "*nd", "*int", "*emb", "emb", "nd", "int", "any", "grower", "error",
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
	w := &writer{rng: rand.New(rand.NewPCG(seed, 7))}
	s := sequence{lost: map[int]bool{}}
	var one strings.Builder
	for k := range 2 + w.n(4) {
		before := slices.Clone(w.vars)
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
			s.cells = append(s.cells, strings.Join(lines, "\n")+"\nos.Exit(0)")
			s.lost[k], w.vars = true, before
			continue
		case 1: // the cell fails after some statements
			s.cells = append(s.cells, strings.Join(lines, "\n")+"\npanic(\"stop\")")
		default:
			s.cells = append(s.cells, strings.Join(lines, "\n"))
		}
		one.WriteString(strings.Join(lines, "\n") + "\n")
		for _, v := range w.vars[len(before):] {
			fmt.Fprintf(&one, "_ = %s\n", v.name)
		}
	}
	s.cells = append(s.cells, w.shows(true))
	fmt.Fprintf(&one, "fmt.Println(\"== %d\")\n%s\n", len(s.cells)-1, w.shows(true))
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
		})
	}
}

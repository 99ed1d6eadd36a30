//go:build unix

package cell

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// act runs the program of a cell in a folder, and returns what it shows and says.
func act(t *testing.T, s *Session, dir string, c Cell) (shown string, err error) {
	t.Helper()
	p, err := s.Translate(c)
	if err != nil {
		return "", err
	}
	s.Commit(p)
	if p.Source == "" {
		return "", nil
	}
	path := filepath.Join(dir, "main.go")
	if err := os.WriteFile(path, []byte(p.Source), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-gcflags=-N -l", "-o", program, path) // here, where package keep is
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, p.Source)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, problems.String())
	}
	return out.String() + problems.String(), nil
}

// Whatever acts does so once: its values are kept, or a later cell that needs them is refused.
func TestEffectsHappenOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a dozen programs; not with -short")
	}
	t.Parallel()
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "created %d", posts.Add(1))
	}))
	const order = "f, _ := os.OpenFile(\"acts\", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); f.WriteString(\"x\"); " +
		"f.Close()"
	everyDay := map[string]bool{"a nil error": true, "an error": true, "unexported fields": true, "a pointer": true,
		"what depends": true, "in between": true, "one post": true, "its body": true, "a closure alone": true,
		"with names that others take": true, "once more": true, "behind an interface": true, "a buffer": true,
		"a function of a variable": true, "of what changed since": true, "functions in a slice": true,
		"from what stays": true, "exchanged by a definition": true,
		"a hash": true, "a large number": true, "a writer and a logger": true}
	for name, c := range map[string]struct {
		cells []string
		want  string // what the last cell shows, or part of its error
	}{
		"a nil error": {[]string{"_, runErr := exec.Command(\"sh\", \"-c\", \"printf x >> acts\").Output()",
			"runErr == nil", "runErr"}, "<nil>\n"},
		"an error": {[]string{"_, runErr := exec.Command(\"sh\", \"-c\", \"printf x >> acts; exit " +
			"3\").Output()", "runErr"}, "exit status 3\n"},
		"an output": {[]string{"out, err := exec.Command(\"sh\", \"-c\", \"printf x >> acts; echo " +
			"y\").Output()", "string(out)", "err == nil && len(out) == 2"}, "true\n"},
		"unexported fields": {[]string{"type receipt struct{ id int; tags []string; at time.Time }\nfunc order() " +
			"receipt { " + order + "; return receipt{7, []string{\"a\"}, time.Unix(9, 0).UTC()} }\nr := order()", "r",
			"fmt.Sprint(r.id, r.tags, r.at.Unix())"}, "7 [a] 9\n"},
		"nested": {[]string{"type line struct{ n int; X float64 }\ntype bill struct{ lines []line; total " +
			"*int }\ntype many []line\nfunc order() many { " + order + "; return many{{1, 2}, {3, 4}} }\nr := order()",
			"r[1].n", "r"}, "[{n:1 X:2} {n:3 X:4}]\n"},
		"a pointer": {[]string{"func once() *int { " + order + "; n := 3; return &n }\np := once()", "*p",
			"*p + 1"}, "4\n"},
		"a pointer to them": {[]string{"type box struct{ n, m int }\nfunc once() *box { " + order +
			"; return &box{m: 5} }\np := once()", "p.m", "*p"}, "{n:0 m:5}\n"},
		"a nil pointer": {[]string{"func once() *int { " + order + "; return nil }\np := once()", "p == nil",
			"p == nil"}, "true\n"},
		"what depends": {[]string{"func order() func() int { " + order +
			"; return func() int { return 4 } }\nr := order()\nn := r()", "n", "n + 1"}, "5\n"},
		"in between": {[]string{"func order() func() int { " + order +
			"; return func() int { return 4 } }\nr := order()", "n := r()"},
			"r of cell 1 would be computed again here, and os.OpenFile called again: it cannot be kept"},
		"through a function": {[]string{"func order() (int, error) { " + order + "; return 4, nil }\nr, err := order()",
			"func twice() int { return 2 * r }\ntwice()", "twice() + r"}, "12\n"},
		"a generic type": {[]string{"type pair[T any] struct{ a, b T }\nfunc order() pair[int] { " + order +
			"; return pair[int]{1, 2} }\nr := order()", "r", "r.b"}, "2\n"},
		"an alias": {[]string{"type ids = []int\nfunc order() ids { " + order +
			"; return ids{1, 2} }\nr := order()", "var s ids = r\ns[1]"}, "2\n"},
		"a closure": {[]string{"order := func() int { " + order + "; return 1 }\nr := order()", "r"}, "1\n"},
		"of a closure": {[]string{"order := func() func() { " + order + "; return nil }\nr := order()", "r == nil"},
			"r of cell 1 would be computed again here"},
		"a closure alone": {[]string{"order := func() { " + order + " }", "order()"}, ""},
		"with names that others take": {[]string{"func order() int { b := 4; " + order + "; return b }\nr := order()",
			"b := 7\nerr := 8", "r"}, "4\n"},
		"once more": {[]string{"n := time.Now().UnixNano()", "was := n", "%again n\nis := n", "n == is && n != was"},
			"true\n"},
		"a buffer": {[]string{"buf := &bytes.Buffer{}\nfmt.Fprint(buf, 1)\n" + order, "fmt.Fprint(buf, 2)",
			"buf.String()"}, "12\n"},
		"of what changed since": {[]string{"u := url.URL{Host: \"a\"}\n" + order, "func host(u url.URL) func() " +
			"string { return func() string { return u.Host } }\ng := host(u)", "u.Host = \"b\"", "g() + u.Host"},
			"ab\n"},
		"functions in a slice": {[]string{"var fs []func() int\nfs = append(fs, func() int { return 1 })\n" + order,
			"fs[0]()"}, "its last value is not there: it cannot be kept, because it holds a function"},
		"from what stays": {[]string{"rd := bufio.NewReader(strings.NewReader(\"ab\"))\nline, err := " +
			"rd.ReadString('b')\n" + order, "line"}, "ab\n"},
		"exchanged by a definition": {[]string{"x := 10\n" + order, "y := x + 1", "x, y := y, x", "10*x + y"}, "120\n"},
		"a hash": {[]string{"h := sha256.New()\nh.Write([]byte(\"a\"))\n" + order, "h.Size()"},
			"its last value is not there: it cannot be kept, because it holds a sha256.Digest"},
		"a large number": {[]string{"n := big.NewInt(2)\n" + order, "n.Neg(n)\nn.Neg(n)", "n"}, "2\n"},
		"a writer and a logger": {[]string{"var out io.Writer = os.Stdout\nlg := log.New(out, \"\", 0)\nlg.Print(1)\n" +
			order, "fmt.Fprintln(out, 2)\nlg.Print(3)"}, "2\n3\n"},
		"a function of a variable": {[]string{"x := 5\ng := func() int { return x }\n" + order, "x = 6", "x++\ng()"},
			"7\n"},
		"behind an interface": {[]string{"type shape interface{ area() int }\ntype square struct{ s int }\nfunc (s " +
			"square) area() int { return s.s * s.s }\nall := []shape{square{2}}\n" + order,
			"all = append(all, square{3})",
			"sum := 0\nfor _, s := range all {\n\tsum += s.area()\n}\nsum"}, "13\n"},
		"a recursive type": {[]string{"type node struct{ n int; next []node }\nfunc order() node { " + order +
			"; return node{n: 1} }\nr := order()", "r.n"}, "1\n"},
		"a test": {[]string{"func order() func() { " + order + "; return nil }\nr := order()",
			"%test\nfunc TestR(t *testing.T) { r() }"}, "r of cell 1 would be computed again here"},
		"one post": {[]string{"resp, err := http.Post(\"" + server.URL +
			"\", \"text/plain\", nil)\nbody, err2 := io.ReadAll(resp.Body)",
			"string(body[:7])", "err == nil && err2 == nil", "resp.Status"},
			"resp of cell 1 would be computed again here, and http.Post called again: it cannot be kept, because it " +
				"holds an http."},
		"its body": {[]string{"func post() []byte { resp, _ := http.Post(\"" + server.URL +
			"\", \"text/plain\", nil); b, _ := io.ReadAll(resp.Body); return b }\nbody := post()",
			"string(body[:7])", "len(body) > 7"}, "true\n"},
	} {
		if !*fulltest.Full && !everyDay[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := newSession(), t.TempDir()
			s.Values = filepath.Join(dir, "values")
			must.Do(t, os.Mkdir(s.Values, 0o700))
			for i, source := range c.cells {
				shown, err := act(t, s, dir, Cell{Number: i + 1, Source: source})
				switch {
				case i+1 < len(c.cells) && err != nil:
					t.Fatalf("cell %d: %v", i+1, err)
				case i+1 < len(c.cells):
				case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)), err == nil &&
					shown != c.want:
					t.Errorf("the last shows %q, %v; want %q", shown, err, c.want)
				}
			}
			if acts, _ := os.ReadFile(filepath.Join(dir, "acts")); strings.Contains(c.cells[0], "acts") &&
				string(acts) != "x" {
				t.Errorf("it acted %d times", len(acts))
			}
		})
	}
	t.Cleanup(func() {
		server.Close()
		must.Equal(t, posts.Load(), 2, "posts of two cells")
	})
}

// Functions that act are told from others of their names.
func TestWhatActs(t *testing.T) {
	for source, want := range map[string]string{
		"func f() func() { os.Remove(\"a\"); return nil }":                                          "os.Remove",
		"func f() func() { os.MkdirAll(\"a\", 0o700); return nil }":                                 "os.MkdirAll",
		"func f() func() { g(); return nil }\nfunc g() { h() }\nfunc " + "h() { os.Create(\"a\") }": "os.Create",
		"func f() func() { defer os.Rename(\"a\", \"b\"); return nil }":                             "os.Rename",
		"func f() func() { go func() { os.Remove(\"a\") }(); return nil }":                          "os.Remove",
		"func f() func() { g := os.Remove; g(\"a\"); return nil }":                                  "os.Remove",
		"func f() func() { sort.Slice(nil, func(i, j int) bool { " +
			"os.Remove(\"a\"); return false }); return nil }": "os.Remove",
		"type t struct{}\nfunc (t) put() { os.Remove(\"a\") }\nfunc " +
			"f() func() { t{}.put(); return nil }": "os.Remove",
		"type t struct{}\nfunc (t) put() { os.Remove(\"a\") }\ntype putter interface{ put() }\nfunc f() func() { " +
			"putter(t{}).put(); return nil }": "os.Remove",
		"func do[T any](x T) { os.Remove(\"a\") }\nfunc f() func() { do(1); return nil }": "os.Remove",
		"func f() func() { (&http.Client{}).Do(nil); return nil }":                        "http.Client.Do",
		"func f() func() { http.Get(\"a\"); return nil }":                                 "http.Get",
		"var ops = map[string]func() func(){\"a\": func() func() { os.Remove(\"a\"); return nil }}\n" +
			"func f() func() { return ops[\"a\"]() }": "os.Remove",
		"func mk() func() func() { return func() func() { os.Remove(\"a\"); return nil } }\nvar h = mk()\n" +
			"func f() func() { return h() }": "os.Remove",
		"type s struct{ put func() }\nfunc f() func() { x := " +
			"s{func() { os.Remove(\"a\") }}; x.put(); return nil }": "os.Remove",
		"type s struct{ put func() }\nfunc do(x *s) { x.put() }\n" +
			"func f() func() { do(&s{put: func() { os.Remove(\"a\") }}); return nil }": "os.Remove",
		"type w struct{}\nfunc (w) Write(p []byte) (int, error) { return 0, os.Remove(\"a\") }\n" +
			"func f() func() { fmt.Fprint(w{}, 1); return nil }": "os.Remove",
		"type w struct{}\nfunc (*w) Write(p []byte) (int, error) { return 0, os.Remove(\"a\") }\n" +
			"func f() func() { var to io.Writer = &w{}; io.Copy(to, nil); return nil }": "os.Remove",
		"type w struct{}\nfunc (w) String() string { os.Remove(\"a\"); return \"\" }\n" +
			"func f() func() { fmt.Println(w{}); return nil }": "os.Remove",
		"type w struct{}\nfunc (w) Write(p []byte) (int, error) { return 0, os.Remove(\"a\") }\n" +
			"func f() func() { fmt.Println(w{}); return nil }": "",
		"func f() func() { exec.Command(\"a\").Run(); return nil }": "exec.Cmd.Run",
		"func f() func() { exec.Command(\"a\"); return nil }":       "",
		"func f() func() { http.Header{}.Get(\"a\"); return nil }":  "",
		"func f() func() { os.ReadFile(\"a\"); os.Open(\"a\"); " +
			"os.Setenv(\"a\", \"b\"); return nil }": "",
		"func f() func() { fmt.Println(1); return nil }":                                  "",
		"func f() func() { return sync.OnceFunc(func() { os.Remove(\"a\") }) }":           "",
		"func f() func() { type fn func(); return fn(func() { " + "os.Remove(\"a\") }) }": "",
		"type fn func()\nfunc do(g fn) { g() }\nfunc f() func() { " +
			"do(fn(func() { os.Remove(\"a\") })); return nil }": "os.Remove",
		"func f() func() { return func() { os.Remove(\"a\") } }": "",
		"type t struct{}\nfunc (t) put() { os.Remove(\"a\") }\nfunc (t) get() {}\n" +
			"func f() func() { t{}.get(); return " + "nil }": "",
	} {
		s := newSession()
		s.Values = t.TempDir()
		run(t, s, Cell{Number: 1, Source: source})
		run(t, s, Cell{Number: 2, Source: "r := f()"})
		_, err := s.Translate(Cell{Number: 3, Source: "r == nil"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(),
			"r of cell 2 would be computed again here, and "+want+" called again")) {
			t.Errorf("%s: error %v, want %q in it", source, err, want)
		}
	}
}

// A file of a value that was put in the place of another is not taken for it, and nothing in its place is waited for.
func TestExchangedValues(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs; not with -short")
	}
	t.Parallel()
	s, dir := newSession(), t.TempDir()
	s.Values = t.TempDir()
	must.Get(act(t, s, dir, Cell{Number: 1, Source: "a, b, c := len(os.Args)+10, len(os.Args)+20, len(os.Args)+30"}))(t)
	file := func(name string) string {
		found, err := filepath.Glob(filepath.Join(s.Values, "*-"+name))
		if err != nil || len(found) != 1 {
			t.Fatalf("files of %s: %v, %v", name, found, err)
		}
		return found[0]
	}
	a, b := file("a"), file("b")
	for _, move := range [][2]string{{a, a + "~"}, {b, a}, {a + "~", b}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	if shown, err := act(t, s, dir, Cell{Number: 2, Source: "a + b"}); shown != "32\n" {
		t.Errorf("exchanged values show %q, %v", shown, err)
	}
	for _, path := range []string{a, b} {
		os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
	}
	if shown, err := act(t, s, dir, Cell{Number: 3, Source: "a + b"}); shown != "32\n" {
		t.Errorf("with a pipe: %q, %v", shown, err)
	}
}

// A value that is computed again, and is another one each time, is remarked on.
func TestVaryingValues(t *testing.T) {
	for source, by := range map[string]string{
		`r := map[string]any{"x": rand.Float64()}`:     "rand.Float64",
		"r := []any{time.Now()}":                       "time.Now",
		"func f() any { return rand.N(10) }\nr := f()": "rand.N",
		"func f() func() float64 { x := rand.NormFloat64(); return " +
			"func() float64 { return x } }\nr := f()": "rand.NormFloat64",
		"x, r := any(1), rand.Perm(3)":                    "rand.Perm",
		"r := rand.Perm(3)":                               "", // kept
		"r := any(rand.New(rand.NewPCG(1, 2)).Float64())": "",
		"r := func() float64 { return rand.Float64() }":   "",
		"r := any(time.Unix(1, 0))":                       "",
	} {
		s := newSession()
		s.Values = t.TempDir()
		run(t, s, Cell{Number: 1, Source: source})
		p, err := s.Translate(Cell{Number: 2, Source: "fmt.Sprint(r) == \"\""})
		note := "computed again here, by " + by + ", and is another value in each cell"
		if err != nil || (by != "") != strings.Contains(strings.Join(p.Notes, "|"), note) {
			t.Errorf("%s: notes %q, error %v; want %q", source, p.Notes, err, by)
		}
	}
}

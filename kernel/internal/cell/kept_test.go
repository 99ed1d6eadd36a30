//go:build unix

package cell

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A value that is loaded is what it was, to the last bit, or is computed again.
func TestKeptAsTheyWere(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs; not with -short")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		define, ask, want string
		kept              bool // in a file
	}{
		"nil slices": {"func f(n int) []int { return make([]int, n)[:0] }\nfunc g() []int { return nil }\na, b := " +
			"f(1), g()",
			"fmt.Sprint(a == nil, b == nil)", "false true\n", true},
		"a nil map": {"func g() map[int]int { return nil }\na := g()", "a == nil", "true\n", true},
		"empty map": {"func g() map[int]int { return map[int]int{} }\na := g()", "a == nil", "false\n", true},
		"nil fields": {"type t struct{ a, b []int }\nfunc g() t { return t{a: []int{}} }\nx := g()",
			"fmt.Sprint(x.a == nil, x.b == nil)", "false true\n", true},
		"nil in a slice": {"func g() [][]int { return [][]int{nil, {}, {1}} }\nx := g()",
			"fmt.Sprint(x[0] == nil, x[1] == nil, x[2])", "true false [1]\n", true},
		"a zone": {"func g() time.Time { return time.Unix(9, 0).In(time.FixedZone(\"A\", 3600)) }\nx := g()",
			"fmt.Sprint(x)", "1970-01-01 01:00:09 +0100 A\n", true},
		"UTC": {"func g() time.Time { return time.Unix(9, 0).UTC() }\nx := g()", "x.Unix()", "9\n", true},
		"now": {"x := time.Now()", "x.IsZero()", "false\n", true},
		"minus zero": {"type t struct{ X float64 }\nfunc g() t { return t{math.Copysign(0, -1)} }\nx := g()", "1 / x.X",
			"-Inf\n", true},
		"NaN": {"func g() []float64 { return []float64{math.NaN(), 1} }\nx := g()", "fmt.Sprint(x)", "[NaN 1]\n",
			true},
		"one pointer twice": {"type t struct{ n int }\nfunc g() (*t, *t) { x := &t{1}; return x, x }\na, b := g()",
			"a == b",
			"false\n", true},
		"a pointer of another": {"type t struct{ n int }\nfunc g() *t { return &t{1} }\nfunc same(x *t) *t { " +
			"return x }\na := g()\n" +
			"b := same(a)", "a == b", "false\n", true},
		"a pointer in a function": {"type t struct{ n int }\nfunc g() *t { return &t{1} }\na := g()\nfunc get() *t " +
			"{ return a }\n" +
			"b := get()", "a == b", "false\n", true},
		"an error that is a nil pointer": {"type e struct{ s string; n int }\nfunc (x *e) Error() string { return " +
			"x.s }\n" +
			"func g() (int, error) { var x *e; return 3, x }\nn, err := g()", "fmt.Sprint(n, err == nil)", "3 false\n",
			true},
		"a literal that changes": {"var l = sort.IntSlice{3, 1, 2}", "sort.Sort(l)\nl[0]", "1\n", false},
		"methods in the same cell": {"type e struct{ n int }\nfunc (x e) Error() string { return \"e\" }\nfunc g() " +
			"e { order(); return e{4} }\n" +
			"func order() { os.Remove(\"none\") }\nx := g()", "errors.Is(x, e{4})", "true\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := newSession(), t.TempDir()
			s.Values = t.TempDir()
			must.Get(act(t, s, dir, Cell{Number: 1, Source: c.define}))(t)
			if strings.Contains(c.define, "type e ") {
				run(t, s, Cell{Number: 9, Source: "func (x *e) later() int { return x.n }"})
			}
			if files, _ := filepath.Glob(filepath.Join(s.Values, "*-*")); (len(files) > 0) != c.kept {
				t.Errorf("files %q", files)
			}
			must.Equal(t, must.Get(act(t, s, dir, Cell{Number: 2, Source: c.ask}))(t), c.want)
		})
	}
}

package store

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

type shape interface{ Area() float64 }
type circle struct{ R float64 }
type square struct{ R float64 }
type scale float64
type rate float64

func (c circle) Area() float64 { return math.Pi * c.R * c.R }
func (s square) Area() float64 { return s.R * s.R }

type formula struct {
	text string
	eval func(float64) float64
}

func (f formula) String() string { return f.text }

type config struct {
	Name   string
	Shape  shape
	Grid   []float64
	Tags   map[string]int
	Parent *config
	hidden int
}

func base() config {
	return config{"a", circle{1}, []float64{0, 0.1}, map[string]int{"x": 1, "y": 2}, &config{Name: "p"}, 3}
}

func TestKeyIsStable(t *testing.T) {
	t.Run("equal values", func(t *testing.T) {
		for range 20 { // map order changes from run to run
			first, again := Key(base(), 7), Key(base(), 7)
			must.Need(t, first == again, "keys of equal values differ")
		}
	})
	t.Run("across versions", func(t *testing.T) {
		// SHA-256 of "1\n\"a\"\n[0,0.1,\"NaN\"]\n", from sha256sum: a change
		// of the canonical form would make every stored result unfindable.
		const want = "d70eedc324fb09df8ca0713ab8568a252436153e3f1979099e1a35afbee8cd05"
		must.Equal(t, Key(1, "a", []float64{0, 0.1, math.NaN()}), want, "key")
	})
	t.Run("nil and empty slices", func(t *testing.T) {
		must.Equal(t, Key([]int(nil)), Key([]int{}), "a nil slice has another key than an empty one")
	})
	t.Run("text of a function", func(t *testing.T) {
		first, again := Key(formula{"exp(x)", math.Exp}), Key(formula{"exp(x)", math.Exp})
		must.Be(t, first == again, "keys of equal formulas differ")
	})
}

func TestKeySeesEveryChange(t *testing.T) {
	keys := map[string]string{Key(base()): "base"}
	add := func(name string, parts ...any) {
		t.Helper()
		key := Key(parts...)
		other, taken := keys[key]
		must.Be(t, !taken, "%s has the key of %s", name, other)
		keys[key] = name
	}
	change := func(name string, edit func(*config)) {
		t.Helper()
		c := base()
		edit(&c)
		add(name, c)
	}
	change("string", func(c *config) { c.Name = "b" })
	change("type behind an interface", func(c *config) { c.Shape = square{1} })
	change("last bit of a number", func(c *config) { c.Grid[1] = math.Nextafter(0.1, 1) })
	change("map value", func(c *config) { c.Tags["x"] = 3 })
	change("map key", func(c *config) { delete(c.Tags, "x"); c.Tags["z"] = 1 })
	change("pointed-to value", func(c *config) { c.Parent.Name = "q" })
	change("nil pointer", func(c *config) { c.Parent = nil })
	change("unexported field", func(c *config) { c.hidden = 4 })
	add("named number", scale(1))
	add("other named number", rate(1))
	add("parts (ab, c)", "ab", "c")
	add("parts (a, bc)", "a", "bc")
	add("formula", formula{"exp(x)", math.Exp})
	add("other formula", formula{"exp(2*x)", math.Exp})
	add("text in Latin-1", "S\xe3o")
	add("another text in Latin-1", "S\xe1o")
	add("text with the replacement character", "S\ufffdo")
	add("infinity", math.Inf(1))
	add("text that looks like infinity", []string{"+Inf"})
}

func TestKeyRefuses(t *testing.T) {
	type loop struct{ Next *loop }
	ring := &loop{}
	ring.Next = ring
	for name, c := range map[string]struct {
		part any
		want string
	}{
		"function":  {struct{ F func() }{func() {}}, "F: a func has no canonical form"},
		"channel":   {make(chan int), "a chan has no canonical form"},
		"self loop": {ring, "nested more than"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				text, _ := recover().(string)
				must.Be(t, strings.Contains(text, c.want), "panic %q, want %q in it", text, c.want)
			}()
			Key(c.part)
		})
	}
}

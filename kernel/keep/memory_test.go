package keep

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

type node struct {
	id   int
	up   *node
	next []*node
	any  any
}

// behind are types behind interfaces, which programs of cells name to the memory.
var behind = []reflect.Type{reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](),
	reflect.TypeFor[map[string]*node](), reflect.TypeFor[[]int](), reflect.TypeFor[**node]()}

// again saves variables as one program, and loads them as the next one.
func again(t *testing.T, dir string, program int, save []any, load []any, types ...reflect.Type) {
	t.Helper()
	m := Open(dir, program).Types(types...)
	m.Define(save...)
	m.End()
	for key, r := range must.Get(Read(dir))(t).Roots {
		if r.Why != "" {
			t.Fatalf("%s: %s", key, r.Why)
		}
	}
	Open(dir, program+1).Types(types...).Types(behind...).Load(load...)
}

func TestAgain(t *testing.T) {
	zone := time.FixedZone("x", 3600)
	for name, value := range map[string]any{
		"number": 3, "text": "äb", "nan": math.NaN(), "slice": []int{1, 2}, "empty": []int{}, "none": []int(nil),
		"room": make([]int, 1, 8), "map": map[string][]int{"a": {1}, "b": nil}, "of pointers": map[*int]int{},
		"array": [3]string{"a", "", "c"}, "any": []any{1, "a", []any{2.5, nil}, map[string]any{"x": 1}},
		"pair": struct {
			a int8
			b float64
		}{1, 2}, "time": time.Now().Round(0), "zone": time.Unix(3, 4).In(zone), "utc": time.Unix(3, 4).UTC(),
		"big": big.NewInt(1 << 60), "regexp": regexp.MustCompile("a(b|c)*"), "error": error(errors.New("x")),
		"wrapped": fmt.Errorf("y: %w", io.EOF), "addr": netip.MustParseAddr("fe80::1%eth0"),
		"type": []any{reflect.TypeFor[time.Duration]()}, "bytes": []byte("abc"), "complex": 1 + 2i,
		"list":   func() *list.List { l := list.New(); l.PushBack(1); l.PushBack("b"); return l }(),
		"buffer": bytes.NewBufferString("abc"), "zeros": []struct{}{{}, {}}, "rune": 'x',
		"big map": func() map[int]float64 {
			m := map[int]float64{}
			for i := range 1000 {
				m[i] = float64(i) / 3
			}
			return m
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			from := reflect.New(reflect.TypeOf(value))
			from.Elem().Set(reflect.ValueOf(value))
			to := reflect.New(reflect.TypeOf(value))
			again(t, t.TempDir(), 1, []any{"x", from.Interface()}, []any{"x", to.Interface()})
			if want, got := fmt.Sprintf("%+v", from.Elem()), fmt.Sprintf("%+v", to.Elem()); name != "list" &&
				name != "regexp" && name != "buffer" && name != "type" && want != got {
				t.Errorf("%s, want %s", got, want)
			}
			if name != "nan" && name != "of pointers" &&
				!reflect.DeepEqual(from.Elem().Interface(), to.Elem().Interface()) {
				t.Errorf("%#v, want %#v", to.Elem(), from.Elem())
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	s := make([]node, 6)
	for i := range s {
		s[i].id, s[i].up = i, &s[i]
	}
	s[0].up, s[3].up, s[2].up, s[4].up = &s[1], &s[4], &s[1], &s[5]
	top, row := &s[2].id, s[1:3]
	var sb strings.Builder
	sb.WriteString("hi")
	w := io.Writer(&sb)
	a := [5]int{1, 2, 3, 4, 5}
	x, y := a[1:3:3], a[2:4]
	var m sync.Map
	m.Store("k", top)
	var s2, row2 []node
	var top2 *int
	var sb2 strings.Builder
	var w2 io.Writer
	var a2 [5]int
	var x2, y2 []int
	var m2 sync.Map
	again(t, dir, 1, []any{"s", &s, "top", &top, "row", &row, "sb", &sb, "w", &w, "a", &a, "x", &x, "y", &y, "m", &m},
		[]any{"s", &s2, "top", &top2, "row", &row2, "sb", &sb2, "w", &w2, "a", &a2, "x", &x2, "y", &y2, "m", &m2},
		reflect.TypeFor[strings.Builder]())
	must.Be(t, s2[0].up == &s2[1] && s2[4].up == &s2[5] && s2[5].up == &s2[5], "pointers into a slice")
	must.Be(t, top2 == &s2[2].id && &row2[0] == &s2[1] && cap(row2) == 5, "a window")
	fmt.Fprint(w2, " you")
	must.Equal(t, sb2.String(), "hi you", "builder")
	x2[1] = 9
	must.Be(t, y2[0] == 9 && a2[2] == 9, "windows of an array")
	v, _ := m2.Load("k")
	must.Be(t, v.(*int) == top2, "sync.Map")
}

// A change by one name is there under another one that the program does not mention.
func TestOtherNames(t *testing.T) {
	dir := t.TempDir()
	a := &node{id: 1}
	b := []*node{a, {id: 2, up: a}}
	var b2 []*node
	again(t, dir, 1, []any{"a", &a, "b", &b}, []any{"b", &b2})
	var onlyA *node
	m := Open(dir, 2).Load("a", &onlyA)
	onlyA.id, onlyA.next = 7, []*node{{id: 8}}
	m.End()
	var b3 []*node
	m = Open(dir, 3).Load("b", &b3)
	must.Be(t, b3[0] == b3[1].up && b3[0].id == 7 && b3[0].next[0].id == 8, "a change by a is not in b")
	b3[0].next[0].id = 9
	b3[0] = nil
	m.End()
	var a4 *node
	m = Open(dir, 4).Load("a", &a4)
	must.Be(t, a4.id == 7 && a4.next[0].id == 9, "a change by b is not in a")
	a4.any = make(chan int)
	m.End()
	roots := must.Get(Read(dir))(t).Roots
	must.Equal(t, roots["b"].Why+"; "+roots["a"].Why, "it holds a channel; it holds a channel", "why")
}

// sick is an error that cannot be kept, and of which not even the text can be had.
type sick struct{ c chan int }

func (s *sick) Error() string { return fmt.Sprint("capacity ", 1/cap(s.c)) }

// An error whose own methods panic costs other values nothing.
func TestSickErrors(t *testing.T) {
	dir, x, x2 := t.TempDir(), 3, 0
	err, err2 := error(&sick{make(chan int)}), error(nil)
	again(t, dir, 1, []any{"err", &err, "x", &x}, []any{"err", &err2, "x", &x2})
	must.Be(t, x2 == 3 && strings.Contains(err2.Error(), "divide by zero"), "x is %d and the error %v", x2, err2)
}

// TestGraphs keeps random graphs of lists, slices, windows, maps and interfaces, and compares what is read with what
// was written by a walk in step of its own.
func TestGraphs(t *testing.T) {
	n := 60
	if *fulltest.Full {
		n = 20000
	}
	dir := ""
	for seed := range uint64(n) {
		if seed%50 == 0 {
			os.RemoveAll(dir)
			dir = t.TempDir()
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		arena, loose := make([]node, 1+rng.IntN(6)), make([]*node, 1+rng.IntN(6))
		for i := range loose {
			loose[i] = &node{id: rng.IntN(100)}
		}
		some := func() *node {
			if rng.IntN(2) == 0 {
				return &arena[rng.IntN(len(arena))]
			}
			return loose[rng.IntN(len(loose))]
		}
		numbers := make([]int, 6, 9)
		for range 30 {
			x := some()
			switch rng.IntN(6) {
			case 0:
				x.id = rng.IntN(100)
			case 1:
				x.up = some()
			case 2:
				x.next = append(x.next, some(), some())
			case 3:
				x.any = []any{some(), rng.IntN(9), map[string]*node{"a": some(), "b": some()}}
			case 4:
				x.any = numbers[rng.IntN(3) : 3+rng.IntN(3)]
			case 5:
				x.any = &x.up
			}
		}
		window, at := arena[:rng.IntN(len(arena)+1)], &numbers[rng.IntN(6)]
		var arena2, window2 []node
		var loose2 []*node
		var at2 *int
		var numbers2 []int
		again(t, dir, int(2*seed)+1,
			[]any{"arena", &arena, "loose", &loose, "window", &window, "at", &at, "n", &numbers},
			[]any{"arena", &arena2, "loose", &loose2, "window", &window2, "at", &at2, "n", &numbers2},
			reflect.TypeFor[node]())
		w := step{map[uintptr]uintptr{}, map[string]bool{}}
		for _, pair := range [][2]any{{&arena, &arena2}, {&loose, &loose2}, {&window, &window2}, {&at, &at2},
			{&numbers, &numbers2}} {
			if err := w.same(reflect.ValueOf(pair[0]).Elem(), reflect.ValueOf(pair[1]).Elem()); err != nil {
				t.Fatalf("graph %d: %v", seed, err)
			}
		}
	}
}

// step compares two graphs. Each place of the first has one place in the second.
type step struct {
	places map[uintptr]uintptr
	seen   map[string]bool
}

func (s step) place(a, b uintptr) error {
	if other, is := s.places[a]; is && other != b {
		return errors.New("one place is two")
	}
	s.places[a] = b
	return nil
}

func (s step) same(a, b reflect.Value) error {
	if a.CanAddr() && a.Type().Size() > 0 {
		if err := s.place(a.Addr().Pointer(), b.Addr().Pointer()); err != nil {
			return err
		}
	}
	key := fmt.Sprint(a.Type())
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.IsNil() != b.IsNil() {
			return errors.New("nil")
		}
		if a.IsNil() {
			return nil
		}
		if err := s.place(a.Pointer(), b.Pointer()); err != nil {
			return err
		}
		if key += fmt.Sprint(a.Pointer()); a.Kind() == reflect.Slice {
			key += fmt.Sprint(" ", a.Cap())
		}
		if s.seen[key] {
			return nil
		}
		s.seen[key] = true
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return errors.New("nil")
			}
			return nil
		}
		return s.same(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() || a.Cap() != b.Cap() {
			return errors.New("another length")
		}
		for i := range a.Cap() {
			if err := s.same(a.Slice(0, a.Cap()).Index(i), b.Slice(0, b.Cap()).Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if err := s.same(a.Field(i), b.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() {
				return errors.New("no key")
			}
			if err := s.same(a.MapIndex(k), b.MapIndex(k)); err != nil {
				return err
			}
		}
	default:
		if !a.Equal(b) {
			return fmt.Errorf("%v and %v", a, b)
		}
	}
	return nil
}

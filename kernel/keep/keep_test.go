package keep

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// The types of this test stand for those of cells.
func init() { inside = append(inside, reflect.TypeFor[node]().PkgPath()) }

type node struct {
	n    int
	next *node
	all  []*node
}

type shut struct {
	a    int
	b    []string
	at   time.Time
	free map[string]any
	err  error
}

// kept writes a value in one program and reads it in another.
func kept[T any](t *testing.T, x T, types ...reflect.Type) (y T) {
	t.Helper()
	dir := t.TempDir()
	In(dir, "1").Save("x", &x)
	if why := Why(dir, "x"); why != "" {
		t.Fatal(why)
	}
	info, err := Look(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	if info.Words != words(reflect.ValueOf(&x).Elem()) {
		t.Errorf("words %q", info.Words)
	}
	if !In(dir, "2", types...).Load("x", &y) {
		data, _ := os.ReadFile(filepath.Join(dir, "x"))
		_, body, _ := parse(data)
		t.Fatalf("not read: %v", In(dir, "3", types...).unpack(body, &y))
	}
	return y
}

// What is read is what was written.
func TestAgain(t *testing.T) {
	same := func(name string, equal bool) {
		t.Helper()
		if !equal {
			t.Errorf("%s is another", name)
		}
	}
	f := kept(t, []float64{math.NaN(), math.Copysign(0, -1), math.Inf(1), 5e-324, 1})
	same("float64", math.IsNaN(f[0]) && math.Signbit(f[1]) && math.IsInf(f[2], 1) && f[3] == 5e-324)
	for _, x := range []any{false, true, -3, uint8(200), int64(math.MinInt64), uint64(math.MaxUint64), float32(1.5),
		complex(1, -2), "text\x00\xff", [2]bool{true}, []int(nil), []int{}, map[string]int(nil), map[string]int{},
		map[string][]float64{"a": {1}, "b": nil}, [][]int{nil, {}, {1}}, []any{1, "a", nil, 2.5, []any{true}},
		map[string]any{"x": []any{1.0, "a"}, "y": map[string]any{"z": nil}}, []error{nil, io.EOF},
		time.Unix(9, 7).UTC(), []string{strings.Repeat("ab", 1000)}} {
		y := kept(t, x)
		same(fmt.Sprintf("%T %.40v", x, x), reflect.DeepEqual(x, y))
	}
	s := kept(t, shut{1, []string{"a"}, time.Unix(9, 0).In(time.FixedZone("A", 3600)), map[string]any{"k": 1},
		errors.New("e")})
	same("a zone", s.at.Format("MST -0700 15:04:05") == "A +0100 01:00:09" && s.err.Error() == "e" && s.free["k"] == 1)
	same("now", kept(t, time.Now()).Location() == time.Local)
	n := &node{n: 1}
	n.next, n.all = n, []*node{n, {n: 2, next: n}}
	m := kept(t, n)
	same("a ring", m.next == m && m.all[0] == m && m.all[1].next == m && m.all[1].n == 2)
	l := list.New()
	l.PushBack(1)
	l.PushFront("a")
	k := kept(t, l)
	same("a list", k.Len() == 2 && k.Front().Value == "a" && k.Back().Value == 1 && k.Front().Prev() == nil)
	k.PushBack(2)
	same("that grows", k.Len() == 3 && k.Back().Prev().Value == 1)
	row := []int{1, 2}
	rows := kept(t, [][]int{row, row})
	rows[0][0] = 5
	same("a row that is there twice", rows[1][0] == 5)
	type loop []loop
	self := make(loop, 1)
	self[0] = self
	same("a slice of itself", len(kept(t, self)[0][0]) == 1)
	d := kept(t, mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	same("a matrix", mat.Equal(d, mat.NewDense(2, 2, []float64{1, 2, 3, 4})))
	same("a large number", kept(t, new(big.Int).Lsh(big.NewInt(1), 200)).BitLen() == 201)
	var b strings.Builder
	b.WriteString("abc")
	c := kept(t, &b)
	c.WriteString("d")
	same("a builder", c.String() == "abcd")
	buffer := kept(t, bytes.NewBufferString("xyz"))
	same("a buffer", buffer.String() == "xyz")
	deep := &node{}
	for range 5000 {
		deep = &node{next: deep}
	}
	kept(t, deep)
}

// A generator goes on where it was.
func TestGenerators(t *testing.T) {
	r := randv2.New(randv2.NewPCG(1, 2))
	r.Float64()
	q := kept(t, r)
	if r.Float64() != q.Float64() {
		t.Error("PCG begins anew")
	}
	c := randv2.New(randv2.NewChaCha8([32]byte{1}))
	c.Uint64()
	if d := kept(t, c); c.Uint64() != d.Uint64() {
		t.Error("ChaCha8 begins anew")
	}
	o := rand.New(rand.NewSource(3))
	o.Int()
	if p := kept(t, o); o.Int() != p.Int() {
		t.Error("the generator of math/rand begins anew")
	}
}

// Mine is an error that is data.
type Mine struct{ code int }

func (m Mine) Error() string { return fmt.Sprint("code ", m.code) }

// An error keeps its type if that is data, and its text in any case.
func TestErrors(t *testing.T) {
	_, missing := os.Open("/no/such")
	_, number := strconv.Atoi("x")
	_, request := http.Get("http://127.0.0.1:1/")
	for _, err := range []error{nil, errors.New("a"), fmt.Errorf("b: %w", io.EOF), missing, number, request, Mine{3},
		errors.Join(io.EOF, Mine{4}), &fs.PathError{Op: "x", Path: "y", Err: fs.ErrExist}} {
		got := kept(t, err, reflect.TypeFor[Mine](), reflect.TypeFor[url.Error](), reflect.TypeFor[net.OpError](),
			reflect.TypeFor[net.TCPAddr](), reflect.TypeFor[os.SyscallError]())
		if fmt.Sprint(got) != fmt.Sprint(err) || (got == nil) != (err == nil) {
			t.Errorf("%v became %v", err, got)
		}
	}
	if got := kept(t, missing); !errors.Is(got, fs.ErrNotExist) {
		t.Errorf("%v is no fs.ErrNotExist", got)
	}
	if got := kept(t, number); !errors.Is(got, strconv.ErrSyntax) {
		t.Errorf("%v is no strconv.ErrSyntax", got)
	}
	if got := kept(t, fmt.Errorf("x: %w", io.EOF)); !errors.Is(got, io.EOF) {
		t.Errorf("%v is no io.EOF", got)
	}
	if got := kept(t, error(Mine{7}), reflect.TypeFor[Mine]()); !errors.Is(got, Mine{7}) {
		t.Errorf("%#v is another type", got)
	}
	dir := t.TempDir()
	first := errors.New("one")
	second := fmt.Errorf("more: %w", first)
	In(dir, "1").Save("a", &first, "b", &second)
	var a, b error
	if In(dir, "2").Load("a", &a, "b", &b); !errors.Is(b, a) {
		t.Error("an error of its own is not found behind another")
	}
}

// What cannot be kept says why, and leaves no file.
func TestWhy(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for want, x := range map[string]any{"it holds a function": func() {}, "it holds a channel": make(chan int),
		"it holds an os.File": file, "it holds an http.ServeMux": http.NewServeMux(),
		"it has more than 64 MB": make([]float64, 9<<20)} {
		dir := t.TempDir()
		In(dir, "1").Save("x", &x)
		if got := Why(dir, "x"); got != want {
			t.Errorf("%T: %q, want %q", x, got, want)
		}
		if _, err := Look(dir, "x"); err == nil {
			t.Errorf("%T has a file", x)
		}
	}
}

// Only what has changed gets a new file at the end, also after a panic.
func TestEnd(t *testing.T) {
	dir := t.TempDir()
	x, y, z := 1, []int{1, 2}, map[string]int{"a": 1, "b": 2}
	In(dir, "1").Save("x", &x, "y", &y, "z", &z)
	func() {
		defer func() { recover() }()
		f := In(dir, "2")
		var x int
		var y []int
		var z map[string]int
		f.Need("x", &x, "y", &y, "z", &z)
		f.Watch("x", &x, "y", &y, "z", &z)
		defer f.End()
		y[0] = 5
		panic("a cell that fails")
	}()
	if all, _ := filepath.Glob(filepath.Join(dir, "*~*")); len(all) != 1 || filepath.Base(all[0]) != "y~2" {
		t.Errorf("new files %q", all)
	}
	f := In(dir, "3")
	f.Need("y~2", &y)
	if f.Watch("y~2", &y); y[0] != 5 {
		t.Error(y)
	}
	y = append(y, 7)
	f.End()
	if info, err := Look(dir, "y~3"); err != nil || info.Words != "[5 2 7]" || info.Type != "[]int" {
		t.Errorf("%+v, %v", info, err)
	}
}

// A file that was changed is refused, and never ends the program.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	x := []any{map[string]any{"a": []any{1.0, "b"}}, errors.New("e"), []float64{1, 2, 3}, time.Unix(1, 0)}
	In(dir, "1").Save("x", &x)
	path := filepath.Join(dir, "x")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := randv2.New(randv2.NewPCG(1, 2))
	for range 300 {
		bad := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			bad[rng.IntN(len(bad))] = byte(rng.IntN(256))
		}
		bad = bad[:len(bad)-rng.IntN(4)]
		os.WriteFile(path, bad, 0o600)
		var y []any
		In(dir, "2").Load("x", &y)
	}
	os.WriteFile(filepath.Join(dir, "other"), data, 0o600)
	if In(dir, "2").Load("other", &x) {
		t.Error("the file of another value was read")
	}
	var n int
	os.WriteFile(path, data, 0o600)
	if In(dir, "2").Load("x", &n) {
		t.Error("a value of another type was read")
	}
}

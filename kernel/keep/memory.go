package keep

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"unsafe"
)

// Memory is the memory of a cell's program.
type Memory struct {
	folder   string
	program  int
	manifest *Manifest
	types    registry
	declared map[reflect.Type]bool     // types of cells outside of functions
	codes    map[string]function       // functions by their names
	shared   map[string]reflect.Value  // variables of packages, by their names
	named    map[unsafe.Pointer]string // the same by the addresses to which they point
	began    map[string]string         // their bytes when the program began
	errors   map[string]error          // errors of packages that are no pointers, by their types and texts
	unsafe   bool                      // texts may share their memory with other values

	mu     sync.Mutex
	roots  []root
	loaded []*block // by address
	groups map[*Group]bool
	names  map[string]int // places in the manifest's names
	failed error
}

// root is a variable.
type root struct {
	key   string
	block // its memory
}

// block is a piece of memory: some values of one shape, one after the other.
type block struct {
	p      unsafe.Pointer
	n      int
	of     *shape
	was    *shape // as its values were written, before a cell defined a type anew
	number uint64
	name   string // of the variable of a package that points to it
	large  string // its own file
	bad    string // why it cannot be kept

	data []byte // how a map was written when it was loaded
	sum  uint64 // of the hashes of its entries
}

func (b *block) size() uintptr {
	if b.of.form == table && b.n == 0 {
		return 0
	}
	return uintptr(b.n) * b.of.size
}

func (b *block) end() uintptr { return uintptr(b.p) + b.size() }

// Open returns the memory of a program, whose number is larger than those before it. The folder has the image.
func Open(folder string, program int) *Memory {
	m := &Memory{folder: folder, program: program, types: newRegistry(), declared: map[reflect.Type]bool{},
		codes: map[string]function{}, shared: map[string]reflect.Value{}, named: map[unsafe.Pointer]string{},
		began: map[string]string{}, errors: map[string]error{}, groups: map[*Group]bool{}, names: map[string]int{}}
	if m.manifest, m.failed = Read(folder); m.failed != nil {
		m.manifest = &Manifest{Next: uint64(program)<<32 + 1, Roots: map[string]Root{}, Groups: map[string]*Group{}}
	}
	for i, name := range m.manifest.Names {
		m.names[name] = i
	}
	return m
}

// Types adds types that may be behind interfaces, and types of cells, with pointers to them.
func (m *Memory) Types(all ...reflect.Type) *Memory {
	for _, t := range all {
		m.types.add(reflect.PointerTo(t), map[reflect.Type]bool{})
		m.declared[t] = true
	}
	return m
}

// Functions adds functions by their names, which are names and functions by turns.
func (m *Memory) Functions(pairs ...any) *Memory {
	for i := 1; i < len(pairs); i += 2 {
		if f := reflect.ValueOf(pairs[i]); f.Kind() == reflect.Func {
			m.codes[pairs[i-1].(string)] = function{codeOf(f), f.Type()}
		}
	}
	return m
}

// Packages adds variables of packages that are pointers or errors, with which programs compare: names and values by
// turns.
func (m *Memory) Packages(pairs ...any) *Memory {
	for i := 1; i < len(pairs); i += 2 {
		if v := reflect.ValueOf(pairs[i]); v.Kind() == reflect.Pointer && !v.IsNil() {
			m.shared[pairs[i-1].(string)], m.named[v.UnsafePointer()] = v, pairs[i-1].(string)
			if known(v.UnsafePointer(), v.Type().Elem()) == "" {
				m.began[pairs[i-1].(string)] = string(bytesOf(pointee(v)))
			}
		} else if err, is := pairs[i].(error); is {
			m.errors[v.Type().String()+" "+err.Error()] = err
		}
	}
	return m
}

func pointee(v reflect.Value) *block {
	return &block{p: v.UnsafePointer(), n: 1, of: shapeOf(v.Type().Elem())}
}

// Said says that a person knows that what the program sets in variables of packages is for the program alone.
func (m *Memory) Said(names ...string) *Memory {
	for _, name := range names {
		delete(m.began, name)
	}
	return m
}

// alone says what the program has set in variables of packages to which no variable leads that is kept.
func (m *Memory) alone(groups []*grouped) {
	for _, g := range groups {
		m.Said(g.Shared...)
	}
	for _, name := range slices.Sorted(maps.Keys(m.began)) {
		if string(bytesOf(pointee(m.shared[name]))) != m.began[name] {
			fmt.Fprintf(os.Stderr, "what this cell set in %s is for this cell alone, which is a program of its own\n",
				name)
		}
	}
}

// rootsOf reads the arguments of Load and Define: keys and pointers to variables by turns.
func (m *Memory) rootsOf(pairs []any) (all []root) {
	for i := 1; i < len(pairs); i += 2 {
		v := reflect.ValueOf(pairs[i])
		m.types.add(v.Type().Elem(), map[reflect.Type]bool{})
		all = append(all, root{pairs[i-1].(string), block{p: v.UnsafePointer(), n: 1, of: shapeOf(v.Type().Elem())}})
	}
	return all
}

// Load gives variables of other cells the values that the image has. A variable that is not in the image keeps the
// value that it has. Load panics if the image cannot be read.
func (m *Memory) Load(pairs ...any) *Memory {
	roots := m.rootsOf(pairs)
	if m.failed != nil {
		panic(strings.TrimPrefix(m.failed.Error(), "keep: ") + ": restart the kernel and run the cells again")
	}
	if err := m.read(roots); err != nil {
		panic(strings.TrimPrefix(err.Error(), "keep: "))
	}
	m.roots = append(m.roots, roots...)
	return m
}

// Define adds variables that the program's cell defines.
func (m *Memory) Define(pairs ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rootsOf(pairs) {
		m.roots = append(slices.DeleteFunc(m.roots, func(of root) bool { return of.key == r.key }), r)
	}
}

// End writes what the variables lead to. It is deferred, so that a cell that fails leaves what it did until then.
func (m *Memory) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.save(); err != nil {
		fmt.Fprintf(os.Stderr, "the values of this cell could not be kept: %v\n", err)
	}
}

// inside returns the loaded block that an address is in; nil if there is none.
func (m *Memory) inside(p unsafe.Pointer) *block { return within(m.loaded, p) }

// within returns the block that an address is in, of blocks in the order of their addresses.
func within(all []*block, p unsafe.Pointer) *block {
	i := sort.Search(len(all), func(i int) bool { return uintptr(all[i].p) > uintptr(p) })
	if i == 0 || uintptr(p) >= all[i-1].end() && p != all[i-1].p {
		return nil
	}
	return all[i-1]
}

func (m *Memory) nameIndex(name string) int {
	i, is := m.names[name]
	if !is {
		i = len(m.manifest.Names)
		m.manifest.Names = append(m.manifest.Names, name)
		m.names[name] = i
	}
	return i
}

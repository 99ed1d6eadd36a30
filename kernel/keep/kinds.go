package keep

import (
	"encoding"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// inside are packages whose types with unexported fields are plain data. Of those in named, only some types are.
var (
	inside = []string{"bytes", "container/list", "container/ring", "encoding/json", "errors", "fmt",
		"internal/chacha8rand", "math/big", "math/rand", "math/rand/v2", "net/netip", "net/url", "strconv",
		"gonum.org/v1/gonum", model + "/grid", model + "/land"}
	named = map[string]bool{"os.ProcessState": true, "os/exec.ExitError": true, "strings.Reader": true,
		"sync.Mutex": true, "sync.RWMutex": true, "sync.Once": true, "internal/sync.Mutex": true, "sync.noCopy": true,
		"sync/atomic.Bool": true, "sync/atomic.Int32": true, "sync/atomic.Int64": true, "sync/atomic.Uint32": true,
		"sync/atomic.Uint64": true, "sync/atomic.noCopy": true, "sync/atomic.align64": true, "time.Location": true,
		"time.zone": true, "time.zoneTrans": true, "time.Time": true, "strings.Builder": true,
		model + ".Posterior": true}
)

// model is the package of the library whose posteriors are kept.
const model = "github.com/expfam/lab/expfam"

// within reports whether structs of a package are data inside of a posterior. Cells compute such values themselves
// again, which is cheap.
func within(path, name string) bool {
	return path == model && name == "Likelihood" || path == model+"/operator"
}

// caches are fields, or types of fields, that are left out, because the methods of their structs compute them again.
var caches = map[string]bool{model + ".Posterior.once": true, model + ".Posterior.theta": true,
	model + "/operator.built": true, model + "/operator.separable": true}

// Unnamed are types behind interfaces that programs cannot name, with a value of the type that they can.
var Unnamed = map[string]string{model + ".formulaLink": "IdentityLink"}

// Plain reports whether the values of a struct type of another package are data, which a copy has as well, although it
// has unexported fields.
func Plain(path, name string) bool {
	return named[path+"."+name] || path == "main" || path == "command-line-arguments" ||
		slices.ContainsFunc(inside, func(p string) bool {
			return path == p || strings.HasPrefix(path, p+"/") && strings.Contains(p, ".")
		})
}

// usual are types behind interfaces that every program knows, and that some of them cannot name.
var usual = []reflect.Type{reflect.TypeOf(errors.New("")).Elem(), reflect.TypeOf(fmt.Errorf("%w", io.EOF)).Elem(),
	reflect.TypeOf(fmt.Errorf("%w%w", io.EOF, io.EOF)).Elem(), reflect.TypeOf(errors.Join(io.EOF)).Elem(),
	reflect.TypeFor[told](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[fs.PathError](), reflect.TypeFor[strconv.NumError](), reflect.TypeFor[syscall.Errno](),
	reflect.TypeFor[randv2.PCG](), reflect.TypeFor[randv2.ChaCha8](), source}

// source is the type of the generator behind rand.NewSource, which has no name outside of its package.
var source = reflect.TypeOf(rand.NewSource(1)).Elem()

// told is an error of which only the text and the name of its type could be kept.
type told struct{ Text, Type string }

func (t *told) Error() string { return t.Text }

// sentinels are errors that programs compare with, and so stay the same ones.
var sentinels = map[string]error{"EOF": io.EOF, "unexpected EOF": io.ErrUnexpectedEOF, "range": strconv.ErrRange,
	"syntax": strconv.ErrSyntax, "exist": fs.ErrExist, "not exist": fs.ErrNotExist, "invalid": fs.ErrInvalid,
	"permission": fs.ErrPermission, "closed": fs.ErrClosed, "unsupported": errors.ErrUnsupported}

// nameOf returns the name of a type with its package, and, for types of cells, a hash of what they are made of.
func nameOf(t reflect.Type) string {
	name := t.PkgPath() + "." + t.Name()
	if t.PkgPath() == "main" {
		name += "#" + shape(t)
	}
	return name
}

// shape returns a hash of what a type is made of, as far as cells declare it.
func shape(t reflect.Type) string {
	h := fnv.New64a()
	seen := map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		fmt.Fprint(h, t.String(), " ")
		if seen[t] || t.PkgPath() != "main" && t.PkgPath() != "" {
			return
		}
		seen[t] = true
		switch fmt.Fprint(h, t.Kind(), " "); t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			add(t.Elem())
		case reflect.Map:
			add(t.Key())
			add(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				fmt.Fprint(h, t.Field(i).Name, " ")
				add(t.Field(i).Type)
			}
		}
	}
	add(t)
	return fmt.Sprintf("%x", h.Sum64())
}

// opaque says what a struct type is that cannot be kept because only its package knows what is in it; nil otherwise.
func opaque(t reflect.Type) error {
	if t.PkgPath() == "" || Plain(t.PkgPath(), t.Name()) || within(t.PkgPath(), t.Name()) {
		return nil
	}
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return fmt.Errorf("it holds %s", article(t.String()))
		}
	}
	return nil
}

// fields visits the fields of a struct that are kept. They can be set, also if they are not exported.
func fields(v reflect.Value, visit func(reflect.Value)) {
	t := v.Type()
	for i := range t.NumField() {
		of := t.Field(i).Type
		whole := t.PkgPath() + "." + t.Name() + "." + t.Field(i).Name
		if !caches[whole] && !caches[of.PkgPath()+"."+of.Name()] {
			visit(field(v, i))
		}
	}
}

// marshaler is a type that knows how its values are written and read.
type marshaler interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// marshalerOf returns a struct of another package that has unexported fields and the methods of marshaler; nil for
// others.
func marshalerOf(v reflect.Value) marshaler {
	m, _ := v.Addr().Interface().(marshaler)
	if opaque(v.Type()) == nil {
		return nil
	}
	return m
}

func article(name string) string {
	if strings.ContainsAny(name[:1], "aeiouAEIOU") || strings.HasPrefix(name, "http.") {
		return "an " + name
	}
	return "a " + name
}

// plain reports whether the elements of a slice lie in memory as they are: numbers, and arrays and structs of numbers
// without gaps.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		size := uintptr(0)
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
			size += t.Field(i).Type.Size()
		}
		return size > 0 && size == t.Size() && opaque(t) == nil
	}
	return false
}

// memory returns the bytes of the elements of a slice of numbers.
func memory(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

// field returns a field of a struct that can be set, also if it is not exported.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

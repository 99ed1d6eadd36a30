package keep

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/expfam/lab/internal/kinds"
)

// model is the package of the library whose posteriors are kept.
const model = "github.com/expfam/lab/expfam"

// caches are fields, or types of fields, that are left out, because the methods of their structs compute them again.
var caches = map[string]bool{model + ".Posterior.once": true, model + ".Posterior.theta": true,
	model + "/diffusion.Live.kept": true, model + "/operator.built": true, model + "/operator.separable": true,
	model + "/sparse.Symbolic.spare": true, "sync.noCopy": true}

// refusals are types that stand for something outside of the program's memory, or that another program cannot use.
var refusals = map[string]string{
	"os.File": "an open file", "os.file": "an open file", "internal/poll.FD": "an open file or a connection",
	"os.Process": "a process", "os.Root": "an open folder", "time.Timer": "a timer", "time.Ticker": "a ticker",
	"reflect.Value": "a reflect.Value", "unique.Handle": "a unique.Handle", "hash/maphash.Seed": "a maphash.Seed",
	"hash/maphash.Hash": "a maphash.Hash", "runtime.Func": "a runtime.Func", "weak.Pointer": "a weak pointer",
	"sync.Pool": "a sync.Pool", "sync.Cond": "a sync.Cond", "context.cancelCtx": "a context that can be cancelled",
	"context.timerCtx": "a context that can be cancelled", "internal/abi.Type": "a type",
}

// usual are types behind interfaces that every program has, and that some of them cannot name.
var usual = []reflect.Type{reflect.TypeOf(errors.New("")).Elem(), reflect.TypeOf(fmt.Errorf("%w", io.EOF)).Elem(),
	reflect.TypeOf(fmt.Errorf("%w%w", io.EOF, io.EOF)).Elem(), reflect.TypeOf(errors.Join(io.EOF)).Elem(),
	reflect.TypeFor[told](), reflect.TypeFor[toldByRuntime](), reflect.TypeOf(context.DeadlineExceeded),
	reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[fs.PathError](), reflect.TypeFor[strconv.NumError](), reflect.TypeFor[syscall.Errno](),
	reflect.TypeFor[randv2.PCG](), reflect.TypeFor[randv2.ChaCha8](), reflect.TypeOf(rand.NewSource(1)).Elem(),
	reflect.TypeOf(context.Background()), reflect.TypeOf(context.TODO()),
	reflect.TypeOf(context.WithValue(context.Background(), region{}, 1)).Elem(), reflect.TypeOf(io.Discard),
	reflect.TypeOf(os.ErrDeadlineExceeded).Elem(), reflect.TypeOf(os.DirFS("/")), reflect.TypeOf(binary.LittleEndian),
	reflect.TypeOf(binary.BigEndian), reflect.TypeOf(binary.NativeEndian),
	reflect.TypeOf(io.MultiReader()).Elem(), reflect.TypeOf(io.MultiWriter()).Elem(),
	reflect.TypeOf(io.TeeReader(nil, nil)).Elem(), reflect.TypeOf(sort.Reverse(nil)).Elem()}

// common are the types behind interfaces that programs have without naming them: the usual ones, and those that the
// packages of the library have registered.
func common() []reflect.Type { return append(slices.Clone(usual), kinds.All()...) }

// sentinels are things of Go's library of which every program has one, with which programs compare.
var sentinels = map[string]any{"io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF,
	"io.ErrClosedPipe": io.ErrClosedPipe, "io.ErrNoProgress": io.ErrNoProgress, "io.ErrShortWrite": io.ErrShortWrite,
	"strconv.ErrRange": strconv.ErrRange, "strconv.ErrSyntax": strconv.ErrSyntax, "fs.ErrExist": fs.ErrExist,
	"fs.ErrNotExist": fs.ErrNotExist, "fs.ErrInvalid": fs.ErrInvalid, "fs.ErrPermission": fs.ErrPermission,
	"fs.ErrClosed": fs.ErrClosed, "fs.SkipDir": fs.SkipDir, "fs.SkipAll": fs.SkipAll,
	"errors.ErrUnsupported": errors.ErrUnsupported, "context.Canceled": context.Canceled,
	"os.ErrDeadlineExceeded": os.ErrDeadlineExceeded, "os.ErrProcessDone": os.ErrProcessDone,
	"os.Stdin": os.Stdin, "os.Stdout": os.Stdout,
	"os.Stderr": os.Stderr, "time.Local": time.Local, "time.UTC": time.UTC}

// article returns the name of a type as it stands in a sentence.
func article(name string) string {
	if strings.ContainsAny(name[:1], "aeiouAEIOU") || strings.HasPrefix(name, "http.") {
		return "an " + name
	}
	return "a " + name
}

// addresses are the sentinels' names by their addresses, and wellKnown the addresses by the names.
var addresses, wellKnown = func() (map[unsafe.Pointer]string, map[string]unsafe.Pointer) {
	names, places := map[unsafe.Pointer]string{}, map[string]unsafe.Pointer{}
	for h := -12; h <= 14; h++ { // time.Parse gives all times of an hour's offset one zone
		sentinels[fmt.Sprintf("time.FixedZone(%d)", h)] = time.FixedZone("", h*3600)
	}
	for name, x := range sentinels {
		p := reflect.ValueOf(x).UnsafePointer()
		names[p], places[name] = name, p
	}
	return names, places
}()

// known returns the name of the sentinel at which a pointer to a type is; "" if there is none. Of types without size
// all values may be at one address.
func known(p unsafe.Pointer, t reflect.Type) string {
	if name := addresses[p]; name != "" && reflect.TypeOf(sentinels[name]).Elem() == t {
		return name
	}
	return ""
}

// canName refuses a type behind an interface that no other program can name.
func (m *Memory) canName(t reflect.Type) error {
	if t.Name() != "" {
		switch why := refusals[t.PkgPath()+"."+base(t)]; {
		case why != "":
			return errors.New("it holds " + why)
		case t.PkgPath() == "main" && base(t) == t.Name() && !m.declared[t]:
			return fmt.Errorf("it holds %s, a type that is declared inside of a function", t.Name())
		case strings.HasPrefix(reference(t), hidden) && !m.declared[t] && !slices.Contains(common(), t):
			return fmt.Errorf("it holds %s, which only its package can name", article(t.String()))
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Map:
		return errors.Join(m.canName(t.Key()), m.canName(t.Elem()))
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return m.canName(t.Elem())
	}
	if strings.Contains(reference(t), hidden) {
		return fmt.Errorf("it holds a %v, which other programs cannot name", t)
	}
	return nil
}

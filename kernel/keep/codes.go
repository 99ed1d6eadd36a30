package keep

import (
	"errors"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// marked matches the name of the file from which, by a line comment of its program, a function literal of a cell comes
// that uses no variables but those of cells. Another program has the same function from the same text.
var marked = regexp.MustCompile(`(?:^|/)(cell \d+/\d+\.\d+)$`)

// declared matches what a function declaration or a method expression is called in its package.
var declared = regexp.MustCompile(strings.ReplaceAll(`^(\(\*N+\)\.)?N+(\.N+)?$`, "N", `[\pL\p{Nd}_]`))

// numbered matches what the compiler calls functions that have no name, behind the name of the function around them.
var numbered = regexp.MustCompile(`^(func|gowrap|init|glob)?\d*$`)

var errCaptures = errors.New("it holds a function with variables or type parameters of its own")

// codeName returns the name by which another program finds a function: the mark of a literal, or the path of a package
// in quotes and a name.
func codeName(f unsafe.Pointer) (string, error) {
	of := runtime.FuncForPC(*(*uintptr)(f))
	if of == nil {
		return "", errCaptures
	}
	frames := runtime.CallersFrames([]uintptr{of.Entry() + 1})
	for more := true; more; { // the last frame is the function itself, without what is inlined at its beginning
		var frame runtime.Frame
		if frame, more = frames.Next(); !more {
			if found := marked.FindStringSubmatch(frame.File); found != nil {
				return found[1], nil
			}
		}
	}
	full := of.Name()
	slash := strings.LastIndexByte(full, '/') + 1
	dot := strings.IndexByte(full[slash:], '.')
	if dot < 0 {
		return "", errCaptures
	}
	path, name := strings.ReplaceAll(full[:slash+dot], "%2e", "."), full[slash+dot+1:]
	if strings.HasSuffix(name, "-fm") {
		return "", errors.New("it holds a method with the value that it belongs to")
	}
	inner := name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasSuffix(name, "[...]") {
		return "", errors.New("it holds a generic function; write a function literal that calls it")
	}
	if !declared.MatchString(name) || inner != name && numbered.MatchString(inner) {
		return "", errCaptures
	}
	if path != "main" && (strings.ToUpper(inner[:1]) != inner[:1] || strings.Contains("/"+path+"/", "/internal/")) {
		return "", errors.New("it holds the function " + full + ", which only its package can name")
	}
	return strconv.Quote(path) + "." + name, nil
}

// function is the address that a variable of a function type has for a function, with the type.
type function struct {
	at unsafe.Pointer
	of reflect.Type
}

// codeOf returns the address that a variable of a function type has for a function.
func codeOf(f reflect.Value) unsafe.Pointer {
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	return *(*unsafe.Pointer)(p.UnsafePointer())
}

package cell

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// before returns the code in front of the expressions of a definition, in the program of another cell than the one that
// computed it. The code loads the values from their files, and computes them only if that fails.
func (r *record) before() string {
	var left, results, inner []string
	for i, name := range r.names {
		if name == "_" {
			inner = append(inner, "_")
			continue
		}
		result := fmt.Sprintf("main_r%d", i)
		left, results, inner = append(left, name), append(results, result+" "+r.types[i]), append(inner, result)
	}
	return fmt.Sprintf("var %s = func() (%s) { if main_load(%s) { return }; %s = ", strings.Join(left, ", "),
		strings.Join(results, ", "), r.arguments("main_r"), strings.Join(inner, ", "))
}

// loaded returns the whole definition, if its values were found to be kept.
func (r *record) loaded() string {
	before := r.before()
	return before[:strings.LastIndex(before, "; ")] + "; main_gone(); return }()"
}

// file returns the name of the file of a variable.
func (r *record) file(name string) string { return r.key + "-" + name }

// after returns the code behind the expressions of a definition, which saves the values.
func (r *record) after(c *chunk) string {
	switch {
	case !c.own:
		return fmt.Sprintf("; main_save(%s); return }()", r.arguments("main_r"))
	case c.local || c.declared != "":
		return fmt.Sprintf("; main_save(%s)", r.arguments(""))
	}
	return fmt.Sprintf("\nfunc init() { main_save(%s) }", r.arguments(""))
}

// arguments returns the arguments of main_load and main_save: for each variable the name of its file and a pointer to
// it. With a prefix, the pointers are to the results that have the prefix and a number as names.
func (r *record) arguments(prefix string) string {
	var all []string
	for i, name := range r.names {
		if !token.IsIdentifier(name) || name == "_" {
			continue
		}
		variable := name
		if prefix != "" {
			variable = fmt.Sprintf("%s%d", prefix, i)
		}
		pointer := "&" + variable
		if r.mirror && !types.Identical(r.of[i], types.Universe.Lookup("error").Type()) {
			pointer = "main_mirror(" + pointer + ")"
		}
		all = append(all, fmt.Sprintf("%q, %s", r.file(name), pointer))
	}
	return strings.Join(all, ", ")
}

// keepers returns the source of main_save and main_load, by which programs keep values in a folder. Their arguments are
// names of files and pointers to values by turns. A definition that ended with an error is not kept apart from the text
// of the error, nor is a value of more than 64 MiB, or one that gob changes: it drops the place of a time and the sign
// of zeros in structs. It also drops whether a slice is nil, so the file says which are empty and not nil. A file
// begins with its own name, so that one in the place of another is not taken for it.
func keepers(dir string) string {
	return fmt.Sprintf(`const main_values = %q

type main_limited struct {
	*main_os.File
	left int
}

func (w *main_limited) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, main_errors.New("too large to keep")
	}
	return w.File.Write(p)
}

func main_save(pairs ...any) {
	defer func() { recover() }() // of a method of the value, such as Error of an error that is a nil pointer
	for i := 1; i < len(pairs); i += 2 {
		if err, is := pairs[i].(*error); is && *err != nil {
			main_os.WriteFile(main_values+"/"+pairs[i-1].(string)+".error", []byte((*err).Error()), 0o600)
			return
		}
	}
	for i := 1; i < len(pairs); i += 2 {
		f, err := main_os.CreateTemp(main_values, "")
		if err != nil {
			return
		}
		out, name := main_gob.NewEncoder(&main_limited{f, 64 << 20}), pairs[i-1].(string)
		if main_nil(pairs[i]) {
			name += " nil"
		}
		if err = out.Encode(name); err == nil && !main_nil(pairs[i]) {
			v, empty, n := main_reflect.ValueOf(pairs[i]), []int{}, 0
			main_slices(v, func(v main_reflect.Value) {
				if n++; !v.IsNil() && v.Len() == 0 {
					empty = append(empty, n)
				}
			})
			if err = out.Encode(empty); err == nil {
				err = out.Encode(pairs[i])
			}
			f.Seek(0, 0)
			again, in := main_reflect.New(v.Type().Elem()), main_gob.NewDecoder(f)
			if err == nil && (in.Decode(&name) != nil || main_read(in, again) != nil || !main_same(v, again)) {
				err = main_errors.New("another value")
			}
		}
		f.Close()
		if err != nil {
			main_os.Remove(f.Name())
			return
		}
		main_os.Rename(f.Name(), main_values+"/"+pairs[i-1].(string))
	}
}

func main_load(pairs ...any) bool {
	for i := 1; i < len(pairs); i += 2 {
		path := main_values + "/" + pairs[i-1].(string)
		if info, err := main_os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
		f, err := main_os.Open(path)
		if err != nil {
			return false
		}
		in, name := main_gob.NewDecoder(f), ""
		if err = in.Decode(&name); err == nil && name == pairs[i-1] {
			err = main_read(in, main_reflect.ValueOf(pairs[i]))
		} else if err == nil && (!main_nil(pairs[i]) || name != pairs[i-1].(string)+" nil") {
			err = main_errors.New("the file of another value")
		}
		f.Close()
		if err != nil {
			return false
		}
	}
	return true
}

func main_read(in *main_gob.Decoder, p main_reflect.Value) error {
	empty, n := []int{}, 0
	if err := in.Decode(&empty); err != nil {
		return err
	}
	if err := in.DecodeValue(p); err != nil {
		return err
	}
	main_slices(p, func(v main_reflect.Value) {
		if n++; len(empty) > 0 && empty[0] == n {
			v.Set(main_reflect.MakeSlice(v.Type(), 0, 0))
			empty = empty[1:]
		}
	})
	return nil
}

func main_slices(v main_reflect.Value, see func(main_reflect.Value)) {
	switch v.Kind() {
	case main_reflect.Pointer:
		if !v.IsNil() {
			main_slices(v.Elem(), see)
		}
	case main_reflect.Struct:
		if _, is := main_reflect.PointerTo(v.Type()).MethodByName("GobEncode"); !is {
			for i := 0; i < v.NumField(); i++ {
				main_slices(v.Field(i), see)
			}
		}
	case main_reflect.Slice, main_reflect.Array:
		if v.Kind() == main_reflect.Slice {
			see(v)
		}
		if kind := v.Type().Elem().Kind(); kind == main_reflect.Slice || kind == main_reflect.Array ||
			kind == main_reflect.Struct {
			for i := 0; i < v.Len(); i++ {
				main_slices(v.Index(i), see)
			}
		}
	}
}

func main_nil(p any) bool {
	v := main_reflect.ValueOf(p).Elem()
	switch v.Kind() {
	case main_reflect.Pointer, main_reflect.Interface, main_reflect.Slice, main_reflect.Map:
		return v.IsNil()
	}
	return false
}

func main_same(a, b main_reflect.Value) bool {
	switch a.Kind() {
	case main_reflect.Float32, main_reflect.Float64:
		return main_math.Float64bits(a.Float()) == main_math.Float64bits(b.Float())
	case main_reflect.Complex64, main_reflect.Complex128:
		return main_same(main_reflect.ValueOf(real(a.Complex())), main_reflect.ValueOf(real(b.Complex()))) &&
			main_same(main_reflect.ValueOf(imag(a.Complex())), main_reflect.ValueOf(imag(b.Complex())))
	case main_reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || main_same(a.Elem(), b.Elem()))
	case main_reflect.Slice, main_reflect.Array:
		if a.Len() != b.Len() || a.Kind() == main_reflect.Slice && a.IsNil() != b.IsNil() {
			return false
		}
		for i := 0; i < a.Len(); i++ {
			if !main_same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case main_reflect.Map:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for _, key := range a.MapKeys() {
			if v := b.MapIndex(key); !v.IsValid() || !main_same(a.MapIndex(key), v) {
				return false
			}
		}
		return true
	case main_reflect.Struct:
		if t, is := a.Interface().(main_time.Time); is {
			u := b.Interface().(main_time.Time)
			return t.Equal(u) && t.Location().String() == u.Location().String() &&
				t.Format("MST") == u.Format("MST")
		}
		if _, is := main_reflect.PointerTo(a.Type()).MethodByName("GobEncode"); is {
			return a.Type().PkgPath() != "main" || main_reflect.DeepEqual(a.Interface(), b.Interface())
		}
		for i := 0; i < a.NumField(); i++ {
			if !main_same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

func main_gone() { panic("a value of another cell was removed, or its file is damaged: run the cell that defines it again") }

`, dir)
}

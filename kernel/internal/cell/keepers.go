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
// of the error, nor is a value of more than 64 MiB. A file begins with its own name, so that one in the place of another is not taken for it.
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
			err = out.Encode(pairs[i])
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
			err = in.Decode(pairs[i])
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

func main_nil(p any) bool {
	v := main_reflect.ValueOf(p).Elem()
	return (v.Kind() == main_reflect.Pointer || v.Kind() == main_reflect.Interface) && v.IsNil()
}

func main_gone() { panic("a value of another cell was removed, or its file is damaged: run the cell that defines it again") }

`, dir)
}

// mirrorer returns the source of main_mirror, which returns a pointer to the same value with another type, whose fields
// are all exported: gob leaves out the others. The mirror of a struct has the same fields in the same order, so that
// the values lie at the same places.
func mirrorer() string {
	return `func main_mirror(p any) any {
	v := main_reflect.ValueOf(p)
	return main_reflect.NewAt(main_mirrored(v.Type().Elem()), v.UnsafePointer()).Interface()
}

func main_mirrored(t main_reflect.Type) main_reflect.Type {
	switch t.Kind() {
	case main_reflect.Pointer:
		return main_reflect.PointerTo(main_mirrored(t.Elem()))
	case main_reflect.Slice:
		return main_reflect.SliceOf(main_mirrored(t.Elem()))
	case main_reflect.Array:
		return main_reflect.ArrayOf(t.Len(), main_mirrored(t.Elem()))
	case main_reflect.Struct:
		if _, is := main_reflect.PointerTo(t).MethodByName("GobEncode"); is || t.PkgPath() != "main" && t.PkgPath() != "" {
			return t
		}
		var all []main_reflect.StructField
		for i := 0; i < t.NumField(); i++ {
			all = append(all, main_reflect.StructField{Name: main_fmt.Sprint("F", i), Type: main_mirrored(t.Field(i).Type)})
		}
		return main_reflect.StructOf(all)
	}
	return t
}

`
}

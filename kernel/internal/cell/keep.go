package cell

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// record is how the values of a definition get from the cell that computes them to those that need them: in files of the kernel's own,
// one a variable, that end with the kernel. That is faster than to compute them again, and a random number stays what it was.
type record struct {
	key   string   // of the definition and all that it needs
	names []string // of its variables; _ where the value is nobody's
	types []string // as Go writes them
}

// keep decides which variables of a program are kept, and returns those of the cell that cannot be.
func (k *checked) keep(reached map[*chunk]bool, used map[string]string) (again []string) {
	for _, c := range k.chunks {
		if c.kind != variable || !reached[c] || c.rhs == 0 || k.plain(c) || k.legacy && c.local {
			continue
		}
		how := &record{}
		able, values := true, 0
		var named []types.Type
		for _, n := range c.names {
			name := k.rename(c, n)
			if c.own && slices.Contains(c.lost, n.string) {
				name = "_"
			}
			how.names = append(how.names, name)
			if name == "_" {
				named = append(named, nil)
				continue
			}
			t := k.object(c, n).Type()
			named = append(named, t)
			isErr := types.Identical(t, types.Universe.Lookup("error").Type())
			if !isErr && !keepable(t, map[types.Type]bool{}) {
				able = false
				if c.own && expensive(t) {
					again = append(again, name)
				}
			}
			if !isErr {
				values++
			}
		}
		if !able || values == 0 || k.s.Values == "" {
			continue
		}
		for _, t := range named {
			text := ""
			if t != nil && !c.own {
				text = types.TypeString(t, func(pkg *types.Package) string { return k.qualifier(pkg, used) })
			}
			how.types = append(how.types, text)
		}
		how.key = k.key(c)
		c.record, k.keeps = how, true
		maps.Copy(used, map[string]string{"main_os": "os", "main_gob": "encoding/gob", "main_errors": "errors"})
	}
	return again
}

// qualifier is the name of a package in the types of a program, which gets an import for it.
func (k *checked) qualifier(pkg *types.Package, used map[string]string) string {
	if pkg == k.pkg {
		return ""
	}
	name := "main_" + pkg.Name()
	for used[name] != "" && used[name] != pkg.Path() {
		name += "_"
	}
	used[name] = pkg.Path()
	return name
}

// keepable tells whether gob writes values of a type, all of them and nothing but them: no pointers, functions and interfaces.
func keepable(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if !nameable(t, map[types.Type]bool{}) {
		return false
	}
	if named, is := types.Unalias(t).(*types.Named); is {
		if method, _, _ := types.LookupFieldOrMethod(t, true, nil, "GobEncode"); method != nil {
			return true
		}
		for arg := range named.TypeArgs().Types() {
			if !keepable(arg, seen) {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Info()&types.IsUntyped == 0
	case *types.Slice:
		return keepable(u.Elem(), seen)
	case *types.Array:
		return keepable(u.Elem(), seen)
	case *types.Map:
		return keepable(u.Key(), seen) && keepable(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() || !keepable(f.Type(), seen) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return false
}

// nameable tells whether a program can write a type down: not those of functions, nor what other packages keep to themselves.
func nameable(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	all := func(parts ...types.Type) bool {
		return !slices.ContainsFunc(parts, func(t types.Type) bool { return !nameable(t, seen) })
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		obj := t.Obj()
		if obj.Pkg() != nil && (obj.Parent() != obj.Pkg().Scope() || obj.Pkg().Path() != "main" && !(obj.Exported() && importable(obj.Pkg().Path()))) {
			return false
		}
		return all(slices.Collect(t.TypeArgs().Types())...)
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0
	case *types.Pointer:
		return all(t.Elem())
	case *types.Slice:
		return all(t.Elem())
	case *types.Array:
		return all(t.Elem())
	case *types.Chan:
		return all(t.Elem())
	case *types.Map:
		return all(t.Key(), t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if !all(v.Type()) {
				return false
			}
		}
		return true
	case *types.Signature:
		return all(t.Params(), t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() && f.Pkg().Path() != "main" || !all(f.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() && m.Pkg().Path() != "main" || !all(m.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func importable(path string) bool { return !strings.Contains("/"+path+"/", "/internal/") }

// expensive tells whether values of a type may take long to compute again: not functions, and not the library's, which stores its own.
func expensive(t types.Type) bool {
	if _, is := t.Underlying().(*types.Signature); is {
		return false
	}
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	named, is := types.Unalias(t).(*types.Named)
	return !is || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), strings.TrimSuffix(vizPath, "viz"))
}

// key names a definition by itself and all that it needs: of functions, types and constants the text, of variables also the execution.
func (k *checked) key(c *chunk) string {
	seen := map[*def]bool{}
	var parts []string
	var add func(d *def)
	add = func(d *def) {
		if seen[d] {
			return
		}
		seen[d] = true
		text := d.text
		if d.kind == variable {
			text = fmt.Sprintf("%d:%d:%s", d.entry.serial, d.from, text)
		}
		parts = append(parts, text)
		for name := range d.uses {
			other, _ := k.s.lookup(name, k.entry)
			if own := k.own[name]; own != nil {
				other = own.def
			}
			if other != nil {
				add(other)
			}
		}
		if d.kind == typed {
			for _, n := range d.names {
				for _, m := range k.s.methods(n.string, k.entry) {
					add(m)
				}
			}
		}
	}
	add(c.def)
	slices.Sort(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// before is what stands before the expressions of a definition in another cell's program: its values come from the files if they can.
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
	return fmt.Sprintf("var %s = func() (%s) { if main_load(%s) { return }; %s = ", strings.Join(left, ", "), strings.Join(results, ", "),
		r.arguments("main_r"), strings.Join(inner, ", "))
}

// after is what stands behind the expressions.
func (r *record) after(c *chunk) string {
	switch {
	case !c.own:
		return fmt.Sprintf("; main_save(%s); return }()", r.arguments("main_r"))
	case c.local || c.declared != "":
		return fmt.Sprintf("; main_save(%s)", r.arguments(""))
	}
	return fmt.Sprintf("\nfunc init() { main_save(%s) }", r.arguments(""))
}

// arguments are those of main_load and main_save: files and pointers, of results by number if there is a prefix for their names.
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
		all = append(all, fmt.Sprintf("%q, &%s", r.key+"-"+name, variable))
	}
	return strings.Join(all, ", ")
}

// keepers are the functions by which programs keep values in a folder. They take the names of files and pointers to values by turns.
// A definition that ended with an error is not kept, nor is one of more than 64 MB.
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
			return
		}
	}
	for i := 1; i < len(pairs); i += 2 {
		if _, is := pairs[i].(*error); is {
			continue
		}
		f, err := main_os.CreateTemp(main_values, "")
		if err != nil {
			return
		}
		err = main_gob.NewEncoder(&main_limited{f, 64 << 20}).Encode(pairs[i])
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
		if _, is := pairs[i].(*error); is {
			continue
		}
		f, err := main_os.Open(main_values + "/" + pairs[i-1].(string))
		if err != nil {
			return false
		}
		err = main_gob.NewDecoder(f).Decode(pairs[i])
		f.Close()
		if err != nil {
			return false
		}
	}
	return true
}

`, dir)
}

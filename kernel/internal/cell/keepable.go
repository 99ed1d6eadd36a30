package cell

import (
	"go/types"
	"slices"
	"strings"
)

// keepable reports whether gob writes the values of a type completely. Types with a method GobEncode of their own are
// keepable; types with the method of an embedded field are not. Of the others, types that contain pointers, functions,
// interfaces, channels or unexported fields of other packages are not. seen holds the types that were looked at,
// because types may be recursive.
func keepable(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	if !nameable(t, map[types.Type]bool{}) {
		return false
	}
	for _, name := range []string{"GobEncode", "MarshalBinary"} {
		if method, path, _ := types.LookupFieldOrMethod(t, true, nil, name); method != nil && len(path) > 1 {
			return false // gob would write the embedded value, and leave out the fields beside it
		}
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
			if !f.Exported() && f.Pkg().Path() != "main" || !keepable(f.Type(), seen) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return false
}

// mirrors reports whether gob needs a mirror of a type that is keepable: one with exported fields in the place of
// unexported ones. able is false if there can be none, because the type is recursive, or has such fields in a map. path
// holds the types around it.
func mirrors(t types.Type, path []types.Type) (needs, able bool) {
	if slices.Contains(path, t) {
		return false, true // whoever is around it decides
	}
	if named, is := types.Unalias(t).(*types.Named); is {
		if method, _, _ := types.LookupFieldOrMethod(named, true, nil, "GobEncode"); method != nil {
			return false, true
		}
	}
	path = append(slices.Clone(path), t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return mirrors(u.Elem(), path)
	case *types.Array:
		return mirrors(u.Elem(), path)
	case *types.Map:
		key, _ := mirrors(u.Key(), path)
		elem, _ := mirrors(u.Elem(), path)
		return false, !key && !elem
	case *types.Struct:
		able = true
		for f := range u.Fields() {
			inside, ok := mirrors(f.Type(), path)
			needs, able = needs || inside || !f.Exported(), able && ok
		}
		return needs, able && !(needs && contains(u, t, nil))
	}
	return false, true
}

// contains reports whether the fields of a struct contain a type, such as the struct's own.
func contains(in, t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, in) {
		return false
	}
	seen = append(seen, in)
	switch u := in.Underlying().(type) {
	case *types.Slice:
		return types.Identical(u.Elem(), t) || contains(u.Elem(), t, seen)
	case *types.Array:
		return types.Identical(u.Elem(), t) || contains(u.Elem(), t, seen)
	case *types.Map:
		return types.Identical(u.Elem(), t) || contains(u.Elem(), t, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if types.Identical(f.Type(), t) || contains(f.Type(), t, seen) {
				return true
			}
		}
	}
	return false
}

// nameable reports whether a program can write a type as Go source. It cannot if the type contains one that is declared
// inside of a function, or one that another package does not export.
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
		if obj.Pkg() != nil && (obj.Parent() != obj.Pkg().Scope() || obj.Pkg().Path() != "main" &&
			!(obj.Exported() && importable(obj.Pkg().Path()))) {
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

// importable reports whether a program can import a package: it is not internal.
func importable(path string) bool { return !strings.Contains("/"+path+"/", "/internal/") }

// expensive reports whether the values of a type may take long to compute again. Functions do not. Values of the
// library's types do not either, because the library stores its results.
func expensive(t types.Type) bool {
	if _, is := t.Underlying().(*types.Signature); is {
		return false
	}
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	named, is := types.Unalias(t).(*types.Named)
	return !is || named.Obj().Pkg() == nil ||
		!strings.HasPrefix(named.Obj().Pkg().Path(), strings.TrimSuffix(vizPath, "viz"))
}

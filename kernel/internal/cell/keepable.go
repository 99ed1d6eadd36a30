package cell

import (
	"go/types"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/keep"
)

// keepable reports whether programs may keep the values of a type in files. Whether a value can be kept is known when
// its program runs: it must not lead to functions, channels and what only another package understands (package keep).
// The types of values that never can be are refused here.
func keepable(t types.Type) bool {
	if !nameable(t, map[types.Type]bool{}) {
		return false
	}
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Info()&types.IsUntyped == 0
	case *types.Chan, *types.Signature:
		return false
	case *types.Struct:
		named, is := types.Unalias(t).(*types.Named)
		if !is || named.Obj().Pkg() == nil || keep.Plain(named.Obj().Pkg().Path(), named.Obj().Name()) {
			return true
		}
		for f := range u.Fields() {
			if !f.Exported() {
				return false
			}
		}
	}
	return true
}

// mutable reports whether the values of a type refer to data that may change without an assignment to a variable.
func mutable(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Array, *types.Struct:
		return slices.ContainsFunc(madeOf(u), func(t types.Type) bool { return mutable(t, seen) })
	}
	return !types.Identical(t, types.Universe.Lookup("error").Type())
}

// nameable reports whether a program can write a type as Go source. It cannot if the type contains one that is declared
// inside of a function, or one that another package does not export.
func nameable(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	t = types.Unalias(t)
	inner := madeOf(t)
	hidden := func(o types.Object) bool { return !o.Exported() && o.Pkg().Path() != "main" }
	switch t := t.(type) {
	case *types.Named:
		obj := t.Obj()
		if obj.Pkg() != nil && (obj.Parent() != obj.Pkg().Scope() || obj.Pkg().Path() != "main" &&
			!(obj.Exported() && importable(obj.Pkg().Path()))) {
			return false
		}
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0
	case *types.TypeParam, *types.Union:
		return false
	case *types.Tuple:
		for v := range t.Variables() {
			inner = append(inner, v.Type())
		}
	case *types.Signature:
		inner = append(inner, t.Params(), t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if hidden(f) {
				return false
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if hidden(m) {
				return false
			}
			inner = append(inner, m.Type())
		}
	}
	return !slices.ContainsFunc(inner, func(t types.Type) bool { return !nameable(t, seen) })
}

// importable reports whether a program can import a package: it is not internal.
func importable(path string) bool { return !strings.Contains("/"+path+"/", "/internal/") }

// expensive reports whether the values of a type may take long to compute again. Functions do not. Values of the
// library's types do not either, because the library stores its results.
func expensive(t types.Type) bool {
	if _, is := t.Underlying().(*types.Signature); is {
		return false
	}
	named := namedOf(t)
	return named == nil || named.Obj().Pkg() == nil || !ours(named.Obj().Pkg().Path())
}

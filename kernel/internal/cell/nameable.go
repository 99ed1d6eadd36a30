package cell

import (
	"go/types"
	"slices"
	"strings"
)

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

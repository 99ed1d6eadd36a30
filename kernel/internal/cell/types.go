package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// ours reports whether a package is one of this module.
func ours(path string) bool { return strings.HasPrefix(path, strings.TrimSuffix(vizPath, "viz")) }

// namedOf returns the named type that a type is or points to; nil if it is none.
func namedOf(t types.Type) *types.Named {
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// of reports whether a type, or the one that it points to, is one of a package.
func of(t types.Type, path string) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
}

// madeOf returns the types of which a type is made: elements, keys, fields, and arguments of a generic type. What is
// behind a name is left out.
func madeOf(t types.Type) (all []types.Type) {
	switch t := t.(type) {
	case *types.Named:
		return slices.Collect(t.TypeArgs().Types())
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case interface{ Elem() types.Type }:
		return []types.Type{t.Elem()}
	case *types.Struct:
		for f := range t.Fields() {
			all = append(all, f.Type())
		}
	}
	return all
}

// begins returns the expression with which another begins, as x.f, x[i], x[i:j], *x and (x) do with x; nil if it has no
// such part.
func begins(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return x.X
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	}
	return nil
}

// nodesAt returns the nodes around a position, the outermost first.
func nodesAt(file *ast.File, pos token.Pos) (path []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || n.Pos() > pos || pos >= n.End() {
			return false
		}
		path = append(path, n)
		return true
	})
	return path
}

// bracket returns 1 for a token that opens a bracket, -1 for one that closes it, and else 0.
func bracket(tok token.Token) int {
	switch tok {
	case token.LPAREN, token.LBRACK, token.LBRACE:
		return 1
	case token.RPAREN, token.RBRACK, token.RBRACE:
		return -1
	}
	return 0
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

// typesOf adds the chunks to queue that declare the types in a type.
func (k *checked) typesOf(queue []*chunk, t types.Type, defined map[types.Object]*chunk,
	seen map[types.Type]bool) []*chunk {
	if seen[t] {
		return queue
	}
	seen[t] = true
	if name, is := t.(interface{ Obj() *types.TypeName }); is && defined[name.Obj()] != nil {
		queue = append(queue, defined[name.Obj()])
	}
	inner := madeOf(t)
	if alias, is := t.(*types.Alias); is { // the program writes its name
		inner = []types.Type{types.Unalias(alias)}
	}
	for _, t := range inner {
		queue = k.typesOf(queue, t, defined, seen)
	}
	return queue
}

// inLiteral reports whether a position is in a function literal of an expression.
func inLiteral(e ast.Expr, pos token.Pos) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			is = is || lit.Pos() <= pos && pos < lit.End()
		}
		return !is
	})
	return is
}

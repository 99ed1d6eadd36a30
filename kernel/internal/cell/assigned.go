package cell

import (
	"go/ast"
	"go/token"
	"go/types"
)

// assigned returns the variables that the statements of the cell assign to, take the address of, or hand to a call that
// is made for its effect, each with the first place. A page has no image of memory, so variables that change stay in
// their cells there.
func (k *checked) assigned() map[types.Object]token.Pos {
	found := map[types.Object]token.Pos{}
	k.sure = map[types.Object]token.Pos{}
	note := func(e ast.Expr, sure bool) {
		at := e
		for ; e != nil; e = begins(e) {
			if x, is := e.(*ast.Ident); is {
				if v, is := k.info.Uses[x].(*types.Var); is && !v.IsField() && found[v] == token.NoPos {
					if found[v] = at.Pos(); sure {
						k.sure[v] = at.Pos()
					}
				}
			}
		}
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				note(lhs, true)
			}
		case *ast.IncDecStmt:
			note(n.X, true)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				note(n.Key, true)
				if n.Value != nil {
					note(n.Value, true)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X, false)
			}
		case *ast.ExprStmt:
			call, is := n.X.(*ast.CallExpr)
			if !is || !k.info.Types[call].IsVoid() || k.onlyShows(call) {
				break
			}
			for _, arg := range call.Args {
				note(arg, false)
			}
			if sel, is := call.Fun.(*ast.SelectorExpr); is && !ofLibrary(k.info.TypeOf(sel.X)) {
				note(sel.X, false)
			}
		}
		return true
	}
	for _, c := range k.chunks {
		if c.own && c.local {
			for _, n := range k.nodesOf(c) {
				ast.Inspect(n, look)
			}
		}
	}
	return found
}

// onlyShows reports whether a call is one of a function that shows its arguments, of fmt, log or this module.
func (k *checked) onlyShows(call *ast.CallExpr) bool {
	sel, selects := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !selects {
		return false
	}
	f, is := k.info.Uses[sel.Sel].(*types.Func)
	return is && f.Signature().Recv() == nil && f.Pkg() != nil &&
		(f.Pkg().Path() == "fmt" || f.Pkg().Path() == "log" || ours(f.Pkg().Path()))
}

// ofLibrary reports whether a type is one of this module.
func ofLibrary(t types.Type) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && ours(named.Obj().Pkg().Path())
}

// nodesOf returns the outermost nodes of the program that lie in a chunk.
func (k *checked) nodesOf(c *chunk) (all []ast.Node) {
	from, to := c.bounds()
	ast.Inspect(k.file, func(n ast.Node) bool {
		if n == nil || k.offset(n.End()) <= from || k.offset(n.Pos()) >= to {
			return false
		}
		if _, block := n.(*ast.BlockStmt); !block && from <= k.offset(n.Pos()) && k.offset(n.End()) <= to {
			all = append(all, n)
			return false
		}
		return true
	})
	return all
}

// elsewhere refuses, for a page, a cell that assigns to a variable of another cell.
func (k *checked) elsewhere() error {
	for _, c := range k.chunks {
		for _, n := range c.names {
			at, is := k.sure[k.pkg.Scope().Lookup(n.string)]
			if c.own || c.kind != variable || !is || n.string == "_" {
				continue
			}
			p := k.entry.problem(0, n.string+" is defined in another cell, and a page cannot change it here")
			place := k.files.Position(at)
			p.Line, p.Column, p.Source = place.Line, place.Column, lineOf(k.entry.script.text, place.Line)
			return Problems{p.with("give the new value a name of its own")}
		}
	}
	return nil
}

package cell

import (
	"go/ast"
	"go/types"
)

// remembers reports whether a definition makes a function that changes variables of its own, as a counter or one of
// sync.OnceValue does. In a program that makes it again, these begin anew.
func (k *checked) remembers(c *chunk, e *effects) (is bool) {
	for n := range e.seen {
		ast.Inspect(n, func(n ast.Node) bool {
			if call, calls := n.(*ast.CallExpr); calls && e.keeps(call) && !k.info.Types[call.Fun].IsType() {
				is = true
			}
			lit, literal := n.(*ast.FuncLit)
			if !literal {
				return !is
			}
			inside := k.watch(nil, map[types.Object]bool{})
			ast.Inspect(lit.Body, inside.node)
			for obj := range inside.found {
				outside := obj.Pos() < lit.Pos() || lit.End() <= obj.Pos()
				is = is || outside && obj.Parent() != k.pkg.Scope() && obj.Pkg() == k.pkg
			}
			return !is
		})
	}
	return is && e.makesFunction(c)
}

// makesFunction reports whether a value of the definition is, or has in it, a function.
func (w *effects) makesFunction(c *chunk) bool {
	for _, n := range c.names {
		if obj := w.object(c, n); n.string != "_" && obj != nil &&
			points(obj.Type(), types.Typ[types.Invalid], map[types.Type]bool{}) {
			return true
		}
	}
	return false
}

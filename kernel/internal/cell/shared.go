package cell

import (
	"go/ast"
	"go/types"
	"slices"
)

// within notes a change of the data of a variable, and that the variables which share the data may change with it.
func (w *watcher) within(e ast.Expr, sure bool) {
	obj := w.root(e)
	if obj == nil {
		return
	}
	w.note(obj, e.Pos(), sure)
	w.data[obj] = true
	seen := map[types.Object]bool{obj: true}
	for queue := slices.Clone(w.shared[obj]); len(queue) > 0; queue = queue[1:] {
		if other := queue[0]; !seen[other] {
			seen[other], w.data[other] = true, true
			w.note(other, e.Pos(), false)
			queue = append(queue, w.shared[other]...)
		}
	}
}

// share notes that a variable gets the value of an expression, and so shares data with the variable of the expression.
func (w *watcher) share(variable, value ast.Expr) {
	id, is := variable.(*ast.Ident)
	if !is || !shares(w.info.TypeOf(id)) {
		return
	}
	obj := w.info.Defs[id]
	if obj == nil {
		obj = w.info.Uses[id]
	}
	if other := w.root(value); obj != nil && other != nil {
		w.shared[obj] = append(w.shared[obj], other)
	}
}

// shares reports whether a copy of a value of the type refers to the same data, which calls may change.
func shares(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan:
		return true
	case *types.Pointer:
		named, is := types.Unalias(u.Elem()).(*types.Named)
		return !is || !constantType(named)
	}
	return false
}

package cell

import (
	"go/ast"
	"go/types"
)

// declared returns the declaration of the function that a call calls; nil if no cell declares it.
func (w *watcher) declared(call *ast.CallExpr) *ast.FuncDecl {
	obj, is := callee(w.info, call).(*types.Func)
	if !is {
		return nil
	}
	for _, decl := range w.file.Decls {
		if f, is := decl.(*ast.FuncDecl); is && f.Body != nil && f.Name.Pos() == obj.Pos() {
			return f
		}
	}
	return nil
}

// look returns a watcher that has looked at the body of a function.
func (w *watcher) look(f *ast.FuncDecl) *watcher {
	inside := w.watch(nil, w.reads)
	inside.inside = true
	ast.Inspect(f.Body, inside.node)
	return inside
}

// fills notes the arguments whose data a call changes, if a cell declares the function: x in n := fill(x).
func (w *watcher) fills(call *ast.CallExpr) {
	f := w.declared(call)
	if f == nil {
		return
	}
	var params []types.Object
	for _, field := range f.Type.Params.List {
		for _, id := range field.Names {
			params = append(params, w.info.Defs[id])
		}
	}
	if len(params) == 0 { // none has a name
		return
	}
	for i, arg := range call.Args {
		param := params[min(i, len(params)-1)]
		if !shares(w.info.TypeOf(arg)) {
			continue
		}
		if _, known := w.reads[param]; !known {
			for _, p := range params { // while the function is looked at, its calls of itself count as reading
				w.reads[p] = true
			}
			inside := w.look(f)
			for _, p := range params {
				w.reads[p] = !inside.data[p]
			}
		}
		if !w.reads[param] {
			w.within(arg, false)
		}
	}
}

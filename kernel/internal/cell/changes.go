package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// change is a place where a variable gets, or may get, another value than its definition gives it.
type change struct {
	at   token.Pos
	last token.Pos // of several places
	sure bool      // an assignment changes the variable; otherwise a call or an address may
}

// changes returns the variables that the statements of the cell change, each with the first place. Functions that the
// cell declares do not count: a variable that they change begins anew with every program.
func (k *checked) changes(last ast.Expr) map[types.Object]change {
	w := k.watch(last, map[types.Object]bool{})
	for _, decl := range k.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name != "main" || decl.Recv != nil {
				continue
			}
		case *ast.GenDecl:
			if decl.Tok != token.VAR {
				continue
			}
		}
		ast.Inspect(decl, w.node)
	}
	return w.found
}

// mayChange returns the variables that anything in the program may change, functions of cells and of other packages
// too.
func (k *checked) mayChange(last ast.Expr) map[types.Object]change {
	w := k.watch(last, map[types.Object]bool{})
	w.wide = true
	ast.Inspect(k.file, w.node)
	return w.found
}

// watcher collects the changes of variables in a syntax tree.
type watcher struct {
	*checked
	last  ast.Expr // the cell's last expression, whose value is shown
	found map[types.Object]change
	// data has the variables whose data change, as by x[0] = 1 but not by x = nil.
	data map[types.Object]bool
	// reads says of methods that cells declare whether they leave their receiver as it is, and of parameters of
	// functions that cells declare whether the function leaves their data as they are.
	reads  map[types.Object]bool
	inside bool // the tree is the body of such a function
	wide   bool // whatever a function gets it may change
	// shared has, for a variable such as a slice, the variables whose data it shares: grid for row in row := grid[0].
	shared map[types.Object][]types.Object
}

func (k *checked) watch(last ast.Expr, reads map[types.Object]bool) *watcher {
	return &watcher{checked: k, last: last, found: map[types.Object]change{}, data: map[types.Object]bool{},
		reads: reads, shared: map[types.Object][]types.Object{}}
}

// changed notes a change of the variable with which an expression begins: of x for x, x.f, x[i] and *x.
func (w *watcher) changed(e ast.Expr, sure bool) {
	if _, whole := ast.Unparen(e).(*ast.Ident); !whole {
		w.within(e, sure)
	} else {
		if obj := w.root(e); obj != nil {
			w.note(obj, e.Pos(), sure)
		}
	}
}

func (w *watcher) note(obj types.Object, at token.Pos, sure bool) {
	c := change{at: at, sure: sure}
	if first, is := w.found[obj]; is {
		c = first
	}
	c.last = max(c.last, at)
	w.found[obj] = c
}

// root returns the variable with which an expression begins; nil if it begins with anything else.
func (w *watcher) root(e ast.Expr) types.Object {
	for ; e != nil; e = begins(e) {
		if x, is := e.(*ast.Ident); is {
			if v, ok := w.info.Uses[x].(*types.Var); ok && !v.IsField() {
				return v
			}
		}
	}
	return nil
}

// node notes the changes that a node makes, and has ast.Inspect go on with the nodes inside of it.
func (w *watcher) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			w.changed(lhs, true) // in x, y := f() only variables that were declared before: new ones are no uses
		}
		for i := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				w.share(n.Lhs[i], n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		for i := range n.Values {
			if len(n.Names) == len(n.Values) {
				w.share(n.Names[i], n.Values[i])
			}
		}
	case *ast.IncDecStmt:
		w.changed(n.X, true)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.changed(n.Key, true)
			w.changed(n.Value, true)
		}
		w.share(n.Value, n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND || n.Op == token.ARROW {
			w.changed(n.X, false)
		}
	case *ast.SendStmt:
		w.within(n.Chan, false)
	case *ast.SelectorExpr:
		if w.info.Selections[n] != nil && of(w.info.TypeOf(n.X), "hash") && n.Sel.Name == "Write" {
			w.within(n.X, false)
		}
		if t := w.pointerMethod(n); t != nil && !constantType(t) && !ofOthers(t) && !w.logs(n) &&
			!w.onlyReads(w.info.Selections[n].Obj()) {
			w.within(n.X, false)
		}
	case *ast.CallExpr:
		w.fills(n)
		w.streams(n)
		w.anything(n)
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && len(n.Args) > 0 {
			if b, ok := w.info.Uses[id].(*types.Builtin); ok &&
				strings.Contains(" copy clear delete close ", " "+b.Name()+" ") {
				w.within(n.Args[0], true)
			}
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && !w.harmless(call) && !(w.inside && w.declared(call) != nil) &&
			(n.X != w.last || w.info.Types[call].IsVoid()) {
			for _, arg := range call.Args {
				if shares(w.info.TypeOf(arg)) {
					w.within(arg, false) // sort.Float64s(x): a call without a result is made for its effect
				}
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && w.pointerMethod(sel) != nil && !w.draws(sel) &&
				!w.logs(sel) && !w.onlyReads(w.info.Selections[sel].Obj()) {
				w.within(sel.X, false) // m.Set(1, 2, x)
			}
		}
	}
	return true
}

// streams notes what a function of fmt, log or os writes into or reads from, as the buffer that fmt.Fprintf gets.
func (w *watcher) streams(call *ast.CallExpr) {
	sig, is := w.info.TypeOf(call.Fun).(*types.Signature)
	is = is && w.harmless(call)
	for i, arg := range call.Args {
		if !is || i == sig.Params().Len() {
			return
		}
		t := w.info.TypeOf(arg)
		if of(sig.Params().At(i).Type(), "io") && keepable(t) && !types.IsInterface(t) {
			w.within(arg, false)
		}
	}
}

// anything notes, for a wide watcher, what a call of another package's function may change.
func (w *watcher) anything(call *ast.CallExpr) {
	if !w.wide || w.info.Types[call.Fun].IsType() {
		return
	}
	sel, selects := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if selects && w.info.Selections[sel] != nil {
		if t := w.info.TypeOf(sel.X); t != nil && mutable(t, map[types.Type]bool{}) {
			w.within(sel.X, false)
		}
	}
	if w.harmless(call) {
		return
	}
	for _, arg := range call.Args {
		if t := w.info.TypeOf(arg); t != nil && mutable(t, map[types.Type]bool{}) {
			w.within(arg, false)
		}
	}
}

// pointerMethod returns the type of the pointer receiver, if a selector selects a method that has one; else nil.
func (w *watcher) pointerMethod(sel *ast.SelectorExpr) *types.Named {
	s := w.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	pointer, is := types.Unalias(recv.Type()).(*types.Pointer)
	if !is {
		return nil
	}
	named, _ := types.Unalias(pointer.Elem()).(*types.Named)
	return named
}

// draws reports whether a selector selects the method Draw of a prior of the library, which fills its argument and
// leaves the prior as it is.
func (w *watcher) draws(sel *ast.SelectorExpr) bool {
	return sel.Sel.Name == "Draw" && constantType(w.pointerMethod(sel))
}

// logs reports whether a selector selects a method by which a logger writes a line, which leaves the logger as it is.
func (w *watcher) logs(sel *ast.SelectorExpr) bool {
	t := w.pointerMethod(sel)
	return t != nil && (of(t, "log") || of(t, "log/slog")) && !strings.HasPrefix(sel.Sel.Name, "Set")
}

// onlyReads reports whether a method that a cell declares leaves its receiver as it is. While a method is looked at,
// its calls of itself count as reading.
func (w *watcher) onlyReads(method types.Object) bool {
	if reads, known := w.reads[method]; known {
		return reads
	}
	for _, decl := range w.file.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is || f.Recv == nil || f.Body == nil || method.Pos() != f.Name.Pos() {
			continue
		}
		w.reads[method] = true
		inside := w.look(f)
		for _, id := range f.Recv.List[0].Names {
			if _, changes := inside.found[w.info.Defs[id]]; changes {
				w.reads[method] = false
			}
		}
	}
	return w.reads[method]
}

// ofOthers reports whether a type is neither the cell's nor Go's own, as matrices. As a rule, a method of such a type
// only reads its receiver if its result is used. Types of Go's library with pointer receivers, on the other hand, are
// readers, buffers and sources of random numbers.
func ofOthers(t *types.Named) bool {
	if t.Obj().Pkg() == nil {
		return false
	}
	first, _, _ := strings.Cut(t.Obj().Pkg().Path(), "/")
	return strings.Contains(first, ".")
}

// harmless reports whether a call leaves its arguments as they are. Calls of fmt, log, os and the library do, which
// show values or keep them, and so do conversions.
func (w *watcher) harmless(call *ast.CallExpr) bool {
	if w.info.Types[call.Fun].IsType() {
		return true
	}
	obj := callee(w.info, call)
	if _, builtin := obj.(*types.Builtin); builtin {
		return true // node has looked at it
	}
	if obj == nil || obj.Pkg() == nil || !harmlessPackage(obj.Pkg().Path()) {
		return false
	}
	// What the library computes it returns, except for functions such as Draw, which fill what they are given.
	return !strings.HasPrefix(obj.Pkg().Path()+"/", libraryPath+"/") || !w.info.Types[call].IsVoid()
}

func harmlessPackage(path string) bool {
	return path == "fmt" || path == "log" || path == "os" || ours(path)
}

// constantType reports whether methods with pointer receivers leave the values of a type as they are. That holds for
// types of the library and for some of Go's.
func constantType(t *types.Named) bool {
	pkg := t.Obj().Pkg()
	if pkg == nil {
		return false
	}
	switch pkg.Path() + "." + t.Obj().Name() {
	case "regexp.Regexp", "net/url.URL", "time.Location", "text/template.Template", "html/template.Template":
		return true
	}
	return ours(pkg.Path())
}

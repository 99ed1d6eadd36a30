package cell

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// effects are what a computation may do outside of its program.
type effects struct {
	*checked
	seen    map[ast.Node]bool
	live    map[*ast.FuncLit]bool // function literals that the computation may call
	unknown bool                  // the computation calls functions of which it is not known which they are
	all     bool                  // so all function literals count
	acts    string                // a function that acts, as http.Post; "" if there is none
	varies  string                // a function that returns another value at each call; "" if there is none
}

func (k *checked) newEffects() *effects {
	return &effects{checked: k, seen: map[ast.Node]bool{}, live: map[*ast.FuncLit]bool{}}
}

// effectsOf looks at what the expressions of a definition call, directly or through functions that cells declare. A
// function literal that is only defined there does not count, unless the definition calls functions of maps, of fields
// or that others return.
func (k *checked) effectsOf(c *chunk) *effects {
	w := k.newEffects()
	if w.walkValues(c); w.unknown {
		w = k.newEffects()
		w.all = true
		w.walkValues(c)
	}
	return w
}

// walkValues looks at the expressions of a definition.
func (w *effects) walkValues(c *chunk) {
	k := w.checked
	from, to := c.bounds()
	ast.Inspect(k.file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		var values []ast.Expr
		switch n := n.(type) {
		case *ast.ValueSpec:
			values = n.Values
		case *ast.AssignStmt:
			values = n.Rhs
		}
		outermost := true
		for _, v := range values {
			if at := k.offset(v.Pos()); from <= at && at < to {
				w.walk(v)
				outermost = false
			}
		}
		return outermost // inside of a function literal that is only defined, others follow
	})
}

// walk looks at a tree.
func (w *effects) walk(n ast.Node) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	defined := map[ast.Node]bool{}
	if e, is := n.(ast.Expr); is {
		defined[ast.Unparen(e)] = true // f := func() {} calls nothing
	}
	calls := func(all ...ast.Expr) {
		for _, e := range all {
			if lit, is := ast.Unparen(e).(*ast.FuncLit); is {
				w.live[lit] = true
			}
		}
	}
	fields := func(n ast.Node) bool { // of a struct that a function takes
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			calls(n.Value)
		case *ast.CompositeLit:
			calls(n.Elts...)
		}
		_, function := n.(*ast.FuncLit)
		return !function
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return w.live[n] || w.all && !defined[n]
		case *ast.CallExpr:
			w.call(n)
			if w.keeps(n) {
				return true
			}
			calls(append([]ast.Expr{n.Fun}, n.Args...)...)
			for _, arg := range n.Args {
				ast.Inspect(arg, fields)
			}
		case *ast.AssignStmt:
			calls(n.Rhs...)
		case *ast.ValueSpec:
			calls(n.Values...)
		case *ast.Ident:
			switch obj := w.info.Uses[n].(type) {
			case *types.Func:
				w.function(obj.Origin())
			case *types.Var:
				w.variable(obj)
			}
		}
		return true
	})
}

// function looks at a function that is called, or that may be. Of a method of an interface it looks at all methods of
// that name that cells declare.
func (w *effects) function(f *types.Func) {
	if f.Pkg() == nil {
		return
	}
	recv := f.Signature().Recv()
	if f.Pkg() == w.pkg || recv != nil && types.IsInterface(recv.Type()) {
		for _, decl := range w.file.Decls {
			d, is := decl.(*ast.FuncDecl)
			if is && d.Body != nil && (d.Name.Pos() == f.Pos() || recv != nil && types.IsInterface(recv.Type()) &&
				d.Recv != nil && d.Name.Name == f.Name()) {
				w.walk(d.Body)
			}
		}
	}
	if f.Pkg() == w.pkg {
		return
	}
	path, name := f.Pkg().Path(), f.Pkg().Name()+"."+f.Name()
	owner := ""
	if recv != nil {
		if named := namedOf(recv.Type()); named != nil {
			owner = named.Obj().Name()
			name = f.Pkg().Name() + "." + owner + "." + f.Name()
		}
	}
	first, _, _ := strings.Cut(path, "/")
	switch {
	case path == "net/http" && !slices.Contains([]string{"", "Client", "Server", "Transport", "RoundTripper"},
		owner): // Header.Get
	case acting[path] != nil && acting[path].MatchString(f.Name()), ours(path) && saving.MatchString(f.Name()):
		w.acts = name
	case owner == "" && varying[path] != nil && varying[path].MatchString(f.Name()):
		w.varies = name
	case !ours(path) && !below(path, pure) &&
		(strings.Contains(first, ".") || !below(path, pureStd) && acting[path] == nil):
		w.acts = name
	}
}

// variable looks at the functions that a variable of a cell holds.
func (w *effects) variable(v *types.Var) {
	if v.Parent() != w.pkg.Scope() || !points(v.Type(), types.Typ[types.Invalid], map[types.Type]bool{}) {
		return
	}
	_, function := v.Type().Underlying().(*types.Signature)
	ast.Inspect(w.file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		for i, id := range spec.Names {
			if w.info.Defs[id] != v || len(spec.Values) == 0 {
				continue
			}
			value := spec.Values[min(i, len(spec.Values)-1)]
			if lit, is := ast.Unparen(value).(*ast.FuncLit); is {
				w.live[lit] = true
			}
			if function || w.all {
				w.walk(value)
			}
		}
		return true
	})
}

// call looks at what a call may call beside the function that it names: methods of what it passes as an interface, and
// functions of which it is not known which they are.
func (w *effects) call(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	if t := w.info.TypeOf(fun); t == nil || w.info.Types[fun].IsType() {
		return
	}
	sig, is := w.info.TypeOf(fun).Underlying().(*types.Signature)
	if !is {
		return // a builtin
	}
	_, static := callee(w.info, n).(*types.Func)
	_, literal := fun.(*ast.FuncLit)
	w.unknown = w.unknown || !static && !literal
	for i, arg := range n.Args {
		last := sig.Params().Len() - 1
		if last < 0 {
			return
		}
		param := sig.Params().At(min(i, last)).Type()
		if slice, is := param.Underlying().(*types.Slice); is && sig.Variadic() && i >= last {
			param = slice.Elem()
		}
		if in, is := param.Underlying().(*types.Interface); is {
			w.passed(w.info.TypeOf(arg), in)
		}
	}
}

// passed looks at the methods of a value by which a function that takes an interface may call it.
func (w *effects) passed(t types.Type, in *types.Interface) {
	if t == nil {
		return
	}
	names := []string{"String", "Error", "MarshalJSON", "MarshalText"} // of any
	for m := range in.Methods() {
		names = append(names, m.Name())
	}
	for _, name := range names {
		obj, _, _ := types.LookupFieldOrMethod(t, true, w.pkg, name)
		if f, is := obj.(*types.Func); is && (f.Pkg() == w.pkg || types.IsInterface(t)) {
			w.function(f.Origin())
		}
	}
}

// keeps reports whether a call only keeps a function that it takes, for later: a conversion, or sync.OnceValue.
func (w *effects) keeps(n *ast.CallExpr) bool {
	sel, is := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if w.info.Types[n.Fun].IsType() || !is {
		return w.info.Types[n.Fun].IsType()
	}
	f, is := w.info.Uses[sel.Sel].(*types.Func)
	return is && f.Pkg() != nil && f.Pkg().Path() == "sync" && strings.HasPrefix(f.Name(), "Once")
}

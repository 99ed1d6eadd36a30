package cell

import (
	"cmp"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// What sets something of its program, by its name as Go's library names such functions and methods: reading the code
// of that library for functions which write to variables of their packages finds no others, except for those of
// packages flag and expvar, in which a function defines what others look up, and for caches.
var (
	setters = regexp.MustCompile(`^(Set|Unset|Register|Handle(Func|HTTP)?$|Publish|Seed$|Ignore$|Use$|Clearenv$|Chdir$|GOMAXPROCS$|` +
		`AddExtensionType$|AddCleanup$|AfterFunc$)`)
	changes = regexp.MustCompile(`^(Set|Register|Handle(Func)?$|Publish|Add|Delete|Remove|Clear|Init$|Reset)`)
	news    = regexp.MustCompile(`^(New|Must|Make|Open|Create)`)
)

// inTheirPlace says what to do instead of a call, for some functions.
var inTheirPlace = map[string]string{"os.Setenv": "%env NAME VALUE sets it for all",
	"os.Unsetenv": "%env NAME VALUE sets it for all", "os.Chdir": "%cd FOLDER changes it for all",
	"math/rand.Seed": "make a generator, as in rng := rand.New(rand.NewPCG(1, 2)), which goes on in other cells"}

// sets reports whether a function of another package sets something of the program.
func sets(f *types.Func) bool {
	params := f.Signature().Params()
	switch path := f.Pkg().Path(); {
	case path == "flag" && params.Len() > 2, path == "expvar" && strings.HasPrefix(f.Name(), "New"):
		return true
	case path == "net/http" && f.Name() == "SetCookie": // in its argument
		return false
	}
	return setters.MatchString(f.Name())
}

// settings adds a note for what the cell sets in its program and outside of its variables, because the program ends
// with the cell.
func (k *checked) settings(prog *Program) {
	for _, c := range k.chunks {
		if !c.own {
			continue
		}
		for _, n := range k.nodesOf(c) {
			ast.Inspect(n, func(n ast.Node) bool {
				k.setting(n, prog)
				return true
			})
		}
	}
}

// setting adds a note if a node sets something.
func (k *checked) setting(n ast.Node, prog *Program) {
	variable := func(e ast.Expr) {
		if obj := k.ofPackage(e, 0); obj != nil && !k.led(obj.Pkg().Path()+"."+obj.Name()) {
			what := "this value of "
			if _, is := obj.(*types.Func); is {
				what = "what you set in "
			}
			k.said = append(k.said, obj.Pkg().Path()+"."+obj.Name())
			k.alone(obj, what, "", "set it in each cell that needs it", prog)
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		sel, is := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if !is {
			break
		}
		f, is := k.info.Uses[sel.Sel].(*types.Func)
		switch method := is && f.Signature().Recv() != nil; {
		case !is || f.Pkg() == nil || f.Pkg() == k.pkg:
		case method && changes.MatchString(f.Name()):
			variable(sel.X)
		case !method && sets(f) && !ours(f.Pkg().Path()):
			if f.Pkg().Path() == "log" {
				if k.led("log.Default") {
					break
				}
				k.said = append(k.said, "log.Default")
			}
			k.alone(f, "what ", " sets", cmp.Or(inTheirPlace[f.Pkg().Path()+"."+f.Name()],
				"call it in each cell that needs it"), prog)
		}
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if _, is := e.(*ast.Ident); !is {
				variable(e)
			}
		}
	case *ast.IncDecStmt:
		variable(n.X)
	case *ast.Ident:
		if obj := k.info.Uses[n]; obj != nil && obj.Pkg() == types.Unsafe && slices.Contains(looks, n.Name) {
			prog.note("unsafe", "a pointer that is kept leads other cells to its own value, and not to the memory "+
				"around it that package unsafe finds in this cell", k.s)
		}
	}
}

// alone adds a note about something of another package.
func (k *checked) alone(obj types.Object, before, after, help string, prog *Program) {
	name := obj.Pkg().Name() + "." + obj.Name()
	prog.note("sets "+name, before+name+after+" is for this cell alone, which is a program of its own: "+help, k.s)
}

// looks are the functions of package unsafe that look at memory which no variable has.
var looks = []string{"Add", "Pointer", "Slice", "String", "StringData"}

// ofPackage returns the variable of another package with which an expression begins, or the function that returns what
// its package has, such as log.Default; nil if the expression begins with anything else. A variable of the cell stands
// for what it is defined as, unless that is a pointer which package keep watches.
func (k *checked) ofPackage(e ast.Expr, depth int) types.Object {
	for depth < 10 {
		switch x := e.(type) {
		case *ast.Ident:
			if e = k.definedAs(x); e == nil {
				return nil
			}
			depth++
			continue
		case *ast.SelectorExpr:
			id, _ := x.X.(*ast.Ident)
			if _, is := k.info.Uses[id].(*types.PkgName); !is {
				break
			}
			v, is := k.info.Uses[x.Sel].(*types.Var)
			if !is {
				return nil
			}
			if _, is := v.Type().(*types.Pointer); is && depth > 0 {
				return nil
			}
			return v
		case *ast.TypeAssertExpr:
			e = x.X
			continue
		case *ast.CallExpr:
			if f := k.hands(x); f != nil && !(depth > 0 && f.Pkg().Path() == "log") {
				return f
			}
			return nil
		}
		if e = begins(e); e == nil {
			return nil
		}
	}
	return nil
}

// hands returns the function of another package that a call takes a pointer or an interface from which the function
// does not make, by its name and parameters; nil for others.
func (k *checked) hands(call *ast.CallExpr) types.Object {
	sel, is := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !is {
		return nil
	}
	f, is := k.info.Uses[sel.Sel].(*types.Func)
	if !is || f.Pkg() == nil || f.Pkg() == k.pkg || ours(f.Pkg().Path()) || f.Signature().Recv() != nil ||
		f.Signature().Results().Len() != 1 || news.MatchString(f.Name()) {
		return nil
	}
	for v := range f.Signature().Params().Variables() {
		if !types.Identical(v.Type(), types.Typ[types.String]) {
			return nil
		}
	}
	switch f.Signature().Results().At(0).Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return f
	}
	return nil
}

// definedAs returns the expression of the definition of a variable that leads to others, x := e, in this cell; nil if
// there is none.
func (k *checked) definedAs(id *ast.Ident) (e ast.Expr) {
	v, is := k.info.Uses[id].(*types.Var)
	if !is {
		return nil
	}
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice:
	default:
		return nil
	}
	ast.Inspect(k.file, func(n ast.Node) bool {
		var names []ast.Expr
		var values []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			names, values = n.Lhs, n.Rhs
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names = append(names, name)
			}
			values = n.Values
		}
		for i := range min(len(names), len(values)) {
			if name, is := names[i].(*ast.Ident); is && k.info.Defs[name] == v {
				e = values[i]
			}
		}
		return e == nil
	})
	return e
}

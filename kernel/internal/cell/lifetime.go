package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
)

// leaves reports whether the functions of a program start goroutines by go statements.
func (k *checked) leaves(reached map[*chunk]bool) (is bool) {
	ast.Inspect(k.file, func(n ast.Node) bool {
		if g, found := n.(*ast.GoStmt); found {
			c := k.chunkAt(k.offset(g.Pos()))
			is = is || c != nil && reached[c]
		}
		return !is
	})
	return is
}

// leaver returns the source of main_left, which says at the end of a program that goroutines end with it. A goroutine
// that is about to end has a moment for that.
func leaver() string {
	return `func main_left() {
	left := 0
	for range 20 {
		stacks := [1 << 16]byte{}
		text := string(stacks[:main_runtime.Stack(stacks[:], true)])
		if left = main_strings.Count(text, "\ncreated by main."); left == 0 {
			return
		}
		main_time.Sleep(main_time.Millisecond)
	}
	main_fmt.Fprintf(main_os.Stderr, "goroutines that end with the cell, before they are done: %d; wait for them, "+
		"as with a sync.WaitGroup\n", left)
}

`
}

// settings are functions that set something of their program, each with what to do instead; setters matches the names
// of others, which have no results.
var (
	settings = map[string]string{"os.Setenv": "%env NAME VALUE sets it for all",
		"os.Unsetenv": "%env NAME VALUE sets it for all", "os.Chdir": "%cd FOLDER changes it for all",
		"math/rand.Seed": "make a generator, as in rng := rand.New(rand.NewPCG(1, 2)), which goes on in other cells",

		"runtime.SetFinalizer": ""} // a value's own
	setters = regexp.MustCompile(`^(Set|Register|Handle|Publish)`)
)

// settings adds a note for what the cell sets in its program and outside of its variables, because the program ends
// with the cell.
func (k *checked) settings(prog *Program) {
	note := func(name, what, help string) {
		prog.note("sets "+name, fmt.Sprintf("%s is for this cell alone, which is a program of its own: %s", what, help),
			k.s)
	}
	own := func(n ast.Node) bool {
		c := k.chunkAt(k.offset(n.Pos()))
		return c != nil && c.own
	}
	ast.Inspect(k.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			sel, is := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			if !is || !own(n) {
				break
			}
			f, is := k.info.Uses[sel.Sel].(*types.Func)
			if !is || f.Pkg() == nil || f.Pkg() == k.pkg || f.Signature().Recv() != nil {
				break
			}
			help, known := settings[f.Pkg().Path()+"."+f.Name()]
			if !known && f.Signature().Results().Len() == 0 && setters.MatchString(f.Name()) {
				help = "call it in each cell that needs it"
			}
			if name := f.Pkg().Name() + "." + f.Name(); help != "" {
				note(name, "what "+name+" sets", help)
			}
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if v := k.ofPackage(e); v != nil && own(n) {
					name := v.Pkg().Name() + "." + v.Name()
					note(name, "this value of "+name, "set it in each cell that needs it")
				}
			}
		}
		return true
	})
}

// ofPackage returns the variable of another package with which an expression begins; nil if it begins with anything
// else.
func (k *checked) ofPackage(e ast.Expr) *types.Var {
	for ; e != nil; e = begins(e) {
		if x, is := e.(*ast.SelectorExpr); is {
			if id, is := x.X.(*ast.Ident); is {
				if _, is := k.info.Uses[id].(*types.PkgName); is {
					v, _ := k.info.Uses[x.Sel].(*types.Var)
					return v
				}
			}
		}
	}
	return nil
}

package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// acting are the functions and methods of Go's library that change something outside of their program, or ask others
// to, by the path of their package. To read a file is not among them, nor is what ends with the program, as os.Setenv.
var acting = map[string]*regexp.Regexp{
	"os": regexp.MustCompile(`^(Create\w*|OpenFile|WriteFile|Remove\w*|Rename|Mkdir\w*|Chmod|Chown|Chtimes|Lchown|Truncate|Link|Symlink|` +
		`StartProcess|CopyFS|Kill|Signal)$`),
	"os/exec":      regexp.MustCompile(`^(Run|Output|CombinedOutput|Start)$`),
	"net":          regexp.MustCompile(`^(Dial|Listen)\w*$`),
	"net/http":     regexp.MustCompile(`^(Get|Head|Post|PostForm|Do|RoundTrip|ListenAndServe\w*|Serve|ServeTLS)$`),
	"net/smtp":     regexp.MustCompile(`^(SendMail|Dial|Mail|Rcpt|Data)$`),
	"net/rpc":      regexp.MustCompile(`^(Dial\w*|Call|Go)$`),
	"database/sql": regexp.MustCompile(`^(Exec|Query|Begin)\w*$|^(Commit|Rollback)$`),
	"io/ioutil":    regexp.MustCompile(`^(WriteFile|Temp\w+)$`),
	"syscall":      regexp.MustCompile(`^([^G]|G[^e])`),
}

// saving are the functions and methods of the library that write files.
var saving = regexp.MustCompile(`^(Save\w*|WriteFile)$`)

// pure are the modules of others whose functions only compute.
var pure = []string{"gonum.org/v1/", "github.com/gomlx/", "golang.org/x/exp/", "golang.org/x/image/",
	"golang.org/x/sync/", "golang.org/x/text/"}

// effects are what a computation may do outside of its program.
type effects struct {
	*checked
	seen map[ast.Node]bool
	live map[*ast.FuncLit]bool // function literals that the computation may call
	acts string                // a function that acts, as http.Post; "" if there is none
	may  string                // a function of a module that nobody here knows; "" if there is none
}

func (k *checked) newEffects() *effects {
	return &effects{checked: k, seen: map[ast.Node]bool{}, live: map[*ast.FuncLit]bool{}}
}

// effectsOf looks at what the expressions of a definition call, directly or through functions that cells declare. A
// function literal that is only defined there does not count.
func (k *checked) effectsOf(c *chunk) *effects {
	w := k.newEffects()
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
	return w
}

// walk looks at a tree.
func (w *effects) walk(n ast.Node) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	calls := func(all ...ast.Expr) {
		for _, e := range all {
			if lit, is := ast.Unparen(e).(*ast.FuncLit); is {
				w.live[lit] = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return w.live[n]
		case *ast.CallExpr:
			calls(append([]ast.Expr{n.Fun}, n.Args...)...)
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
	if f.Pkg() == w.pkg {
		recv := f.Signature().Recv()
		for _, decl := range w.file.Decls {
			d, is := decl.(*ast.FuncDecl)
			if is && d.Body != nil && (d.Name.Pos() == f.Pos() || recv != nil && types.IsInterface(recv.Type()) &&
				d.Recv != nil && d.Name.Name == f.Name()) {
				w.walk(d.Body)
			}
		}
		return
	}
	path, name := f.Pkg().Path(), f.Pkg().Name()+"."+f.Name()
	owner := ""
	if recv := f.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, is := t.(*types.Pointer); is {
			t = types.Unalias(p.Elem())
		}
		if named, is := t.(*types.Named); is {
			owner = named.Obj().Name()
			name = f.Pkg().Name() + "." + owner + "." + f.Name()
		}
	}
	first, _, _ := strings.Cut(path, "/")
	ours := strings.HasPrefix(path, strings.TrimSuffix(vizPath, "viz"))
	switch {
	case path == "net/http" && !slices.Contains([]string{"", "Client", "Server", "Transport", "RoundTripper"},
		owner): // Header.Get
	case acting[path] != nil && acting[path].MatchString(f.Name()), ours && saving.MatchString(f.Name()):
		w.acts = name
	case !ours && strings.Contains(first, ".") && !slices.ContainsFunc(pure,
		func(p string) bool { return strings.HasPrefix(path+"/", p) }):
		w.may = name
	}
}

// variable looks at a function that a variable of a cell holds.
func (w *effects) variable(v *types.Var) {
	if _, is := v.Type().Underlying().(*types.Signature); !is || v.Parent() != w.pkg.Scope() {
		return
	}
	ast.Inspect(w.file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		for i, id := range spec.Names {
			if w.info.Defs[id] == v && len(spec.Values) == len(spec.Names) {
				if lit, is := ast.Unparen(spec.Values[i]).(*ast.FuncLit); is {
					w.live[lit] = true
				}
				w.walk(spec.Values[i])
			}
		}
		return true
	})
}

// twice refuses a cell that would compute another cell's definition again although that acts, as http.Post does. If
// nobody knows whether it does, twice adds a note.
func (k *checked) twice(reached map[*chunk]bool, prog *Program) error {
	if k.s.Values == "" {
		return nil // a page has neither files nor a network
	}
	for _, c := range k.chunks {
		if c.own || c.kind != variable || !reached[c] || c.loaded || c.rhs == 0 {
			continue
		}
		names := strings.Join(c.kept(), ", ")
		e := k.effectsOf(c)
		if e.acts == "" {
			if e.may != "" {
				prog.note("again "+names, fmt.Sprintf("%s of cell %d is computed again here, by %s: if that changes anything "+
					"outside, take what you need in cell %d",
					names, c.entry.number, e.may, c.entry.number), k.s)
			}
			continue
		}
		p := Problem{Cell: k.entry.number, Text: fmt.Sprintf("%s of cell %d would be computed again here, and %s "+
			"called again", names, c.entry.number, e.acts)}
		if k.recordOf(c) == nil {
			p.Help = fmt.Sprintf("it cannot be kept: take what you need of it in cell %d, as numbers, texts, slices or "+
				"structs of these, or in a file that other cells read", c.entry.number)
		} else {
			p.Help = fmt.Sprintf("cell %d %s: use it there, or run that cell again", c.entry.number, k.left(c))
		}
		for _, id := range k.idents {
			if own := k.chunkAt(k.offset(id.Pos())); own != nil && own.own && slices.ContainsFunc(c.names,
				func(n name) bool { return k.object(c, n) == k.info.Uses[id] }) {
				at := k.files.Position(id.Pos())
				p.Line, p.Column, p.Source = at.Line, at.Column, lineOf(k.entry.script.text, at.Line)
				break
			}
		}
		return Problems{p}
	}
	return nil
}

// left says why a definition whose type can be kept was not.
func (k *checked) left(c *chunk) string {
	how := k.recordOf(c)
	for _, name := range how.names {
		text, err := safefile.Read(filepath.Join(k.s.Values, how.file(name)+".error"), 1<<16)
		if first, _, _ := strings.Cut(string(text), "\n"); err == nil {
			return fmt.Sprintf("ended with the error %q, and only an error that is nil can be kept", first)
		}
	}
	return "left no value that can be kept"
}

// initialisers adds a note for a function of the cell that acts and runs in the program of every later cell.
func (k *checked) initialisers(prog *Program) {
	for _, c := range k.chunks {
		if !c.own || !c.initialises() {
			continue
		}
		e := k.newEffects()
		for _, decl := range k.file.Decls {
			if f, is := decl.(*ast.FuncDecl); is && f.Body != nil && k.chunkAt(k.offset(f.Name.Pos())) == c {
				e.walk(f.Body)
			}
		}
		if e.acts != "" {
			name := c.names[0].string
			prog.note("every "+name, fmt.Sprintf("%s runs before every later cell, and calls %s each time: call it in a "+
				"cell if it should run once", name, e.acts), k.s)
		}
	}
}

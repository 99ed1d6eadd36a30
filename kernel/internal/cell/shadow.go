package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

// ofGo reports whether Go itself declares a name, such as len, string or nil.
func ofGo(name string) bool { return types.Universe.Lookup(name) != nil }

// needed are the names of Go that the code around cells contains.
var needed = []string{"any", "append", "bool", "byte", "error", "false", "int", "len", "nil", "panic", "string", "true"}

// namesOfGo refuses a declaration outside of main that takes a name of Go which the code around cells needs.
func (p *program) namesOfGo() error {
	wrong := func(d *def, n name) error {
		return Problems{p.entry.problem(d.from+n.at,
			fmt.Sprintf("%s is a name of Go itself, and every program needs it", n.string)).
			with("give it another name")}
	}
	for _, c := range p.chunks {
		for _, n := range c.names {
			if c.own && !c.local && c.recv == "" && slices.Contains(needed, n.string) {
				return wrong(c.def, n)
			}
		}
	}
	for _, d := range p.imports {
		if ofGo(d.names[0].string) {
			return wrong(d, d.names[0])
		}
	}
	return nil
}

// nameOfGo is the reason why a variable with a name of Go stays in its cell: in others the name has to mean what Go
// means.
func nameOfGo(number int) *stay {
	return &stay{fmt.Sprintf("has a name that Go itself uses (cell %d)", number), "give it another name there"}
}

// taken adds a note for each name of a package or of Go that the cell takes for a definition of its own.
func (s *Session) taken(e *entry, p *Program) {
	for _, n := range slices.Sorted(maps.Keys(e.stays)) {
		if ofGo(n) && e.stays[n] == *nameOfGo(e.number) {
			p.note("takes "+n, n+" is a name that Go itself uses: your "+n+" is for this cell alone, and other "+
				"cells mean Go's; give it another name to use it there", s)
		}
	}
	for _, d := range e.defs {
		if d.recv != "" {
			continue
		}
		for _, n := range d.kept() {
			switch {
			case d.initialises():
				p.note("runs "+n, fmt.Sprintf("%s runs at the beginning of every cell from now on: if it is to run "+
					"once, write its statements into a cell; %%rm %s forgets it", n, n), s)
			case d.kind == imports && (d.path == s.packageOf(n) || path.Base(d.path) == n || !s.known(n)):
			case d.kind == imports:
				p.note("takes "+n, fmt.Sprintf(
					"%s means the package %s in every cell from now on, and hides %s: import it by "+
						"another name, or forget it with %%rm %s", n, d.path, s.packageOf(n), n), s)
			case ofGo(n):
				p.note("takes "+n, fmt.Sprintf(
					"%s hides Go's own %s in every cell from now on: give it another name, or "+
						"forget it with %%rm %s", n, n, n), s)
			case s.known(n) && ours(s.packageOf(n)) && d.kind != typed:
				if d.kind != variable {
					continue // nobody selects from a function or a constant
				}
				p.note("takes "+n, fmt.Sprintf(
					"%s is a variable in every cell from now on, and the name of a package: %s.Name means the package "+
						"where the variable has no such name; %%rm %s forgets the variable", n, n, n), s)
			case s.known(n):
				p.note("takes "+n, fmt.Sprintf(
					"%s hides the package %s in every cell from now on: give it another name, or "+
						"forget it with %%rm %s", n, n, n), s)
			}
		}
	}
}

// usual are packages of Go below others that are used without a thought, as those at the top are.
var usual = []string{"encoding/csv", "encoding/json", "math/bits", "math/cmplx", "math/rand", "math/rand/v2",
	"net/http", "net/url", "os/exec", "path/filepath", "unicode/utf8"}

// known reports whether a name is that of a package that people of this library know. There are many others, with names
// such as list, user and token, of which nobody thinks.
func (s *Session) known(name string) bool {
	pkg := s.packageOf(name)
	return pkg != "" && (!strings.Contains(pkg, "/") || slices.Contains(usual, pkg) ||
		ours(pkg) || strings.HasPrefix(pkg, "gonum.org/v1/gonum/") &&
		!strings.HasPrefix(pkg, "gonum.org/v1/gonum/spatial/")) // r1, r2, r3
}

// packageOf returns the path of the package that code can mean by a name; "" if there is none.
func (s *Session) packageOf(name string) string {
	if p, is := s.Packages.(interface{ First(name string) string }); is { // without reading the package
		return p.First(name)
	}
	if !slices.Contains(s.Packages.Names(), name) {
		return ""
	}
	return s.Packages.Find(name, []string{""})
}

// hidden says of an error that it may come from a name which hides a package or a name of Go, and what to do; "" if
// there is no such name at the place of the error. If the error is about a member, the package has to have it.
func (k *checked) hidden(pos token.Pos, member string) string {
	for _, id := range k.rootsAt(pos) {
		n := id.Name
		if why, is := k.stays[n]; is && ofGo(n) {
			return fmt.Sprintf("%s %s, and means Go's own here: %s", n, why.why, why.help)
		}
		obj := k.info.Uses[id]
		if _, is := obj.(*types.PkgName); is || obj == nil {
			continue
		}
		what := "the package"
		if ofGo(n) {
			what = "Go's own " + n
		} else if other := k.s.packageOf(n); other == "" {
			continue
		} else if pkg, err := k.s.Packages.Import(other); member != "" &&
			(err != nil || pkg.Scope().Lookup(member) == nil) {
			continue
		}
		for _, c := range k.chunks {
			for _, own := range c.names {
				if own.string != n || c.recv != "" || k.object(c, own) != obj {
					continue
				}
				line, _ := position(c.entry.script.text, c.from+own.at)
				if c.own {
					return fmt.Sprintf("%s is defined in line %d and hides %s: give it another name", n, line, what)
				}
				return fmt.Sprintf("%s is defined in cell %d, line %d, and hides %s: give it another name there, or "+
					"forget it with %%rm %s", n, c.entry.number, line, what, n)
			}
		}
	}
	return ""
}

// hiddenPackage says of a member that an imported package has not that another package of this name has it, and which
// cell took the name; "" if that is not so.
func (k *checked) hiddenPackage(name, member string) string {
	other, imported := k.s.packageOf(name), k.paths[name]
	if d, _ := k.s.lookup(name, k.entry); other != "" && other != imported && member != "" && d != nil &&
		d.kind == imports {
		if pkg, err := k.s.Packages.Import(other); err == nil && pkg.Scope().Lookup(member) != nil {
			return fmt.Sprintf("%s is the package %s since cell %d, and hides %s: import it by another name there, or "+
				"forget it with %%rm %s", name, imported, d.entry.number, other, name)
		}
	}
	return ""
}

// rootsAt returns the identifiers with which the expressions at a position begin: gp of gp.RBF, and len of len(x). The
// innermost come first.
func (k *checked) rootsAt(pos token.Pos) (ids []*ast.Ident) {
	ast.Inspect(k.file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() < pos {
			return false
		}
		for e, _ := n.(ast.Expr); e != nil; {
			switch x := e.(type) {
			case *ast.Ident:
				ids = append(ids, x)
				return true
			case *ast.CallExpr:
				e = x.Fun
			case *ast.CompositeLit:
				e = x.Type
			default:
				e = begins(e)
			}
		}
		return true
	})
	slices.Reverse(ids)
	return slices.Compact(ids)
}

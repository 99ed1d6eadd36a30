package cell

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// here stands in a program for the name that is being typed.
const here = "main_here"

// Suggest returns the names that could stand at an offset of a cell, and the offset at which the name begins that is
// being typed.
func (s *Session) Suggest(c Cell, at int) (found []string, from int) {
	code := read(c.Source).code
	if at > len(code) {
		return nil, at
	}
	if found, from, is := files(code, at); is {
		return found, from
	}
	from = wordStart(code, at)
	prefix := code[from:at]
	if prefix != "" && unicode.IsDigit(rune(prefix[0])) {
		return nil, from
	}
	k, path := s.lookAt(c, code[:from]+here, from)
	if path == nil {
		return nil, from
	}
	first, others := k.candidates(path, prefix != "")
	matching := func(names []string) []string {
		names = slices.DeleteFunc(names, func(n string) bool {
			return n == "_" || n == "main" || strings.HasPrefix(n, "main_") || len(n) < len(prefix) ||
				!strings.EqualFold(n[:len(prefix)], prefix)
		})
		slices.SortFunc(names, func(a, b string) int { // names with the letters as typed come first
			if x, y := strings.HasPrefix(a, prefix), strings.HasPrefix(b, prefix); x != y {
				return map[bool]int{true: -1, false: 1}[x]
			}
			return cmp.Compare(a, b)
		})
		return slices.Compact(names)
	}
	found = matching(first)
	for _, some := range others {
		for _, n := range matching(some) {
			if !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	return found, from
}

// candidates returns the names that can stand at the end of a path. The names in first belong there in particular, as
// the fields of a struct in its literal. As long as no letter is typed, Go's own names and the names of packages are
// left out, because they would be too many. The others come in the order in which people mean them: names of cells, of
// the place, of packages that everybody knows, the rest.
func (k *checked) candidates(path []ast.Node, typed bool) (first []string, others [][]string) {
	id := path[len(path)-1].(*ast.Ident)
	if len(path) > 1 {
		switch parent := path[len(path)-2].(type) {
		case *ast.SelectorExpr:
			if parent.Sel == id {
				return k.selectable(parent.X), nil
			}
		case *ast.CompositeLit:
			first = fieldsOf(k.info.TypeOf(parent))
		case *ast.KeyValueExpr:
			if lit, is := path[max(0, len(path)-3)].(*ast.CompositeLit); is && parent.Key == id {
				return fieldsOf(k.info.TypeOf(lit)), nil
			}
		}
	}
	var own, scoped, packages, rest []string
	for scope := k.pkg.Scope().Innermost(id.Pos()); scope != nil; scope = scope.Parent() {
		if scope == types.Universe && !typed {
			break
		}
		for _, n := range scope.Names() {
			if obj := scope.Lookup(n); scope == types.Universe || obj.Parent() == k.pkg.Scope() ||
				obj.Pos() < id.Pos() {
				scoped = append(scoped, n)
			}
		}
	}
	for _, e := range k.s.entries {
		for _, d := range e.defs {
			if d.recv == "" {
				own = append(own, d.kept()...)
			}
		}
	}
	if typed {
		for _, n := range k.s.Packages.Names() {
			if k.s.known(n) {
				packages = append(packages, n)
			} else if !strings.HasPrefix(n, "liberation") { // fonts, each a package
				rest = append(rest, n)
			}
		}
	}
	return first, [][]string{own, scoped, packages, rest}
}

// selectable returns the names that can stand behind an expression and a dot.
func (k *checked) selectable(x ast.Expr) []string {
	if id, is := x.(*ast.Ident); is {
		if pkg, is := k.info.Uses[id].(*types.PkgName); is {
			return slices.DeleteFunc(pkg.Imported().Scope().Names(),
				func(n string) bool { return !token.IsExported(n) })
		}
	}
	return selectable(k.info.TypeOf(x))
}

// selectable returns the names that can stand behind a variable of a type and a dot.
func selectable(t types.Type) []string {
	if t == nil {
		return nil
	}
	if _, is := t.Underlying().(*types.Pointer); !is && !types.IsInterface(t) {
		return members(types.NewPointer(t))
	}
	return members(t)
}

// fieldsOf returns the fields of a struct that a composite literal can set.
func fieldsOf(t types.Type) (all []string) {
	if t == nil {
		return nil
	}
	s, is := t.Underlying().(*types.Struct)
	if p, pointer := t.Underlying().(*types.Pointer); pointer {
		s, is = p.Elem().Underlying().(*types.Struct) // &T{} in a slice of pointers may leave out the type
	}
	if !is {
		return nil
	}
	for f := range s.Fields() {
		if f.Exported() || f.Pkg() != nil && f.Pkg().Path() == "main" {
			all = append(all, f.Name())
		}
	}
	return all
}

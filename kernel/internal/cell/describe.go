package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// Described is what is known about a name in a cell.
type Described struct {
	Text string   // declaration of the name, as Go writes it
	Doc  []string // package, and name in it, for which `go doc` has more; nil if there is none
}

// Describe describes the name at an offset of a cell. If no name is there, it describes the name of the call or literal
// around the offset.
func (s *Session) Describe(c Cell, at int) (d Described, ok bool) {
	code := read(c.Source).code
	if at > len(code) {
		return d, false
	}
	end := len(code) - len(strings.TrimLeftFunc(code[at:], inWord))
	from := wordStart(code, end)
	if from == end || unicode.IsDigit(rune(code[from])) { // not at a name: at the arguments of one
		if end = opener(code[:at]); end < 0 {
			return d, false
		}
		from = wordStart(code, end)
	}
	k, path := s.lookAt(c, code[:end], from)
	if path == nil {
		return d, false
	}
	id := path[len(path)-1].(*ast.Ident)
	obj := k.info.Uses[id]
	if obj == nil {
		obj = k.info.Defs[id]
	}
	if len(path) > 1 {
		if field := fieldOf(k.info, path[len(path)-2], id); field != nil {
			obj = field
		}
	}
	if obj == nil {
		return d, false
	}
	d.Text = types.ObjectString(obj, func(pkg *types.Package) string {
		if pkg == k.pkg {
			return ""
		}
		return pkg.Name()
	})
	pkg := obj.Pkg()
	if name, is := obj.(*types.PkgName); is {
		d.Doc = []string{name.Imported().Path()}
	} else if pkg != nil && pkg != k.pkg {
		name := obj.Name()
		if owner := k.ownerAt(id.Pos()); owner != nil && obj.Parent() != pkg.Scope() {
			if named := namedOf(owner); named != nil {
				name = named.Obj().Name() + "." + name
			}
		}
		d.Doc = []string{pkg.Path(), name}
	}
	return d, true
}

// fieldOf returns the field of a struct that a name in its literal means; nil if it means anything else.
func fieldOf(info *types.Info, literal ast.Node, id *ast.Ident) types.Object {
	lit, is := literal.(*ast.CompositeLit)
	if !is || !slices.Contains(lit.Elts, ast.Expr(id)) || !slices.Contains(fieldsOf(info.TypeOf(lit)), id.Name) {
		return nil
	}
	field, _, _ := types.LookupFieldOrMethod(info.TypeOf(lit), true, nil, id.Name)
	return field
}

// opener returns where the name ends that stands before the innermost open bracket at the end of a text; -1 if there is
// none.
func opener(code string) int {
	all, _ := lexemes(code)
	depth := 0
	for i := len(all) - 1; i > 0; i-- {
		if depth -= bracket(all[i].tok); depth < 0 && all[i-1].tok == token.IDENT {
			return all[i-1].to
		}
		depth = max(depth, 0)
	}
	return -1
}

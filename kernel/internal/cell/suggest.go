package cell

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
			return n == "_" || n == "main" || strings.HasPrefix(n, "main_") || len(n) < len(prefix) || !strings.EqualFold(n[:len(prefix)], prefix)
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
	for _, n := range matching(others) {
		if !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	return found, from
}

// wordStart returns the offset at which the name begins that ends at an offset.
func wordStart(code string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(code[:at])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		at -= size
	}
	return at
}

// lookAt checks a cell that ends in a name, which begins at an offset. It closes open brackets and puts the cell into a
// program with the definitions of other cells. It returns the nodes around the name, the outermost first; nil if there
// are none.
func (s *Session) lookAt(c Cell, code string, at int) (*checked, []ast.Node) {
	from, _ := typing(code, at)
	part := code[from:]
	closers := ""
	all, _ := lexemes(part)
	for _, l := range all {
		switch l.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			closers = closing[l.tok].String() + closers
		case token.RPAREN, token.RBRACK, token.RBRACE:
			closers = strings.TrimPrefix(closers, l.tok.String())
		}
	}
	var k *checked
	for _, body := range []string{"", " {}", ": 0"} { // for a whole cell, the head of an if or for, and a key
		c.Source = code[:from] + part + body + closers
		text, place, ok := s.around(c, at)
		if !ok {
			return nil, nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "main.go", "package main\n"+text, parser.SkipObjectResolution)
		if err != nil && k != nil {
			continue
		}
		k = &checked{program: &program{s: s}, files: files, file: file}
		k.types()
		path := pathTo(file, files.File(file.Pos()).Pos(place+len("package main\n")))
		if err == nil && path != nil {
			return k, path
		}
	}
	if k == nil {
		return nil, nil
	}
	return k, nil
}

// pathTo returns the nodes around a name that begins at a position, the outermost first and the name last; nil if no
// name begins there.
func pathTo(file *ast.File, pos token.Pos) []ast.Node {
	var path []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || n.Pos() > pos || pos >= n.End() {
			return false
		}
		path = append(path, n)
		return true
	})
	if len(path) == 0 {
		return nil
	}
	if _, is := path[len(path)-1].(*ast.Ident); !is {
		return nil
	}
	return path
}

// candidates returns the names that can stand at the end of a path. The names in first belong there in particular, as
// the fields of a struct in its literal. As long as no letter is typed, Go's own names and the names of packages are
// left out, because they would be too many.
func (k *checked) candidates(path []ast.Node, typed bool) (first, others []string) {
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
	for scope := k.pkg.Scope().Innermost(id.Pos()); scope != nil; scope = scope.Parent() {
		if scope == types.Universe && !typed {
			break
		}
		for _, n := range scope.Names() {
			if obj := scope.Lookup(n); scope == types.Universe || obj.Parent() == k.pkg.Scope() || obj.Pos() < id.Pos() {
				others = append(others, n)
			}
		}
	}
	for _, e := range k.s.entries {
		for _, d := range e.defs {
			if d.recv == "" {
				others = append(others, d.kept()...)
			}
		}
	}
	if typed {
		others = append(others, k.s.Packages.Names()...)
	}
	return first, others
}

// selectable returns the names that can stand behind an expression and a dot.
func (k *checked) selectable(x ast.Expr) []string {
	if id, is := x.(*ast.Ident); is {
		if pkg, is := k.info.Uses[id].(*types.PkgName); is {
			return slices.DeleteFunc(pkg.Imported().Scope().Names(), func(n string) bool { return !token.IsExported(n) })
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
	end := at
	for end < len(code) && wordStart(code, end+1) <= at && wordStart(code, end+1) < end+1 {
		end++
	}
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
			if p, is := types.Unalias(owner).(*types.Pointer); is {
				owner = p.Elem()
			}
			if named, is := types.Unalias(owner).(*types.Named); is {
				name = named.Obj().Name() + "." + name
			}
		}
		d.Doc = []string{pkg.Path(), name}
	}
	return d, true
}

// opener returns where the name ends that stands before the innermost open bracket at the end of a text; -1 if there is
// none.
func opener(code string) int {
	all, _ := lexemes(code)
	depth := 0
	for i := len(all) - 1; i > 0; i-- {
		switch all[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth--; depth < 0 && all[i-1].tok == token.IDENT {
				return all[i-1].to
			}
			depth = max(depth, 0)
		}
	}
	return -1
}

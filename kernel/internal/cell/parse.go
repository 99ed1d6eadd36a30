package cell

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// The texts around a declaration and around a statement, which make files for Go's parser of them.
const (
	declPrefix             = "package p;"
	bodyPrefix, bodySuffix = "package p;func _(){", "\n}"
)

// part is a declaration or a statement of a cell, parsed.
type part struct {
	span
	text  string
	names []name // names that it declares
	uses  names  // names that it uses and does not declare: of Go, packages, other parts and other cells
	value int    // for variables: offset in text at which types or values begin
	short bool   // for variables: declared by :=
	rhs   int    // for variables: offset in text of the expressions that compute them; 0 if there are none
	recv  string // for methods: name of the type
	path  string // for imports: path of the package
	// several tells of a statement that it is several values, in a literal that nobody typed.
	several bool
}

// name is a name that is declared, at an offset of the part's text.
type name struct {
	string
	at int
}

// names are the names that a text uses and does not declare, each with the members that the text selects from it, as
// Println from fmt.
type names map[string][]string

// parse parses a span. It returns one part for each declaration in a group of variables or imports, so that var ( a =
// 1; b = 2 ) gives two parts, and one part for anything else.
func parse(code string, s span) ([]part, *complaint) {
	text := code[s.from:s.to]
	prefix, suffix := bodyPrefix, bodySuffix
	if s.kind != statement && !(s.kind == variable && !strings.HasPrefix(text, "var")) {
		prefix, suffix = declPrefix, ""
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", prefix+text+suffix, 0)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		at, message := list[0].Pos.Offset-len(prefix), list[0].Msg
		if at >= len(text) { // at the bracket of the suffix, which nobody typed
			message = strings.Replace(message, "found '}'", "found the end of the statement", 1)
		}
		return nil, &complaint{s.from + min(max(at, 0), len(text)), message}
	}
	at := func(pos token.Pos) int { return min(files.Position(pos).Offset-len(prefix), len(text)) }
	whole := part{span: s, text: text, uses: usesOf(file)}
	declare := func(p *part, ids ...*ast.Ident) {
		for _, id := range ids {
			p.names = append(p.names, name{id.Name, at(id.Pos()) - (p.from - s.from)})
		}
	}
	switch decl := file.Decls[0].(type) {
	case *ast.FuncDecl:
		if s.kind == function {
			declare(&whole, decl.Name)
			if decl.Recv != nil && len(decl.Recv.List) > 0 {
				whole.recv = receiver(decl.Recv.List[0].Type)
			}
		} else if assign, is := lone[*ast.AssignStmt](decl.Body); is && assign.Tok == token.DEFINE {
			for _, lhs := range assign.Lhs {
				if id, ok := lhs.(*ast.Ident); ok {
					declare(&whole, id)
				}
			}
			whole.value, whole.short, whole.rhs = at(assign.TokPos), true, at(assign.Rhs[0].Pos())
		} else if whole.kind == variable {
			whole.kind = statement // x := in a place where Go's parser saw something else
		}
	case *ast.GenDecl:
		if decl.Tok == token.VAR || decl.Tok == token.IMPORT {
			var parts []part
			for _, spec := range decl.Specs {
				parts = append(parts, specPart(whole, spec, at, declare))
			}
			return parts, nil
		}
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				declare(&whole, spec.Name)
			case *ast.ValueSpec:
				declare(&whole, spec.Names...)
			}
		}
	}
	return []part{whole}, nil
}

// What stands around several values at the end of a cell, so that they are one.
const severalPrefix, severalSuffix = "[]any{", "}"

// parseSeveral parses a span of values between commas.
func parseSeveral(code string, s span) (parts []part, is bool) {
	text := severalPrefix + code[s.from:s.to] + severalSuffix
	parts, wrong := parse(text, span{kind: statement, to: len(text), hidden: s.hidden})
	if wrong != nil || len(parts) != 1 {
		return nil, false
	}
	parts[0].span, parts[0].several = s, true
	return parts, true
}

// specPart returns the part of one variable declaration or import of a group.
func specPart(whole part, spec ast.Spec, at func(token.Pos) int, declare func(*part, ...*ast.Ident)) part {
	p := whole
	from, to := at(spec.Pos()), at(spec.End())
	p.text, p.from, p.to = whole.text[from:to], whole.from+from, whole.from+to
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		declare(&p, spec.Names...)
		last := spec.Names[len(spec.Names)-1]
		p.value = at(last.End()) - from
		if len(spec.Values) > 0 {
			p.rhs = at(spec.Values[0].Pos()) - from
		}
		if file, err := parser.ParseFile(token.NewFileSet(), "", declPrefix+"var "+p.text, 0); err == nil {
			p.uses = usesOf(file) // the uses of the whole group leave out the names that the group declares
		}
	case *ast.ImportSpec:
		p.path = strings.Trim(spec.Path.Value, "`\"")
		if spec.Name != nil {
			declare(&p, spec.Name)
		}
	}
	return p
}

// lone returns the only statement of a body, if it has one statement and that is of type S.
func lone[S ast.Stmt](body *ast.BlockStmt) (s S, is bool) {
	if len(body.List) == 1 {
		s, is = body.List[0].(S)
	}
	return s, is
}

// receiver returns the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}

// usesOf returns the names that a file uses and does not declare. Fields in composite literals may be among them,
// because only types tell a field from the key of a map.
func usesOf(file *ast.File) names {
	free := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		free[id] = true
	}
	uses := names{}
	add := func(id *ast.Ident, members ...string) { uses[id.Name] = append(uses[id.Name], members...) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && free[id] {
				add(id, n.Sel.Name)
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Obj == nil {
				add(id)
			}
		case *ast.Ident:
			if free[n] {
				add(n)
			}
		}
		return true
	})
	return uses
}

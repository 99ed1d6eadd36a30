package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// checked is a program whose types are known.
type checked struct {
	*program
	text   string
	files  *token.FileSet
	file   *ast.File
	pkg    *types.Package
	info   *types.Info
	idents []*ast.Ident // all identifiers, in the order of the text
	errors []types.Error
	sure   map[types.Object]token.Pos // variables to which the cell assigns, for a page
}

// check finds the types in the program, and its errors. The error that it returns is one of the parser.
func (p *program) check() (*checked, error) {
	k := &checked{program: p, text: p.render(nil, p.paths), files: token.NewFileSet()}
	var err error
	if k.file, err = parser.ParseFile(k.files, "main.go", k.text, parser.SkipObjectResolution); err != nil {
		return nil, err // an error in the text around the cell, whose parts were parsed before
	}
	k.types()
	ast.Inspect(k.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k.idents = append(k.idents, id)
		}
		return true
	})
	slices.SortFunc(k.idents, func(x, y *ast.Ident) int { return int(x.Pos() - y.Pos()) })
	return k, nil
}

// types finds the types in the file, and the errors.
func (k *checked) types() {
	k.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: k.s.Packages,
		Error: func(err error) { k.errors = append(k.errors, err.(types.Error)) }}
	k.pkg, _ = config.Check("main", k.files, []*ast.File{k.file}, k.info)
}

// offset returns the offset of a position in the text of the program.
func (k *checked) offset(pos token.Pos) int { return k.files.PositionFor(pos, false).Offset }

// bounds returns where the text of a chunk, as typed, begins and ends in the program.
func (c *chunk) bounds() (from, to int) {
	if from = c.start; c.stored {
		return from, from
	}
	if c.kind == variable && !c.local {
		from += c.value
	}
	return from, c.start + len(c.text)
}

// chunkAt returns the chunk at an offset of the program's text; nil if there is none.
func (k *checked) chunkAt(offset int) *chunk {
	for _, c := range k.chunks {
		if from, to := c.bounds(); from <= offset && offset < to {
			return c
		}
	}
	return nil
}

// in returns the identifiers of a chunk.
func (k *checked) in(c *chunk) []*ast.Ident {
	from, to := c.bounds()
	first, _ := slices.BinarySearchFunc(k.idents, from,
		func(id *ast.Ident, at int) int { return k.offset(id.Pos()) - at })
	last, _ := slices.BinarySearchFunc(k.idents, to, func(id *ast.Ident, at int) int { return k.offset(id.Pos()) - at })
	return k.idents[first:last]
}

// object returns the variable that a name in a chunk declares. A name before := that was declared already is only
// assigned to; object returns that variable.
func (k *checked) object(c *chunk, n name) types.Object {
	if !c.local {
		return k.pkg.Scope().Lookup(n.string)
	}
	for _, id := range k.in(c) {
		if k.offset(id.Pos()) == c.start+n.at {
			if obj := k.info.Defs[id]; obj != nil {
				return obj
			}
			return k.info.Uses[id]
		}
	}
	return nil
}

var unused = regexp.MustCompile(`^declared and not used: (\S+)$|^(\S+) declared and not used$|^"(.*)" imported and not used$|^"(.*)" imported as \S+ and not used$`)

// mend removes the errors of Go that are none in a notebook: variables and imports that nothing uses, and a value at
// the end of the cell.
func (k *checked) mend(last ast.Expr) {
	k.errors = slices.DeleteFunc(k.errors, func(err types.Error) bool {
		c := k.chunkAt(k.offset(err.Pos))
		if found := unused.FindStringSubmatch(err.Msg); found != nil {
			if name := found[1] + found[2]; name != "" && c != nil {
				return k.use(c, name, err.Pos)
			}
			k.dot = slices.DeleteFunc(k.dot, func(path string) bool { return path == found[3] })
			return true
		}
		return last != nil && strings.HasSuffix(err.Msg, "is not used") && last.Pos() <= err.Pos &&
			err.Pos <= last.End() && !inLiteral(last, err.Pos)
	})
}

// use makes a variable count as used: it puts _ = x behind the declaration at a position.
func (k *checked) use(c *chunk, name string, pos token.Pos) bool {
	path := nodesAt(k.file, pos)
	put := func(at token.Pos, text string) bool {
		c.edits = append(c.edits, edit{at: k.offset(at) - c.start, text: text})
		return true
	}
	before, after := " _ = "+name+";", "; _ = "+name
	for i := len(path) - 1; i > 0; i-- {
		switch path[i].(type) {
		case *ast.AssignStmt, *ast.DeclStmt:
		case *ast.RangeStmt:
			return put(path[i].(*ast.RangeStmt).Body.Lbrace+1, before)
		default:
			continue
		}
		switch parent := path[i-1].(type) {
		case *ast.IfStmt:
			return put(parent.Body.Lbrace+1, before)
		case *ast.ForStmt:
			return put(parent.Body.Lbrace+1, before)
		case *ast.SwitchStmt:
			return len(parent.Body.List) > 0 && put(parent.Body.List[0].(*ast.CaseClause).Colon+1, before)
		case *ast.TypeSwitchStmt:
			return len(parent.Body.List) > 0 && put(parent.Body.List[0].(*ast.CaseClause).Colon+1, before)
		case *ast.CommClause:
			if parent.Comm == path[i] {
				return put(parent.Colon+1, before)
			}
		}
		return put(path[i].End(), after)
	}
	return false
}

// defined returns the chunks that declare objects outside of main, by object.
func (k *checked) defined() map[types.Object]*chunk {
	defined := map[types.Object]*chunk{}
	for _, c := range k.chunks {
		for _, n := range c.names {
			if obj := k.pkg.Scope().Lookup(n.string); !c.local && c.recv == "" && obj != nil && k.rename(c, n) != "_" {
				defined[obj] = c
			}
		}
	}
	return defined
}

// reach returns the chunks that the body of main needs, directly or through others, and the imports that they use,
// paths by name.
func (k *checked) reach() (reached map[*chunk]bool, used map[string]string) {
	defined := k.defined()
	var queue []*chunk
	for _, c := range k.chunks {
		if c.local || c.moved || c.initialises() || k.pulled[c.def] ||
			c.own && (c.isMain() || c.kind == variable && k.hasMain()) {
			queue = append(queue, c)
		}
	}
	if k.exec == nil {
		return k.from(queue, defined)
	}
	name, _ := k.exec.root()
	if c := defined[k.pkg.Scope().Lookup(name)]; c != nil {
		queue = append(queue, c)
	}
	reached, used = k.from(queue, defined)
	if path := k.paths[name]; path != "" {
		used[name] = path
	}
	return reached, used
}

// from returns the chunks that those in queue need, directly or through others, with these themselves, and the imports
// that all of them use.
func (k *checked) from(queue []*chunk, defined map[types.Object]*chunk) (reached map[*chunk]bool,
	used map[string]string) {
	reached, used = map[*chunk]bool{}, map[string]string{}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if reached[c] {
			continue
		}
		reached[c] = true
		for _, m := range k.chunks {
			if c.kind == typed && slices.ContainsFunc(c.names, func(n name) bool { return n.string == m.recv }) {
				queue = append(queue, m)
			}
		}
		if c.kind == variable && !c.own && !c.literal {
			k.inImage(c.def, func(lit *def) {
				if i := slices.IndexFunc(k.chunks, func(c *chunk) bool { return c.def == lit }); i >= 0 {
					queue = append(queue, k.chunks[i])
				}
			}, func(name string) {
				if other := defined[k.pkg.Scope().Lookup(name)]; other != nil {
					queue = append(queue, other)
				}
			})
		}
		if c.stored {
			for _, n := range c.names {
				if obj := k.object(c, n); n.string != "_" && obj != nil {
					queue = k.typesOf(queue, obj.Type(), defined, map[types.Type]bool{})
				}
			}
			continue
		}
		for _, id := range k.in(c) {
			obj := k.info.Uses[id]
			if pkg, is := obj.(*types.PkgName); is {
				used[pkg.Name()] = pkg.Imported().Path()
			} else if other := defined[obj]; other != nil {
				queue = append(queue, other)
			}
		}
	}
	return reached, used
}

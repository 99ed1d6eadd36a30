package cell

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// behindName begins the names by which programs import packages of the library whose own names cells have taken.
const behindName = "main_pkg_"

// reachable has the names of the library's packages mean these packages where a variable of the same name cannot be
// meant: counts.Raw after counts := 3. It reports whether it has changed the text of a chunk.
func (k *checked) reachable() (changed bool) {
	type place struct {
		c  *chunk
		at int
	}
	found := map[string][]place{}
	ast.Inspect(k.file, func(n ast.Node) bool {
		sel, is := n.(*ast.SelectorExpr)
		if !is {
			return true
		}
		id, is := sel.X.(*ast.Ident)
		if is && k.means(k.info.Uses[id], id.Name, sel.Sel.Name) {
			if c := k.chunkAt(k.offset(id.Pos())); c != nil {
				found[id.Name] = append(found[id.Name], place{c, k.offset(id.Pos()) - c.start})
			}
		}
		return true
	})
	for name, places := range found {
		k.paths[behindName+name] = k.s.packageOf(name)
		slices.SortFunc(places, func(a, b place) int { return b.at - a.at }) // from the end, so that offsets stay right
		for _, p := range places {
			p.c.prefix(p.at, behindName)
			p.c.uses[behindName+name] = nil
			changed = true
		}
	}
	return changed
}

// means reports whether a member that a variable, function or constant has not is one of the library's package of its
// name.
func (k *checked) means(v types.Object, name, member string) bool {
	switch v.(type) {
	case *types.Var, *types.Func, *types.Const:
	default:
		return false
	}
	path := k.s.packageOf(name)
	if !ours(path) || !token.IsExported(member) {
		return false
	}
	if obj, _, _ := types.LookupFieldOrMethod(v.Type(), true, k.pkg, member); obj != nil {
		return false
	}
	pkg, err := k.s.Packages.Import(path)
	return err == nil && pkg.Scope().Lookup(member) != nil
}

// prefix puts text before the name at an offset of the part.
func (p *part) prefix(at int, text string) {
	p.text = p.text[:at] + text + p.text[at:]
	for i := range p.names {
		if p.names[i].at > at {
			p.names[i].at += len(text)
		}
	}
	if p.value > at {
		p.value += len(text)
	}
	if p.rhs > at {
		p.rhs += len(text)
	}
}

package cell

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// define sorts what the cell declares into definitions for later cells and variables that stay in it. In a page,
// variables stay that the cell assigns to.
func (k *checked) define(assigned map[types.Object]token.Pos) {
	e := k.entry
	k.forgetFields()
	stays := map[types.Object]stay{} // variables that stay in the cell
	for _, c := range k.chunks {
		if !c.own || c.kind == statement || c.isMain() {
			continue
		}
		if c.kind == variable && k.legacy && c.local {
			continue // GoNB's main function keeps its variables
		}
		e.defs = append(e.defs, c.def)
		if c.kind != variable {
			continue
		}
		var why *stay
		for _, id := range k.in(c) {
			if other, is := stays[k.info.Uses[id]]; is && k.s.Values == "" && k.offset(id.Pos()) >= c.start+c.value {
				why = &stay{fmt.Sprintf("is computed from %s, which %s", id.Name, other.why), other.help}
			}
		}
		c.plain = k.plain(c)
		c.types, c.paths = map[string]string{}, map[string]string{}
		for _, n := range c.names {
			obj := k.object(c, n)
			if n.string == "_" || obj == nil {
				continue
			}
			c.types[n.string] = types.TypeString(obj.Type(), func(pkg *types.Package) string {
				return k.qualifier(pkg, c.paths)
			})
			if mine := k.stayOf(c, n.string, obj, why, assigned); mine != nil {
				stays[obj], e.stays[n.string] = *mine, *mine
				c.lost = append(c.lost, n.string)
			}
		}
	}
	e.defs = append(e.defs, k.imports...)
	e.defs = slices.DeleteFunc(e.defs, func(d *def) bool { return d.kind == variable && len(d.kept()) == 0 })
}

// stayOf returns the reason why a variable stays in its cell; nil if others may use it.
func (k *checked) stayOf(c *chunk, name string, obj types.Object, why *stay,
	assigned map[types.Object]token.Pos) *stay {
	switch at, is := assigned[obj]; {
	case ofGo(name):
		return nameOfGo(k.entry.number)
	case k.s.Values != "" && !nameable(obj.Type(), map[types.Type]bool{}):
		return &stay{fmt.Sprintf("of cell %d has the type %s, which other cells cannot name", k.entry.number,
			types.TypeString(obj.Type(), func(pkg *types.Package) string { return pkg.Name() })),
			"declare the type outside of functions, or give the variable an interface as its type"}
	case k.s.Values != "":
		return nil
	case is:
		return &stay{fmt.Sprintf("changes in cell %d, line %d", k.entry.number, k.files.Position(at).Line),
			fmt.Sprintf("give it its last value in one expression there, as in %s := f(), or use it there", name)}
	case why == nil && k.cyclic(c, name):
		return &stay{fmt.Sprintf("of cell %d is computed from an earlier %s", k.entry.number, name),
			"give it a name of its own there"}
	}
	return why
}

func isFunction(t types.Type) bool { _, is := t.Underlying().(*types.Signature); return is }

// forgetFields removes from the uses of the cell's definitions the names that are only fields there, as x in p{x: 1},
// and those of variables inside of functions. Without types, usesOf cannot tell a field from the key of a map.
func (k *checked) forgetFields() {
	if len(k.errors) > 0 {
		return // the types may not be known
	}
	for _, c := range k.chunks {
		if !c.own || c.kind == statement {
			continue
		}
		used := map[string]bool{}
		for _, id := range k.in(c) {
			obj := k.info.Uses[id]
			if v, is := obj.(*types.Var); obj != nil && !(is && (v.IsField() || k.inside(c, v))) {
				used[id.Name] = true
			}
		}
		maps.DeleteFunc(c.uses, func(name string, _ []string) bool { return !used[name] })
	}
}

// inside reports whether a variable is declared inside of a function of a definition.
func (k *checked) inside(c *chunk, v *types.Var) bool {
	from, to := c.bounds()
	at := k.offset(v.Pos())
	return from <= at && at < to && v.Parent() != k.pkg.Scope()
}

// cyclic reports whether the definition of a name needs that name itself, directly or through definitions of other
// cells.
func (k *checked) cyclic(c *chunk, name string) bool {
	return k.s.follows(c.def, name, k.entry, func(use string) bool { return k.own[use] != nil && use != name })
}

// follows reports whether a definition needs a name, directly or through definitions of other cells. It does not look
// behind names for which ends is true.
func (s *Session) follows(d *def, name string, from *entry, ends func(use string) bool) bool {
	seen := map[*def]bool{}
	var needs func(d *def) bool
	needs = func(d *def) bool {
		if seen[d] {
			return false
		}
		seen[d] = true
		if _, is := d.uses[name]; is {
			return true
		}
		for use := range d.uses {
			if other, _ := s.lookup(use, from); other != nil && !ends(use) && needs(other) {
				return true
			}
		}
		return false
	}
	return needs(d)
}

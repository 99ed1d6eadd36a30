package cell

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
)

// define sorts what the cell declares into definitions for later cells and variables that stay in it.
func (k *checked) define(changes map[types.Object]change) {
	e := k.entry
	k.forgetFields()
	stays := map[types.Object]stay{}     // variables that stay in the cell
	altered := map[types.Object]string{} // those of which the last value counts
	for _, c := range k.chunks {
		if !c.own || c.kind == statement || c.isMain() {
			continue
		}
		e.defs = append(e.defs, c.def)
		if c.kind != variable {
			continue
		}
		if k.legacy && c.local {
			e.defs = e.defs[:len(e.defs)-1]
			continue // GoNB's main function keeps its variables
		}
		var why *stay
		for _, id := range k.in(c) {
			if other, is := stays[k.info.Uses[id]]; is && k.offset(id.Pos()) >= c.start+c.value {
				why = &stay{fmt.Sprintf("is computed from %s, which %s", id.Name, other.why), other.help}
			}
		}
		for _, id := range k.in(c) {
			obj := k.info.Uses[id]
			if k.offset(id.Pos()) < c.start+c.value || altered[obj] == "" {
				continue
			}
			from := fmt.Sprintf("is computed from %s, which %s", id.Name, altered[obj])
			for _, n := range c.names {
				switch of := k.object(c, n); {
				case n.string == "_" || of == nil:
				case keepable(of.Type()) && expensive(of.Type()):
					c.changed(n.string, from)
					c.only[n.string] = true
				case !isFunction(of.Type()) && changes[obj].last > id.Pos():
					why = &stay{from, "change it before, or in another cell"}
				}
			}
		}
		c.types, c.paths = map[string]string{}, map[string]string{}
		for _, n := range c.names {
			obj := k.object(c, n)
			if n.string == "_" || obj == nil {
				continue
			}
			c.types[n.string] = types.TypeString(obj.Type(), func(pkg *types.Package) string {
				return k.qualifier(pkg, c.paths)
			})
			mine := why
			if ch, is := changes[obj]; is {
				line := k.files.Position(ch.at).Line
				help := "give it its last value in one expression there, as in %s := f(), or use it there"
				if isFunction(obj.Type()) {
					help = "declare it there as a function, as in func %s(…) { … }"
				}
				mine = &stay{fmt.Sprintf("changes in cell %d, line %d", e.number, line), fmt.Sprintf(help, n.string)}
			} else if mine == nil && k.cyclic(c, n.string) {
				mine = &stay{fmt.Sprintf("of cell %d is computed from an earlier %s", e.number, n.string),
					"give it a name of its own there"}
			} else if mine == nil && ofGo(n.string) {
				mine = nameOfGo(e.number)
			}
			if mine != nil && k.lasts(c, n.string, obj.Type()) {
				c.changed(n.string, mine.why)
				c.only[n.string] = why != nil || k.cyclic(c, n.string)
				altered[obj] = mine.why
			} else if mine != nil {
				stays[obj], e.stays[n.string] = *mine, *mine
				c.lost = append(c.lost, n.string)
			}
		}
	}
	e.defs = append(e.defs, k.imports...)
	e.defs = slices.DeleteFunc(e.defs, func(d *def) bool { return d.kind == variable && len(d.kept()) == 0 })
}

func isFunction(t types.Type) bool { _, is := t.Underlying().(*types.Signature); return is }

// lasts reports whether the value that a variable has at the end of its cell is there in later cells.
func (k *checked) lasts(c *chunk, name string, t types.Type) bool {
	return k.s.Values != "" && !ofGo(name) && !(k.legacy && c.local) && keepable(t)
}

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

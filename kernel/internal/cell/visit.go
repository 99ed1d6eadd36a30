package cell

import (
	"go/types"
	"slices"
)

// visit calls see for a definition and for everything that it needs, once for each. Methods that a type has got since
// the definition ran are not among these.
func (p *program) visit(d *def, see func(d *def)) {
	seen, first, runs := map[*def]bool{}, d, d.entry == p.entry
	if runs {
		d.methods = map[string]bool{}
	}
	var add func(d *def)
	add = func(d *def) {
		if seen[d] {
			return
		}
		seen[d] = true
		see(d)
		for name := range d.uses {
			other, _ := p.s.lookup(name, p.entry)
			_, stays := p.entry.stays[name] // later cells do not know it
			if own := p.own[name]; own != nil && !stays && !p.earlier(d, own, name) {
				other = own.def
			}
			if other != nil {
				add(other)
			}
		}
		if d.kind != typed {
			return
		}
		for _, n := range d.names {
			own := map[string]bool{}
			var all []*def
			for _, m := range p.chunks {
				if m.own && m.recv == n.string {
					own[m.names[0].string] = true
					all = append(all, m.def)
				}
			}
			for _, m := range p.s.methods(n.string, p.entry) {
				if !own[m.names[0].string] {
					all = append(all, m)
				}
			}
			for _, m := range all {
				if name := n.string + "." + m.names[0].string; runs || first.methods[name] {
					first.methods[name] = true
					add(m)
				}
			}
		}
	}
	add(d)
}

// points reports whether a value of a type may lead to a pointer to another type. What is behind functions and
// interfaces is not known.
func points(t, elem types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if types.Identical(u.Elem(), elem) {
			return true
		}
	case *types.Interface:
		return !types.Identical(t, types.Universe.Lookup("error").Type()) // an error that is kept is nil
	case *types.Signature, *types.Chan:
		return true
	}
	return slices.ContainsFunc(madeOf(t.Underlying()), func(t types.Type) bool { return points(t, elem, seen) })
}

package cell

import (
	"go/types"
	"slices"
)

// aliases reports whether a pointer among the types of a definition's variables may point to what another variable
// points to. Two that were kept would be two copies, and no longer equal.
func (k *checked) aliases(c *chunk, of []types.Type) bool {
	var to []types.Type
	for _, t := range of {
		if t == nil {
			continue
		}
		if p, is := types.Unalias(t).(*types.Pointer); is {
			if slices.ContainsFunc(to, func(t types.Type) bool { return types.Identical(t, p.Elem()) }) {
				return true
			}
			to = append(to, p.Elem())
		}
	}
	if len(to) == 0 {
		return false
	}
	of, chunks := nil, map[*def]*chunk{}
	for _, c := range k.chunks {
		chunks[c.def] = c
	}
	k.visit(c.def, func(d *def) {
		other := chunks[d]
		if other == nil || other == c || d.kind != variable {
			return
		}
		for _, n := range d.names {
			if obj := k.object(other, n); n.string != "_" && obj != nil {
				of = append(of, obj.Type())
			}
		}
	})
	return slices.ContainsFunc(of, func(t types.Type) bool {
		return slices.ContainsFunc(to, func(elem types.Type) bool { return points(t, elem, map[types.Type]bool{}) })
	})
}

// visit calls see for a definition and for everything that it needs, once for each. Methods that a type has got since
// the definition ran are not among these.
func (k *checked) visit(d *def, see func(d *def)) {
	seen, first, runs := map[*def]bool{}, d, d.entry == k.entry
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
			other, _ := k.s.lookup(name, k.entry)
			if own := k.own[name]; own != nil {
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
			for _, m := range k.chunks {
				if m.own && m.recv == n.string {
					own[m.names[0].string] = true
					all = append(all, m.def)
				}
			}
			for _, m := range k.s.methods(n.string, k.entry) {
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
		return types.Identical(u.Elem(), elem) || points(u.Elem(), elem, seen)
	case *types.Slice:
		return points(u.Elem(), elem, seen)
	case *types.Array:
		return points(u.Elem(), elem, seen)
	case *types.Map:
		return points(u.Key(), elem, seen) || points(u.Elem(), elem, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if points(f.Type(), elem, seen) {
				return true
			}
		}
	case *types.Interface:
		return !types.Identical(t, types.Universe.Lookup("error").Type()) // an error that is kept is nil
	case *types.Signature, *types.Chan:
		return true
	}
	return false
}

package keep

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// former is what types of cells were when a group was written. Groups may have been written before and after a cell
// defined a type anew.
type former struct {
	layouts map[string]layout
	shapes  map[*shape]*shape // as values were written
}

func newFormer(g *Group) *former { return &former{g.Layouts, map[*shape]*shape{}} }

// as returns a shape as its values were written. It differs from the one of this program if a cell has defined a type
// anew since. Fields keep their values by their names, if they have the same types.
func (d *decoder) as(s *shape) *shape {
	inside := s.form == structure || s.form == array || s.form == table // others have blocks of their own
	if len(d.former.layouts) == 0 || !inside && s.of.PkgPath() != "main" {
		return s
	}
	if was, is := d.former.shapes[s]; is {
		return was
	}
	was := *s
	d.former.shapes[s] = &was
	changed := false
	inner := func(of *shape) *shape {
		if of == nil {
			return nil
		}
		as := d.as(of)
		changed = changed || as != of
		return as
	}
	if was.fields = slices.Clone(s.fields); inside {
		was.elem, was.key = inner(s.elem), inner(s.key)
	}
	fields := map[string]member{}
	for i, f := range s.fields {
		was.fields[i].shape = inner(f.shape)
		fields[fieldKey(f.name, reference(f.of))] = was.fields[i]
	}
	if name := reference(s.of); s.of.PkgPath() == "main" {
		all := map[string]layout{}
		layouts(s.of, all, map[reflect.Type]bool{})
		if l, is := d.former.layouts[name]; is && !reflect.DeepEqual(l, all[name]) {
			changed = true
			d.order(&was, l, all[name], fields)
		}
	}
	if !changed {
		d.former.shapes[s] = s
		return s
	}
	was.plain = false
	return &was
}

// order puts the fields of a struct into the order in which they were written. It refuses a type that has not all that
// was written.
func (d *decoder) order(s *shape, was, now layout, fields map[string]member) {
	words := func(name string) string { return cmp.Or(strings.ReplaceAll(name, `"main".`, ""), "a struct") }
	name := words(reference(s.of))
	if was.Is != now.Is {
		panic(fmt.Errorf("keep: the type %s was %s, and was defined anew as %s", name, words(was.Is), words(now.Is)))
	}
	types := map[string]string{}
	for i := 1; i < len(now.Fields); i += 2 {
		types[fieldKey(now.Fields[i-1], now.Fields[i])] = now.Fields[i]
	}
	s.fields = nil
	for i := 1; i < len(was.Fields); i += 2 {
		field := was.Fields[i-1]
		key := fieldKey(field, was.Fields[i])
		if types[key] != was.Fields[i] {
			panic(fmt.Errorf("keep: the type %s was defined anew, without its field %s %s", name, field,
				words(was.Fields[i])))
		}
		s.fields = append(s.fields, fields[key])
	}
}

// fieldKey returns what no two fields of a struct share, except for those of the same type without a name.
func fieldKey(name, of string) string {
	if name == "_" {
		return "_ " + of
	}
	return name
}
